/** Pages that one is sent to, never back to. */
const arrivals = ["/login", "/register", "/reset", "/user/reset", "/oauth/"];

/** A path of our own origin to go to after sign-in, or nothing: `//host`, `/\host` and the like lead elsewhere. */
export function redirectTarget(wanted: string | null | undefined, origin: string): string | undefined {
  if (wanted === null || wanted === undefined || !wanted.startsWith("/")) return undefined;
  try {
    const url = new URL(wanted, origin);
    if (url.origin !== origin || isArrival(url.pathname)) return undefined;
    return url.pathname + url.search + url.hash;
  } catch {
    return undefined;
  }
}

/** `redirect_to` for the page someone was on; nothing where returning would make no sense. */
export function returnPath(path: string): { redirect_to?: string } {
  const pathname = path.split("?")[0] ?? "";
  return isArrival(pathname) ? {} : { redirect_to: path };
}

function isArrival(pathname: string): boolean {
  return arrivals.some(
    (arrival) =>
      pathname === arrival || pathname === `${arrival}/` || (arrival.endsWith("/") && pathname.startsWith(arrival)),
  );
}
