// Asking for help, and a word that a command does not take, changes nothing: the folder of a site
// stays as it is, byte by byte.
import { createHash } from "node:crypto";
import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import {
  localCommands,
  remoteCommands,
} from "@tollgate/gateway/commands/command-line/command-table.ts";
import { afterAll, beforeAll, expect, test } from "vitest";
import { testLarge } from "../support/large-tests.ts";
import { runCommand } from "../trust/gateway-command.ts";

let dataDir: string;
beforeAll(async () => {
  dataDir = mkdtempSync(join(tmpdir(), "tollgate-words-"));
  expect(await run("migrate")).toMatchObject({ code: 0 });
});
afterAll(() => rmSync(dataDir, { recursive: true }));

const run = (...words: string[]) => runCommand({ dataDir, databaseUrl: undefined }, ...words);
const contents = (): Record<string, string> =>
  Object.fromEntries(
    readdirSync(dataDir).map((name) => [
      name,
      createHash("sha256")
        .update(readFileSync(join(dataDir, name)))
        .digest("hex"),
    ]),
  );

/** With a value for what a command requires, so that the one word is all that is wrong. */
const required: Readonly<Record<string, string[]>> = {
  backup: ["a-backup"],
  import: ["verify", "one-api.db"],
  plan: ["--file=none.yaml"],
  apply: ["--file=none.yaml"],
};

async function expectNothingDone(name: string): Promise<void> {
  const before = contents();
  const words = [name, ...(required[name] ?? [])];
  const [help, unknown, surplus] = await Promise.all([
    run(...words, "--help"),
    run(...words, "--nonsense"),
    run(...words, "surplus"),
  ]);
  expect(help).toEqual({ code: 0, text: expect.stringContaining(`Usage: tollgate ${name}`) });
  expect(unknown).toEqual({
    code: 64,
    text: expect.stringContaining("unknown option '--nonsense'"),
  });
  expect(surplus).toMatchObject({ code: 64 });
  expect(contents()).toEqual(before);
}

test.each(localCommands)(
  "$name does nothing with a word that it does not take",
  { timeout: 60_000 },
  ({ name }) => expectNothingDone(name),
);

// They read no folder.
testLarge(remoteCommands, { timeout: 60_000 })(
  "$name does nothing with a word that it does not take",
  ({ name }) => expectNothingDone(name),
);

test("help and version are asked for without a command, and a wrong one is refused", {
  timeout: 60_000,
}, async () => {
  const before = contents();
  const [help, version, wrong] = await Promise.all([run("--help"), run("--version"), run("audti")]);
  expect(help).toEqual({ code: 0, text: expect.stringContaining("Commands:") });
  expect(version).toEqual({ code: 0, text: expect.stringMatching(/^tollgate \d.* schema \d+\)$/) });
  expect(wrong).toEqual({ code: 64, text: expect.stringContaining("Did you mean audit?") });
  expect(contents()).toEqual(before);
});
