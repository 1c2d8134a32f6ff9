/**
 * Which modules of the pages travel together. Cut by who shares them, what a list loads was thirty files, and most of
 * the wait for it was the way of so many requests. Only for modules that several pages share: what a chunk of them
 * needs is then shared, too, and no two chunks wait for each other.
 */

/** The part of the bundler's context that we use. */
interface ModuleGraph {
  getModuleInfo(id: string): { importedIds: readonly string[] } | null;
}

const signedInBar = ["src/shell/live-area.tsx", "src/shell/signed-in-bar.tsx"];
const login = "src/features/session/login-page.tsx";
const dashboard = "src/features/dashboard/dashboard-page.tsx";
const lists = ["tokens/token", "channels/channel", "logs/log", "redemptions/redemption", "users/user"].map(
  (name) => `src/features/${name}-list-page.tsx`,
);
/** What so many lists need is a matter of lists. */
const listsMin = 3;

/** The name of the chunk of a module, for a console in the folder `root`; null leaves it to the bundler. */
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
    // Whoever signs in must not wait for what comes after it.
    if (loginModules.has(id)) return null;
    if (barModules.has(id)) return "bar";
    if (listModules.filter((one) => one.has(id)).length < listsMin) return null;
    return dashboardModules.has(id) ? "page" : "list";
  };
}
