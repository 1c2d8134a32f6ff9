// Reads every import of a source file with a parser, so that words in comments, strings and JSX do
// not count.
import { parseSync, Visitor } from "vite";

export type ImportStatement = {
  specifier: string;
  line: number;
  /**
   * Removed at run time. `import { type A }` is not: it still loads the file for its side effects.
   */
  isTypeOnly: boolean;
  /** The imported values, "*" for the whole file. */
  values: readonly string[];
};

export function readImports(file: string, source: string): ImportStatement[] {
  const { module, program, errors } = parseSync(file, source);
  const [error] = errors;
  if (error) throw new Error(`${file} cannot be parsed: ${error.message}`);
  const imports: ImportStatement[] = [];
  const add = (specifier: string, start: number, isTypeOnly: boolean, values: readonly string[]) =>
    imports.push({
      specifier,
      line: source.slice(0, start).split("\n").length,
      isTypeOnly,
      values,
    });

  for (const { moduleRequest, entries, start } of module.staticImports) {
    add(moduleRequest.value, start, isTypeImport(source, start), valuesOf(entries));
  }
  for (const { entries, start } of module.staticExports) {
    const from = entries.find(({ moduleRequest }) => moduleRequest)?.moduleRequest;
    if (from) add(from.value, start, isTypeImport(source, start), valuesOf(entries));
  }
  new Visitor({
    ImportExpression({ source: from, start }) {
      if (from.type === "Literal" && typeof from.value === "string")
        add(from.value, start, false, ["*"]);
    },
    TSImportType({ source: from, start }) {
      add(from.value, start, true, []);
    },
  }).visit(program);
  return imports;
}

type ImportedName = { isType: boolean; importName: { name?: string | null | undefined } };

function valuesOf(entries: readonly ImportedName[]): string[] {
  return entries.filter(({ isType }) => !isType).map(({ importName }) => importName.name ?? "*");
}

function isTypeImport(source: string, start: number): boolean {
  return /^(?:import|export)\s+type\s*(?:[{*]|(?!from\b)\w)/.test(source.slice(start, start + 200));
}
