// Circles in a graph of files: every group of files that reach each other, shown by one shortest
// way around.

export type ImportGraph = ReadonlyMap<string, readonly string[]>;

/** Each circle once, as the files along it; the last leads back to the first. */
export function findCircles(graph: ImportGraph): string[][] {
  return knots(graph).map((knot) => shortestWayAround(graph, knot));
}

/** Tarjan's strongly connected components, those of one file only when it imports itself. */
function knots(graph: ImportGraph): Set<string>[] {
  const found: Set<string>[] = [];
  const order = new Map<string, number>();
  const lowest = new Map<string, number>();
  const open: string[] = [];

  function visit(file: string): number {
    const number = order.size;
    order.set(file, number);
    open.push(file);
    let low = number;
    for (const next of graph.get(file) ?? []) {
      const known = order.get(next);
      if (known === undefined) low = Math.min(low, visit(next));
      else if (open.includes(next)) low = Math.min(low, known, lowest.get(next) ?? known);
    }
    lowest.set(file, low);
    if (low < number) return low;
    const knot = new Set(open.splice(open.indexOf(file)));
    if (knot.size > 1 || graph.get(file)?.includes(file)) found.push(knot);
    return low;
  }

  for (const file of graph.keys()) if (!order.has(file)) visit(file);
  return found;
}

function shortestWayAround(graph: ImportGraph, knot: ReadonlySet<string>): string[] {
  const first = [...knot].sort()[0] ?? "";
  const paths = [[first]];
  const seen = new Set<string>();
  for (const path of paths) {
    for (const next of graph.get(path.at(-1) ?? "") ?? []) {
      if (next === first) return path;
      if (!knot.has(next) || seen.has(next)) continue;
      seen.add(next);
      paths.push([...path, next]);
    }
  }
  return [first];
}
