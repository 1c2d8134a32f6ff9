/** The API keys that can be paused, as a condition on `tokens`. */
import { type RawBuilder, sql as raw } from "kysely";

/**
 * A key of the playground ends in minutes, and each session gets a new one. That of a program that
 * is signed in is renewed in place for a week, and stays paused when it is: only a person ends
 * that, by a new sign-in.
 */
export const isLastingKey = (): RawBuilder<boolean> =>
  raw<boolean>`(session_hash is null or session_hash in (select session_hash from agent_sign_ins))`;
