/**
 * The columns of a token after a rotation, and the parts of an old key that are shown. Pure: no
 * I/O, no clock.
 */
import type { Selectable } from "kysely";
import { refuse } from "../../http/refusal.ts";
import { buildUnixSeconds } from "../../http/unix-seconds.ts";
import type { TokensTable } from "../../storage/tables/token-tables.ts";

type TokenKey = Pick<Selectable<TokensTable>, "key_hash" | "key_ending">;
export type OldKey = Pick<
  Selectable<TokensTable>,
  "old_key_hash" | "old_key_ending" | "old_key_until"
>;

export const noOldKey: OldKey = { old_key_hash: null, old_key_ending: "", old_key_until: null };

const oldKeyWorks = ({ old_key_until }: Pick<OldKey, "old_key_until">, now: number): boolean =>
  old_key_until !== null && old_key_until > now;

/**
 * The present key becomes the old one. A token has at most two keys that work: while the last
 * overlap runs, only a rotation without overlap is possible, which stops both. An overlap of 0
 * keeps the hash all the same, so that calls with the old key are told that it was replaced.
 */
export function chooseOldKey(token: TokenKey & OldKey, overlapMs: number, now: number): OldKey {
  if (overlapMs > 0 && oldKeyWorks(token, now)) throw refuse("token_old_key_works");
  return {
    old_key_hash: token.key_hash,
    old_key_ending: token.key_ending,
    old_key_until: now + overlapMs,
  };
}

/** Nothing of an old key that works no more. */
export const viewOldKey = (token: OldKey, now: number) =>
  oldKeyWorks(token, now)
    ? {
        old_key_ending: token.old_key_ending,
        old_key_until: buildUnixSeconds(token.old_key_until ?? 0),
      }
    : { old_key_ending: "", old_key_until: 0 };
