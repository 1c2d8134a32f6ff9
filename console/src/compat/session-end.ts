import type { ReplyEnvelope } from "./reply-envelope.ts";

const sessionEndPhrases = [
  "access token is invalid",
  "not logged in",
  "No permission to perform this operation",
];
/** A public endpoint: an expired session must not redirect visitors away from its page. */
const publicPath = "/api/models/display";

/**
 * `endsSession` says whether a reply means that the session has ended. Never for the relay, where
 * 401 concerns the API key.
 */
export function endsSession(
  path: string,
  status: number,
  { success, message }: Pick<ReplyEnvelope, "success" | "message">,
): boolean {
  if (path.startsWith("/v1/")) return false;
  if (status === 401 || status === 403) return true;
  return (
    !success && path !== publicPath && sessionEndPhrases.some((phrase) => message.includes(phrase))
  );
}
