// A type and a file have one name in the whole repository, so that a stack trace, a hover and a
// search name one thing.
import { posix } from "node:path";
import { parseSync, Visitor } from "vite";
import type { Violation } from "./arrows.ts";

/** Names that say nothing about their subject: qualify them. */
const bareNames = new Set(
  "Answer Args Asked Call Case Data Ending Entry Info Item Json Kind Options Outcome Params Parts Place Props Request Response Result Row Said Step Told Trouble Turn Value Way Wish".split(
    " ",
  ),
);

export interface TypeDeclaration {
  name: string;
  line: number;
}

/** Interfaces, type aliases, classes and enums, also those that a function declares for itself. */
export function readTypeDeclarations(file: string, source: string): TypeDeclaration[] {
  const found: TypeDeclaration[] = [];
  const add = ({ id }: { id: { name: string; start: number } | null }): void => {
    if (id) found.push({ name: id.name, line: source.slice(0, id.start).split("\n").length });
  };
  new Visitor({
    TSInterfaceDeclaration: add,
    TSTypeAliasDeclaration: add,
    ClassDeclaration: add,
    TSEnumDeclaration: add,
  }).visit(parseSync(file, source).program);
  return found;
}

/** `sources` maps paths from the root of the repository, with slashes, to contents. */
export function findNameClashes(sources: ReadonlyMap<string, string>): Violation[] {
  const types = new Map<string, string>();
  const files = new Map<string, string>();
  const violations: Violation[] = [];
  for (const [file, source] of sources) {
    const base = posix.basename(file);
    const sameBase = files.get(base);
    if (sameBase) violations.push({ file, line: 1, message: `has the file name of ${sameBase}` });
    else files.set(base, file);
    for (const { name, line } of readTypeDeclarations(file, source)) {
      const other = types.get(name);
      if (bareNames.has(name))
        violations.push({ file, line, message: `type ${name} says nothing: qualify its name` });
      else if (other)
        violations.push({ file, line, message: `type ${name} is declared in ${other} as well` });
      else types.set(name, file);
    }
  }
  return violations;
}
