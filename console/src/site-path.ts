/**
 * The path below which this site is served; empty at the root of a host. The gateway writes it into
 * the page's head. The router knows it, so that paths of pages are without it everywhere else.
 */
declare global {
  /** Set in the page's head. */
  var siteBasePath: string | undefined;
}

export const basePath = globalThis.siteBasePath ?? "";

/** `readSiteAddress` gives the address that people and programs are told, without a slash. */
export const readSiteAddress = (): string => location.origin + basePath;

/** `readPagePath` gives the path of the page that is shown, as the router knows it. */
export const readPagePath = (): string => location.pathname.slice(basePath.length) || "/";
