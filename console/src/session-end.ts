import type { ReplyEnvelope } from "./compat/reply-envelope.ts";

const sessionEndPhrases = ["access token is invalid", "not logged in", "No permission to perform this operation"];
/** Answers visitors too; a stale session must not throw them out of a public page. */
const publicPath = "/api/models/display";

/** Whether an answer means that nobody is signed in any more. Never for the relay: there it is about a key. */
export function endsSession(
  path: string,
  status: number,
  { success, message }: Pick<ReplyEnvelope, "success" | "message">,
): boolean {
  if (path.startsWith("/v1/")) return false;
  if (status === 401 || status === 403) return true;
  return !success && path !== publicPath && sessionEndPhrases.some((phrase) => message.includes(phrase));
}
