/**
 * Which modules of the pages travel together. Cut by who shares them, what a list loads was thirty files, and most of
 * the wait for it was the way of so many requests. Only for modules that several pages share: what a chunk of them
 * needs is then shared, too, and no two chunks wait for each other.
 */

/** The part of the bundler's context that we use. */
interface Graph {
  getModuleInfo(id: string): { importedIds: readonly string[] } | null;
}

const bar = ["src/shell/live-area.tsx", "src/shell/signed-in-bar.tsx"];
const login = "src/features/session/login-page.tsx";
const dashboard = "src/features/dashboard/dashboard-page.tsx";
const lists = ["tokens/token", "channels/channel", "logs/log", "redemptions/redemption", "users/user"].map(
  (name) => `src/features/${name}-list-page.tsx`,
);
/** What so many lists need is a matter of lists. */
const manyLists = 3;

/** The name of the chunk of a module, for a console in the folder `root`; null leaves it to the bundler. */
export function sharedChunks(root: string): (id: string, graph: Graph) => string | null {
  let nameOf: ((id: string) => string | null) | undefined;
  return (id, graph) => {
    nameOf ??= namesIn(graph, root);
    return nameOf(id);
  };
}

function namesIn(graph: Graph, root: string): (id: string) => string | null {
  const reachedFrom = (...pages: string[]): Set<string> => {
    const found = new Set<string>();
    const due = pages.map((page) => `${root}/${page}`);
    for (let id = due.pop(); id !== undefined; id = due.pop()) {
      if (found.has(id)) continue;
      found.add(id);
      due.push(...(graph.getModuleInfo(id)?.importedIds ?? []));
    }
    return found;
  };
  const [ofBar, ofLogin, ofDashboard] = [reachedFrom(...bar), reachedFrom(login), reachedFrom(dashboard)];
  const ofLists = lists.map((page) => reachedFrom(page));
  return (id) => {
    // Whoever signs in must not wait for what comes after it.
    if (ofLogin.has(id)) return null;
    if (ofBar.has(id)) return "bar";
    if (ofLists.filter((one) => one.has(id)).length < manyLists) return null;
    return ofDashboard.has(id) ? "page" : "list";
  };
}
