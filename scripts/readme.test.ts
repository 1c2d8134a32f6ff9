// README.md lists the variables that the program reads and the commands that exist.
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { localCommands } from "@tollgate/gateway/command-line/command-table.ts";
import { expect, test } from "vitest";
import packageJson from "../package.json" with { type: "json" };

const root = join(import.meta.dirname, "..");
const read = (file: string): string => readFileSync(join(root, file), "utf8");
const readme = read("README.md");

/** The first cells of the table under a heading of its first column. */
function tableOf(column: string): string[] {
  const [, rows = ""] = readme.split(new RegExp(`^\\| ${column} \\|.*\\n\\|[-|]+\\n`, "m"));
  const [table = ""] = rows.split(/\n(?!\|)/);
  return [...table.matchAll(/^\| `([^`]+)`/gm)].map(([, name = ""]) => name);
}

test("the configuration table names the variables of config-variables.ts, in its order", () => {
  const [, variables = ""] =
    /^export const variables = \{\n([\s\S]*?)\n\} as const;/m.exec(read("gateway/src/config-variables.ts")) ?? [];
  const names = [...variables.matchAll(/^ {2}([A-Z_]+):/gm)].map(([, name]) => name);
  expect(names.length).toBeGreaterThan(5);
  expect(tableOf("Variable")).toEqual(names);
});

test("the table of subcommands names those of the program, in its order", () => {
  expect(tableOf("Subcommand")).toEqual(localCommands.map(({ name }) => name));
});

test("every npm command exists", () => {
  const commands = tableOf("Command").map((command) => command.replace(/^npm (run )?/, ""));
  expect(commands).toContain("start");
  for (const command of commands) expect(Object.keys(packageJson.scripts)).toContain(command);
});

test("links and pictures lead somewhere", () => {
  for (const file of ["README.md", "ARCHITECTURE.md", "AGENTS.md"]) {
    for (const [, target = ""] of read(file).matchAll(/\]\((?!https?:)([^)#]+)\)/g)) {
      expect(existsSync(join(root, target)), `${file} → ${target}`).toBe(true);
    }
  }
});
