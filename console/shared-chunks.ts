/**
 * Assigns modules that several pages share to a few named chunks, as `codeSplitting` groups of the bundler.
 *
 * What: "bar" is what the signed-in frame needs, "list" what at least three list pages import, "page" the part of that
 * which the dashboard imports as well, "choice" what all lists but the logs need. All others are left to the bundler, and
 * so is everything the sign-in page needs.
 *
 * Why: the bundler's default makes one chunk per set of importing pages: a list page then loaded thirty files, and most
 * of its load time was the number of requests.
 *
 * Relies on: the page paths below. Only shared modules may be assigned: then everything such a chunk imports is shared
 * as well, and no two chunks import each other. `check-budget.ts` limits size and number of files of each page.
 *
 * Removable when: the bundler can merge small chunks by itself without adding modules to pages that do not need them.
 */

/** The part of the bundler's context used here. */
interface ModuleGraph {
  getModuleInfo(id: string): { importedIds: readonly string[] } | null;
}

const signedInBar = ["src/shell/live-area.tsx", "src/shell/signed-in-bar.tsx"];
const login = "src/features/session/login-page.tsx";
const dashboard = "src/features/dashboard/dashboard-page.tsx";
const lists = ["tokens/token", "channels/channel", "logs/log", "redemptions/redemption", "users/user"].map(
  (name) => `src/features/${name}-list-page.tsx`,
);
/** The boxes before rows: every list has them but the logs, the heaviest page. */
const choiceModules = ["src/components/bulk/use-row-selection.ts", "src/ui/data-table-selection.tsx"];
/** A module that this many list pages import belongs to the lists' chunk. */
const listsMin = 3;

/** Returns the chunk name of a module of the console in folder `root`; null leaves the choice to the bundler. */
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
  const [barModules, loginModules, dashboardModules] = [
    reachedFrom(...signedInBar),
    reachedFrom(login),
    reachedFrom(dashboard),
  ];
  const listModules = lists.map((page) => reachedFrom(page));
  return (id) => {
    // The sign-in page must not load code that only later pages need.
    if (loginModules.has(id)) return null;
    if (barModules.has(id)) return "bar";
    if (listModules.filter((one) => one.has(id)).length < listsMin) return null;
    if (choiceModules.some((module) => id.endsWith(module))) return "choice";
    return dashboardModules.has(id) ? "page" : "list";
  };
}
