/**
 * Assigns modules that several pages share to a few named chunks, as `codeSplitting` groups of the
 * bundler.
 *
 * What: "bar" is what the signed-in frame needs, and the icons of lists; "icons" are those of all
 * other pages; "page" what the dashboard shares with at least three lists; "list" what the logs,
 * the heaviest page, share with other lists; "choice" what three lists share without the logs;
 * "cards" the lists inside cards; "token-list", "channel-log-list" and their like what one or two
 * lists share with each other and with pages that are no lists. All others are left to the bundler,
 * and so is everything that the sign-in page needs.
 *
 * Why: the bundler's default makes one chunk per set of importing pages: a list page then loaded
 * thirty files, and most of its load time was the number of requests. A browser asks for six at a
 * time.
 *
 * Relies on: the page paths below. Only shared modules may be assigned: then everything such a
 * chunk imports is shared as well, and no two chunks import each other. `check-budget.ts` limits
 * size and number of files of each page.
 *
 * Removable when: the bundler can merge small chunks by itself without adding modules to pages that
 * do not need them.
 */
import { basename, extname } from "node:path";

/** The part of the bundler's context used here. */
interface ModuleGraph {
  getModuleInfo(id: string): { code: string | null; importedIds: readonly string[] } | null;
}

const signedInBar = ["src/shell/signed-in-bar.tsx"];
const login = "src/features/session/login-page.tsx";
const dashboard = "src/features/dashboard/dashboard-page.tsx";
const lists = [
  "tokens/token",
  "channels/channel",
  "logs/log",
  "redemptions/redemption",
  "users/user",
].map((name) => `src/features/${name}-list-page.tsx`);
const icons = /\/node_modules\/lucide-react\/.*\/icons\//;
/** The switch between teams is of tokens and logs alone: the other lists have no bytes for it. */
const components = /\/console\/src\/components\/(?!teams\/)/;
/**
 * `cards` are the small parts of lists inside a card, which the same pages load: one file instead
 * of three.
 */
const cards = /\/console\/src\/components\/(lists\/(item-row|list-card)|forms\/form-loading)\.tsx$/;
/**
 * Lists reach these only through imports that the bundler drops; with them a chunk would load the
 * schema library.
 */
const formSchemas =
  /\/contract\/src\/catalogue\/(model-prices|channel-json|channel-overrides|channel-issues)\.ts$/;

/**
 * Returns the chunk name of a module of the console in folder `root`; null leaves the choice to the
 * bundler.
 */
export function sharedChunks(root: string): (id: string, graph: ModuleGraph) => string | null {
  let chunkNameOf: ((id: string) => string | null) | undefined;
  return (id, graph) => {
    chunkNameOf ??= createChunkNames(graph, root);
    return chunkNameOf(id);
  };
}

function createChunkNames(graph: ModuleGraph, root: string): (id: string) => string | null {
  const reachedFrom = (...pages: string[]): Set<string> => {
    const found = new Set<string>();
    const pending = pages.map((page) => `${root}/${page}`);
    for (let id = pending.pop(); id !== undefined; id = pending.pop()) {
      if (found.has(id)) continue;
      found.add(id);
      pending.push(...(graph.getModuleInfo(id)?.importedIds ?? []));
    }
    return found;
  };
  const barModules = reachedFrom(...signedInBar);
  const loginModules = reachedFrom(login);
  const dashboardModules = reachedFrom(dashboard);
  const listModules = lists.map((page) => ({
    name: basename(page, "-list-page.tsx"),
    modules: reachedFrom(page),
  }));
  const iconsOfLists = new Set(
    [...barModules, ...listModules.flatMap(({ modules }) => [...modules])].flatMap((id) =>
      iconFilesIn(graph.getModuleInfo(id)?.code ?? ""),
    ),
  );
  return (id) => {
    // The package of icons is one graph, so that every page seems to reach each icon: the code says
    // which it draws.
    if (icons.test(id)) return iconsOfLists.has(basename(id, extname(id))) ? "bar" : "icons";
    // The sign-in page must not load code that only later pages need.
    if (loginModules.has(id) || formSchemas.test(id)) return null;
    if (barModules.has(id)) return "bar";
    const names = listModules.filter(({ modules }) => modules.has(id)).map(({ name }) => name);
    if (names.length === 0) return cards.test(id) ? "cards" : null;
    if (names.length > 2 && dashboardModules.has(id)) return "page";
    const isOfLogs = names.includes("log");
    if (names.length > 2 || (isOfLogs && names.length > 1 && components.test(id)))
      return isOfLogs ? "list" : "choice";
    return `${names.join("-")}-list`;
  };
}

/**
 * The files of the icons that a module imports by name: `RotateCw` is in `rotate-cw`. An old name
 * of an icon is not found.
 */
const iconFilesIn = (code: string): string[] =>
  [...code.matchAll(/import\s*\{([^}]*)\}\s*from\s*"lucide-react"/g)].flatMap(([, names = ""]) =>
    names.split(",").map((name) =>
      name
        .trim()
        .replace(/ as .*/, "")
        .replace(/([a-z0-9])([A-Z])/g, "$1-$2")
        .replace(/([a-zA-Z])(\d)/g, "$1-$2")
        .toLowerCase(),
    ),
  );
