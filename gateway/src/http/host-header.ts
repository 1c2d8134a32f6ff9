/** A request that names two hosts is for one of them here and for the other elsewhere: RFC 9112 (3.2) wants it refused. */

/** `rawHeaders` are names and values in turn; node itself keeps the first of several hosts and says nothing. */
export function hasDuplicateHost(rawHeaders: readonly string[]): boolean {
  let hosts = 0;
  for (let at = 0; at < rawHeaders.length; at += 2) {
    const name = rawHeaders[at] ?? "";
    if (name.length === 4 && name.toLowerCase() === "host") hosts += 1;
  }
  return hosts > 1;
}
