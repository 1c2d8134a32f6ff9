import { spawnSync } from "node:child_process";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import workspace from "../package.json" with { type: "json" };
import { readScriptArguments } from "./script-options.ts";

const root = join(import.meta.dirname, "..");
const command = {
  command: "npm run bake",
  summary: "bakes",
  options: {
    hot: { type: "boolean", help: "without waiting" },
    minutes: { type: "string", default: "20", value: "N", help: "how long" },
  },
  names: ["bread", "cake"],
} as const;
const read = (...args: string[]) => readScriptArguments(command, args);

test("options have their values or the usual ones, and names are read beside them", () => {
  expect(read()).toEqual({ values: { hot: false, minutes: "20" }, names: [] });
  expect(read("--minutes", "5", "cake", "--hot")).toEqual({
    values: { hot: true, minutes: "5" },
    names: ["cake"],
  });
});

test("the help names the options, the usual values and what may be named", () => {
  expect(read("cake", "--help")).toEqual({
    help: [
      "npm run bake -- [options] [bread|cake …]: bakes",
      "  --hot        without waiting",
      "  --minutes N  how long (20)",
    ].join("\n"),
  });
});

test.each([
  [["--cold"], "Unknown option '--cold'. npm run bake -- --help says what there is."],
  [["stone"], 'npm run bake does not know "stone". npm run bake -- --help says what there is.'],
  [
    ["--minutes"],
    "Option '--minutes <value>' argument missing. npm run bake -- --help says what there is.",
  ],
])("%j is refused with what to do", (args, problem) => {
  expect(read(...args)).toEqual({ problem });
});

/** Other makers' programs, and the gateway itself, have a help of their own. */
const ours = Object.entries(workspace.scripts).flatMap(([name, line]) => {
  const words = line.split(" ");
  return words[0] === "node" && name !== "start" ? [{ name, args: words.slice(1) }] : [];
});

test.each(ours)(
  "npm run $name has a help and refuses an option that it does not know",
  ({ name, args }) => {
    const run = (option: string) => {
      const { status, stdout, stderr } = spawnSync(process.execPath, [...args, option], {
        cwd: root,
        encoding: "utf8",
      });
      return { status, stdout, stderr };
    };
    const help = run("--help");
    expect(help).toMatchObject({ status: 0, stderr: "" });
    expect(help.stdout).toMatch(new RegExp(`^npm (?:run )?${name}\\b`));
    const refused = run("--no-such-option");
    expect(refused.status).toBeGreaterThan(0);
    expect(refused.stdout).toBe("");
    expect(refused.stderr).toMatch(/no-such-option.*--help/s);
  },
);

test("scripts read their command line in one way", () => {
  const others = readdirSync(import.meta.dirname)
    .filter((name) => name.endsWith(".ts") && !name.endsWith(".test.ts"))
    .filter((name) =>
      /process\.argv(?!\[1\])/.test(readFileSync(join(import.meta.dirname, name), "utf8")),
    )
    .filter((name) => name !== "script-options.ts");
  // The first four pass everything on; `npm test` is `npm run check` by one of its options.
  expect(others.toSorted()).toEqual([
    ...["debian-start.ts", "executable-start.ts", "packaged-start.ts", "supervise-gateway.ts"],
    "test.ts",
  ]);
});
