// Where no database is, only a start, a migration and an import make one: another command would
// find its own empty one in order.
import { mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { createDatabase, dropDatabase } from "../harness/postgres-cluster.ts";
import { createFamilyDatabase } from "../support/family-database.ts";
import { runCommand } from "../trust/gateway-command.ts";

let folder: string;
const dataDir = () => join(folder, "data");
const run = (...words: string[]) =>
  runCommand({ dataDir: dataDir(), databaseUrl: undefined }, ...words);
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "tollgate-absent-"));
});
afterEach(() => rmSync(folder, { recursive: true }));

test("a command that reads a database refuses a folder without one, names it and makes nothing", {
  timeout: 60_000,
}, async () => {
  const file = join(folder, "one-api.db");
  createFamilyDatabase(file, "one-api", {});
  const commands = [
    ["audit"],
    ["audit", "--trail"],
    ["backup", join(folder, "copy")],
    ["doctor"],
    ["usernames"],
    ["rotate-key", "--yes"],
    ["root-password", "--yes"],
    ["import", "verify", file],
  ];
  for (const words of commands) {
    const { code, text } = await run(...words);
    expect([code, text], words.join(" ")).toEqual([
      1,
      expect.stringMatching(
        /^(Source: .*\n)?Database: .*tollgate\.db\n(tollgate: |problem {2})there is no database /,
      ),
    ]);
  }
  expect(readdirSync(folder)).toEqual(["one-api.db"]);
});

test("a migration makes both, and without its key no gateway starts on the database", {
  timeout: 60_000,
}, async () => {
  expect(await run("migrate")).toMatchObject({ code: 0 });
  expect(readdirSync(dataDir()).toSorted()).toEqual(["master.key", "tollgate.db", "tollgate.lock"]);
  rmSync(join(dataDir(), "master.key"));
  for (const words of [["serve"], ["import", "none.db"], ["rotate-key", "--yes"]]) {
    const { code, text } = await run(...words);
    if (words[0] !== "import") expect(text).toContain("there is no master.key in");
    expect(code, words[0]).toBe(1);
  }
  expect(await run("doctor")).toMatchObject({
    code: 1,
    text: expect.stringContaining("problem  there is no master.key"),
  });
  expect(await run("audit")).toMatchObject({
    code: 0,
    text: expect.stringMatching(/^Database: .*\nThe books agree\.$/),
  });
  expect(readdirSync(dataDir())).not.toContain("master.key");
});

test.runIf(process.env.TEST_POSTGRES_URL)(
  "an empty PostgreSQL is refused and named",
  { timeout: 60_000 },
  async () => {
    const databaseUrl = await createDatabase();
    try {
      const { code, text } = await runCommand({ dataDir: dataDir(), databaseUrl }, "audit");
      const name = new URL(databaseUrl).pathname.slice(1);
      expect([code, text]).toEqual([
        1,
        expect.stringMatching(
          new RegExp(
            `^Database: the PostgreSQL database ${name} at .*\\ntollgate: there is no Tollgate in`,
          ),
        ),
      ]);
    } finally {
      await dropDatabase(databaseUrl);
    }
  },
);
