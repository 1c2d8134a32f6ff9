// Circles between neighbouring folders, at every level below a root: the folders in them can only
// be read together.
import { findCircles } from "./import-circles.ts";

export type ValueImport = { file: string; target: string };

export type FolderCircle = {
  /** The folder that holds the neighbours. */
  parent: string;
  /** Names in `parent`, the last leading back to the first; at least one is a folder. */
  members: string[];
  /** An import on the way around, to show where to begin. */
  example: ValueImport;
};

/** Only imports below `root` count, and only those of values. */
export function findFolderCircles(imports: readonly ValueImport[], root: string): FolderCircle[] {
  const parted = imports
    .filter(({ file, target }) => file.startsWith(`${root}/`) && target.startsWith(`${root}/`))
    .map((arrow) => ({ ...neighbours(arrow), arrow }))
    .filter(({ from, to }) => from !== to);
  return [...Map.groupBy(parted, ({ parent }) => parent)].flatMap(([parent, level]) => {
    const names = new Set(level.flatMap(({ from, to }) => [from, to]));
    const targets = Map.groupBy(level, ({ from }) => from);
    const graph = new Map(
      [...names].map((name) => [name, (targets.get(name) ?? []).map(({ to }) => to)]),
    );
    return findCircles(graph).flatMap((members): FolderCircle[] => {
      // Circles of files alone are shown as such.
      if (members.every((name) => name.endsWith(".ts"))) return [];
      const example = level.find(({ from, to }) => from === members[0] && to === members[1]);
      return example ? [{ parent, members, example: example.arrow }] : [];
    });
  });
}

/** The two names at which the paths part, and the folder that holds both. */
function neighbours({ file, target }: ValueImport): { parent: string; from: string; to: string } {
  const [path, other] = [file.split("/"), target.split("/")];
  const depth = path.findIndex((name, at) => name !== other[at]);
  if (depth < 0) return { parent: file, from: "", to: "" };
  return {
    parent: path.slice(0, depth).join("/"),
    from: path[depth] ?? "",
    to: other[depth] ?? "",
  };
}
