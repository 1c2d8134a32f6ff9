/** Pages that one is sent to, never back to. */
const authPages = ["/login", "/register", "/reset", "/user/reset", "/oauth/"];

/** A path of our own origin to go to after sign-in, or nothing: `//host`, `/\host` and the like lead elsewhere. */
export function redirectTarget(requested: string | null | undefined, origin: string): string | undefined {
  if (requested === null || requested === undefined || !requested.startsWith("/")) return undefined;
  try {
    const url = new URL(requested, origin);
    if (url.origin !== origin || isAuthPage(url.pathname)) return undefined;
    return url.pathname + url.search + url.hash;
  } catch {
    return undefined;
  }
}

/** `redirect_to` for the page someone was on; nothing where returning would make no sense. */
export function returnPath(path: string): { redirect_to?: string } {
  const pathname = path.split("?")[0] ?? "";
  return isAuthPage(pathname) ? {} : { redirect_to: path };
}

function isAuthPage(pathname: string): boolean {
  return authPages.some(
    (page) => pathname === page || pathname === `${page}/` || (page.endsWith("/") && pathname.startsWith(page)),
  );
}
