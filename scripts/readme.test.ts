// The pages at the front door list the commands that exist and lead somewhere.
import { existsSync, globSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { localCommands } from "@tollgate/gateway/commands/command-line/command-table.ts";
import { expect, test } from "vitest";
import packageJson from "../package.json" with { type: "json" };

const root = join(import.meta.dirname, "..");
const read = (file: string): string => readFileSync(join(root, file), "utf8");

/** The first cells of the table of a page under a heading of its first column. */
function readTable(page: string, column: string): string[] {
  const [, rows = ""] = read(page).split(new RegExp(`^\\| ${column} \\|.*\\n\\|[-|]+\\n`, "m"));
  const [table = ""] = rows.split(/\n(?!\|)/);
  return [...table.matchAll(/^\| `([^`]+)`/gm)].map(([, name = ""]) => name);
}

test("the table of subcommands names those of the program, in its order", () => {
  expect(readTable("docs/command-line.md", "Subcommand")).toEqual(
    localCommands.map(({ name }) => name),
  );
});

test("every npm command exists", () => {
  const commands = readTable("CONTRIBUTING.md", "Command").map((command) =>
    command.replace(/^npm (run )?/, ""),
  );
  expect(commands).toContain("start");
  for (const command of commands) expect(Object.keys(packageJson.scripts)).toContain(command);
});

test("links and pictures lead somewhere", () => {
  for (const file of [
    ...globSync("*.md", { cwd: root }),
    ...globSync("{docs,gateway/src,trust}/**/*.md", { cwd: root }),
  ]) {
    for (const [, link, source] of read(file).matchAll(
      /\]\((?!https?:)([^)#\s]+)(?:#[^)]*)?\)|\bsrc(?:set)?="(?!https?:)([^"]+)"/g,
    )) {
      const target = link ?? source ?? "";
      expect(existsSync(join(root, dirname(file), target)), `${file} → ${target}`).toBe(true);
    }
  }
});

test("README.md is short, and docs/README.md lists every page", () => {
  expect(read("README.md").split("\n").length).toBeLessThanOrEqual(120);
  const index = read("docs/README.md");
  const pages = globSync("{*,assurance/*}.md", { cwd: join(root, "docs") }).filter(
    (page) => page !== "README.md",
  );
  expect(pages.filter((page) => !index.includes(`](${page})`))).toEqual([]);
});
