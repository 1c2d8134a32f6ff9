/** Writes `.vite/preloads.json`: which modules each path of the console needs, for the gateway to preload them. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { Plugin } from "vite";

/** A pattern for the path, the module of its page (a key of the manifest), then the modules that frame it. */
type PagePreload = [pattern: string, page: string, ...frame: string[]];

/** What everybody who is signed in gets around every page. */
const signedInFrame = ["src/shell/live-area.tsx", "src/shell/signed-in-bar.tsx"];
/** Pages that visitors arrive on show nothing of that. */
const unframedPaths = new Set(["/", "/login", "/register", "/reset", "/user/reset", "/oauth/github", "/oauth/lark"]);

export function preloads(root: string): Plugin {
  return {
    name: "preloads",
    apply: "build",
    generateBundle() {
      const routes = readFileSync(join(root, "src/routes.tsx"), "utf8");
      this.emitFile({ type: "asset", fileName: ".vite/preloads.json", source: JSON.stringify(readPreloads(routes)) });
    },
  };
}

/** Each route names its path and then imports its page: the table is read as it is written. */
function readPreloads(routes: string): PagePreload[] {
  const pages = routes.split("createRoute({").map((route): PagePreload | undefined => {
    const path = /path: "([^"]+)"/.exec(route)?.[1];
    const page = /import\("\.\/([^"]+)"\)/.exec(route)?.[1];
    if (path === undefined || page === undefined) return undefined;
    return [pathPattern(path), `src/${page}`, ...(unframedPaths.has(path) ? [] : signedInFrame)];
  });
  return pages.filter((page) => page !== undefined);
}

/** `/tokens/edit/$id` matches any one segment there; a slash at the end changes nothing. */
function pathPattern(path: string): string {
  const escaped = path.replace(/[.*+?^()|[\]\\{}]/g, "\\$&");
  return `^${escaped.replace(/\$[a-zA-Z]+/g, "[^/]+").replace(/\/$/, "")}/?$`;
}
