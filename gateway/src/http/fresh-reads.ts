/**
 * `freshSeconds` is the time after a change for which its author's lists and charts are read from
 * the primary, so that users see it. A cookie says so, and not this process: the next request may
 * reach another node. It grants nothing.
 */
const freshSeconds = 10;
const cookie = "fresh-reads=1";

export function askForFreshReads(replyHeaders: Headers): void {
  replyHeaders.append(
    "Set-Cookie",
    `${cookie}; Max-Age=${freshSeconds}; Path=/api; HttpOnly; SameSite=Lax`,
  );
}

export const wantsFreshReads = (headers: Headers): boolean =>
  (headers.get("cookie") ?? "").split(";").some((pair) => pair.trim() === cookie);
