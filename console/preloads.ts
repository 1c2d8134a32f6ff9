/**
 * A Vite plugin that writes `.vite/preloads.json`: for each route a path pattern and the modules of
 * its page.
 *
 * Why: pages are loaded by `import()`, which the browser discovers only after it has run the entry.
 * The gateway reads this file and the manifest, and adds `modulepreload` links for the requested
 * path, which saves a round trip.
 *
 * Relies on: the form of `src/routes.tsx`, which is read as text (`listPages`). A route in another
 * form gets no preload; the page still works, only later. The paths without the signed-in frame are
 * listed here by hand.
 *
 * Removable when: the router or Vite emits the chunks of each route, or the pages are rendered on
 * the server.
 */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { Plugin } from "vite";

/** A pattern for the path, the page's module (a manifest key), then the modules of its frame. */
type PagePreload = [pattern: string, page: string, ...frame: string[]];

/** The frame around every signed-in page. */
const signedInFrame = ["src/shell/signed-in-bar.tsx"];
/** Visitors see these pages without the frame. */
const unframedPaths = new Set(["/", "/login", "/register", "/reset", "/user/reset"]);

export function preloads(root: string): Plugin {
  return {
    name: "preloads",
    apply: "build",
    generateBundle() {
      const routes = readFileSync(join(root, "src/routes.tsx"), "utf8");
      this.emitFile({
        type: "asset",
        fileName: ".vite/preloads.json",
        source: JSON.stringify(readPreloads(routes)),
      });
    },
  };
}

interface ListedPage {
  parent: string;
  path: string;
  /** From the folder of `routes.tsx`. */
  page: string;
}

/** The rows `addPage(parent, path, name, () => import(page))` of `routes.tsx`. */
export const listPages = (routes: string): ListedPage[] =>
  [
    ...routes.matchAll(
      /addPage\(\s*(\w+),\s*"([^"]+)",\s*"\w+",\s*\(\) => import\("\.\/([^"]+)"\)/g,
    ),
  ].map(([, parent = "", path = "", page = ""]) => ({ parent, path, page }));

const readPreloads = (routes: string): PagePreload[] =>
  listPages(routes).map(({ path, page }) => [
    pathPattern(path),
    `src/${page}`,
    ...(unframedPaths.has(path) ? [] : signedInFrame),
  ]);

/**
 * A parameter such as `$id` matches one path segment, `/{-$id}` one or none. A trailing slash is
 * optional.
 */
function pathPattern(path: string): string {
  const escaped = path.replace(/[.*+?^()|[\]\\{}]/g, "\\$&");
  const whole = escaped.replace(/\/\\\{-\$[a-zA-Z]+\\\}/g, "(?:/[^/]+)?");
  return `^${whole.replace(/\$[a-zA-Z]+/g, "[^/]+").replace(/\/$/, "")}/?$`;
}
