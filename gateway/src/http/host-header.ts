/** RFC 9112 (3.2) requires refusing a request with two Host headers: another hop may read the other one. */

/** `rawHeaders` alternates names and values. Node itself silently keeps the first of several hosts. */
export function hasDuplicateHost(rawHeaders: readonly string[]): boolean {
  let hosts = 0;
  for (let at = 0; at < rawHeaders.length; at += 2) {
    const name = rawHeaders[at] ?? "";
    if (name.length === 4 && name.toLowerCase() === "host") hosts += 1;
  }
  return hosts > 1;
}
