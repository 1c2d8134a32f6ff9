/** Pages that are never a redirect target. */
const authPages = ["/login", "/register", "/reset", "/user/reset", "/oauth/"];

/**
 * The path of this origin to open after sign-in; undefined for `//host`, `/\host` and other
 * origins.
 */
export function redirectTarget(
  requested: string | null | undefined,
  origin: string,
): string | undefined {
  if (requested === null || requested === undefined || !requested.startsWith("/")) return undefined;
  try {
    const url = new URL(requested, origin);
    // `/.//host` is a path of this origin, and what is left of it names another one.
    if (url.origin !== origin || url.pathname.startsWith("//") || isAuthPage(url.pathname))
      return undefined;
    return url.pathname + url.search + url.hash;
  } catch {
    return undefined;
  }
}

/**
 * `passwordChangePath` is where a user replaces a temporary password or sets up a demanded second
 * factor; the page then goes on to `redirect_to`.
 */
export const passwordChangePath = "/users/edit";

/**
 * `usualTargets` are the pages to which nearly every sign-in leads, and so no choice of the user.
 */
const usualTargets = ["/", "/dashboard", passwordChangePath];

/** The search of the page that replaces a temporary password, so that it leads on to the target. */
export const afterPasswordChange = (target: string): { redirect_to?: string } =>
  usualTargets.includes(target) ? {} : returnPath(target);

/**
 * `chooseLandingPath` says where a sign-in leads: to the target, or first to the page with what the
 * server demands before anything else.
 */
export function chooseLandingPath(target: string, isHeldBack: boolean): string {
  if (!isHeldBack) return target;
  const search = new URLSearchParams(afterPasswordChange(target));
  return search.size === 0 ? passwordChangePath : `${passwordChangePath}?${search}`;
}

/** `redirect_to` for the current page; empty for pages that are never a redirect target. */
export function returnPath(path: string): { redirect_to?: string } {
  const pathname = path.split("?")[0] ?? "";
  return isAuthPage(pathname) ? {} : { redirect_to: path };
}

function isAuthPage(pathname: string): boolean {
  return authPages.some(
    (page) =>
      pathname === page ||
      pathname === `${page}/` ||
      (page.endsWith("/") && pathname.startsWith(page)),
  );
}
