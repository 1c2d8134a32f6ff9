// kill -9 at any moment of an import: what it leaves is completed by the next run, and is the same as of one clean run.
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { setTimeout as sleep } from "node:timers/promises";
import { sqliteFile } from "@tollgate/gateway/storage/open-database.ts";
import { afterAll, beforeAll, expect, test } from "vitest";
import { awkwardRows, createFamilyDatabase, type FamilyRow } from "../support/family-database.ts";
import { runCommand, startCommand } from "../trust/gateway-command.ts";

const usersMany = 1_000;
const killsMany = 5;
/** Spread over a run; the first kills hit the start of the program. */
const killStepMs = 500;

const many = (from: (index: number) => FamilyRow): FamilyRow[] =>
  Array.from({ length: usersMany }, (_, index) => from(index + 100));

let folder: string;
let file: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "tollgate-killed-import-"));
  file = join(folder, "one-api.db");
  const rows = awkwardRows("one-api");
  createFamilyDatabase(file, "one-api", {
    ...rows,
    users: [
      ...(rows.users ?? []),
      ...many((id) => ({ id, username: `user ${id}`, password: "", quota: (id * 7) % 1_000, used_quota: id % 13 })),
    ],
    tokens: [
      ...(rows.tokens ?? []),
      ...many((id) => ({
        id,
        user_id: id,
        key: `key${id}`.padEnd(48, "y"),
        name: "one",
        remain_quota: id,
        used_quota: id % 5,
      })),
    ],
  });
});
afterAll(() => rmSync(folder, { recursive: true }));

/** What must not depend on when the runs ended: no ids, times and seals. */
function contentOf(dataDir: string): unknown {
  const db = new DatabaseSync(sqliteFile(dataDir), { readOnly: true });
  try {
    return [
      `select username, role, users.status, "group", used_quota, request_count, balance, debt, held from users
       join wallets on wallets.id = users.wallet_id where username <> 'root' order by username`,
      "select key_hash, name, status, remain_quota, used_quota, models, subnet from tokens order by key_hash",
      "select name, type, status, models, used_quota from channels order by name, type",
      "select key_hash, status, quota from redemptions order by key_hash",
      "select key from options order by key",
      "select kind, debit like 'wallet:%' as debits, count(*) as entries, cast(sum(amount) as text) as amount from ledger group by 1, 2 order by 1, 2",
      "select entity, source_id from imported order by 1, 2",
    ].map((query) => db.prepare(query).all());
  } finally {
    db.close();
  }
}

test("an import that is killed again and again ends as one that was never killed", async () => {
  const clean = { dataDir: join(folder, "clean"), databaseUrl: undefined };
  const killed = { dataDir: join(folder, "killed"), databaseUrl: undefined };
  expect((await runCommand(clean, "import", file)).text).toContain("The books agree.");
  for (let kill = 1; kill <= killsMany; kill += 1) {
    const program = startCommand(killed, ["import", file]);
    await Promise.race([sleep(kill * killStepMs), program.exited]);
    program.kill("SIGKILL");
    await program.exited;
  }
  const last = await runCommand(killed, "import", file);
  expect(last.text).toContain("The books agree.");
  expect(contentOf(killed.dataDir)).toEqual(contentOf(clean.dataDir));
  // The key without an owner.
  expect((await runCommand(killed, "import", "verify", file)).text).toContain(" 1 differences.");
});
