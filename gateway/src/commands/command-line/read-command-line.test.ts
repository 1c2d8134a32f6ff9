// The one parser of all commands: what is not in the table is refused before anything is opened.
import { expect, test } from "vitest";
import type { CommandRow } from "./command-row.ts";
import { localCommands, remoteCommands } from "./command-table.ts";
import { readCommandLine } from "./read-command-line.ts";
import { listResourceRows } from "./resource-verbs.ts";

const rows: readonly CommandRow[] = [...localCommands, ...remoteCommands, ...listResourceRows()];
/** With what it requires, so that nothing else is wrong. */
const typed = ({ name, args = [], options = [] }: CommandRow): string[] => [
  ...name.split(" "),
  ...args.map((argument) => (argument.name === "verify" ? "verify" : "one")),
  ...options.flatMap((option) => (option.isRequired ? [`--${option.name}=one`] : [])),
];
const read = (line: string) => readCommandLine(line.split(" "));
const problemOf = async (line: string): Promise<string> => {
  const reading = await read(line);
  return reading.kind === "wrong" ? reading.problem : reading.kind;
};

test.each(rows)(
  "$name: help names each option, and what it does not take is refused",
  async (row) => {
    const words = typed(row);
    for (const flag of ["--help", "-h"]) {
      const help = await readCommandLine([...words, flag], 200);
      if (help.kind !== "help") throw new Error(`${row.name} ${flag} gives no help`);
      for (const { name, help: says, isHidden } of row.options ?? [])
        expect(help.text.includes(`--${name}`) && help.text.includes(says.slice(0, 20)), name).toBe(
          isHidden !== true,
        );
      expect(help.text.includes("--yes")).toBe(row.asksBefore !== undefined);
    }
    expect(await readCommandLine(words)).toMatchObject({
      kind: "command",
      input: { name: row.name },
    });
    for (const surplus of ["--nonsense", "--help=yes", "-x", "surplus"])
      expect(await readCommandLine([...words, surplus]), surplus).toMatchObject({
        kind: "wrong",
        problem: expect.stringContaining(`tollgate ${row.name} --help`),
      });
  },
);

test("a wrong word is refused with the nearest one", async () => {
  expect(await problemOf("audti")).toContain("Did you mean audit?");
  expect(await problemOf("users lst")).toContain("Did you mean list?");
  expect(await problemOf("rotate-key --ye")).toContain("Did you mean --yes?");
  expect(await problemOf("import --pan one-api.db")).toContain("Did you mean --plan?");
  expect(await problemOf("keys")).toMatch(/^keys takes list, .*delete\n/);
  expect(await problemOf("help nope")).toContain("unknown command 'nope'");
});

test("an option belongs to the command before it, and no option is the value of another", async () => {
  expect(await problemOf("audit --version")).toContain("unknown option '--version'");
  expect(await problemOf("--processes 4")).toContain("unknown option '--processes'");
  expect(await problemOf("apply -f --prune")).toContain(
    "-f takes a value, and --prune is an option",
  );
  expect(await problemOf("apply -f")).toContain("argument missing");
  expect(await problemOf("apply --prune=false -f one")).toContain("unknown option '--prune'");
  expect(await problemOf("audit --from=2026-01-01")).toContain("--from belongs to --usage");
  expect(await problemOf("rotate-key -- --help")).toContain("too many arguments");
});

test("values arrive as they were typed", async () => {
  expect(await read("import verify one-api.db --keep-root a --keep-root b --all")).toEqual({
    kind: "command",
    input: {
      name: "import",
      args: ["verify", "one-api.db"],
      options: expect.objectContaining({ "keep-root": ["a", "b"], all: true, plan: undefined }),
    },
  });
  expect(await read("audit --trail")).toMatchObject({ input: { options: { trail: true } } });
  expect(await read("users list --p -1 --keyword --name=x")).toMatchObject({ kind: "wrong" });
  expect(await read("users list --p -1 --keyword=--name")).toMatchObject({
    input: { options: { p: "-1", keyword: "--name" } },
  });
  expect(await read("apply -f - --name=")).toMatchObject({
    input: { options: { file: "-", name: "" } },
  });
});

test("help and version are asked for by all of their names", async () => {
  for (const line of ["--help", "-h", "help", "help audit", "users --help", "help users"])
    expect((await read(line)).kind, line).toBe("help");
  expect(await read("--version")).toEqual({ kind: "version" });
});
