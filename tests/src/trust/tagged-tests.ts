// The tests that carry promises as tags, those that are large and the variants, read from their
// sources without running anything.
import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { parseSync, Visitor } from "vite";
import { largeTag } from "../../../scripts/test-tags.ts";
import { repositoryDir } from "../harness/repository-dir.ts";

export interface TaggedTest {
  /** `file` comes from the repository's folder. */
  file: string;
  /** `line` is where Vitest locates it: for a table of tests, the line behind the table. */
  line: number;
  /** The title in the source, with its placeholders. */
  title: string;
  /** `tags` come with `large` where the suite around it has that tag. */
  tags: string[];
  /** `callee` is for example `test.skip`. */
  callee: string;
}

const testFiles = [
  "{contract,gateway,simulator,console,tests,trust}/src/**/*.test.{ts,tsx}",
  "scripts/**/*.test.ts",
];

/** In the order of their files and lines. */
export const taggedTests = (): TaggedTest[] =>
  globSync(testFiles, { cwd: repositoryDir })
    .sort()
    .flatMap((file) => taggedTestsIn(file, readFileSync(join(repositoryDir, file), "utf8")));

export function taggedTestsIn(file: string, source: string): TaggedTest[] {
  if (!/\btags: \[/.test(source)) return [];
  const { program, errors } = parseSync(file, source);
  if (errors[0]) throw new Error(`${file} cannot be parsed: ${errors[0].message}`);
  const found: (TaggedTest & { start: number; end: number })[] = [];
  new Visitor({
    CallExpression({ start, end, callee, arguments: [title, options] }) {
      if (!/^(test|describe)\b/.test(source.slice(callee.start, callee.end))) return;
      if (title === undefined || options?.type !== "ObjectExpression") return;
      const tags = options.properties.flatMap((property) =>
        property.type === "Property" &&
        property.value.type === "ArrayExpression" &&
        nameOf(property.key) === "tags"
          ? property.value.elements.flatMap((element) =>
              element?.type === "Literal" ? String(element.value) : [],
            )
          : [],
      );
      if (tags.length === 0) return;
      found.push({
        file,
        line: source.slice(0, callee.end).split("\n").length,
        title:
          title.type === "Literal"
            ? String(title.value)
            : source.slice(title.start + 1, title.end - 1),
        tags,
        callee: source.slice(callee.start, callee.end),
        start,
        end,
      });
    },
  }).visit(program);
  const largeSuites = found.filter(
    ({ tags, callee }) => tags.includes(largeTag.name) && callee.startsWith("describe"),
  );
  return found.map(({ start, end, tags, ...test }) => {
    const isInLargeSuite = largeSuites.some((suite) => suite.start < start && end < suite.end);
    return {
      ...test,
      tags: isInLargeSuite && !tags.includes(largeTag.name) ? [...tags, largeTag.name] : tags,
    };
  });
}

const nameOf = (key: { type: string; name?: unknown }): unknown =>
  key.type === "Identifier" ? key.name : undefined;
