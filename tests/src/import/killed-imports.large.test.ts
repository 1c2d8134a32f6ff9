// kill -9 at any moment of an import: what it leaves is completed by the next run, and is the same
// as of one clean run.
import { existsSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { setTimeout as sleep } from "node:timers/promises";
import { readSqliteFile } from "@tollgate/gateway/storage/open-database.ts";
import { afterAll, beforeAll, expect, test } from "vitest";
import { eventually } from "../harness/eventually.ts";
import { awkwardRows, createFamilyDatabase, type FamilyRow } from "../support/family-database.ts";
import { runCommand, startCommand } from "../trust/gateway-command.ts";

const usersMany = 1_000;
/** Many batches, so that a kill finds some of them written and others not. */
const logsMany = 40_000;
const secondsPerLog = 600;
/** Not carried, so that no price is compared. */
const goneChannel = 999;
const firstLogSecond = Date.UTC(2026, 0, 1) / 1_000;
const killsMany = 5;
/** Spread over a run; the first kills hit the start of the program. */
const killStepMs = 500;
/** Kills while the log is being written, each further into it. */
const logKillsMany = 3;

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
      ...many((id) => ({
        id,
        username: `user ${id}`,
        password: "",
        quota: (id * 7) % 1_000,
        used_quota: id % 13,
      })),
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
  const source = new DatabaseSync(file);
  source.exec(`
    with recursive n(i) as (select 1 union all select i + 1 from n where i < ${logsMany})
    insert into logs (user_id, created_at, type, content, username, token_name, model_name, prompt_tokens, completion_tokens, quota,
        channel_id, is_stream, elapsed_time)
      select 100 + i % ${usersMany}, ${firstLogSecond} + i * ${secondsPerLog}, 2, '', 'user ' || (100 + i % ${usersMany}), 'one',
        'gpt-4o', 200 + i % 1000, 50 + i % 300, 1 + i % 700, ${goneChannel}, i % 2, 300 + i % 5000 from n`);
  source.close();
});
afterAll(() => rmSync(folder, { recursive: true }));

/** What must not depend on when the runs ended: no ids, times and seals. */
function contentOf(dataDir: string): unknown {
  const db = new DatabaseSync(readSqliteFile(dataDir), { readOnly: true });
  try {
    return [
      `select username, role, users.status, "group", used_quota, request_count, balance, debt, held from users
       join wallets on wallets.id = users.wallet_id where username <> 'root' order by username`,
      "select key_hash, name, status, remain_quota, used_quota, models, subnet from tokens order by key_hash",
      "select name, type, status, models, used_quota from channels order by name, type",
      "select key_hash, status, quota from redemptions order by key_hash",
      "select key from options order by key",
      "select kind, debit like 'wallet:%' as debits, count(*) as entries, cast(sum(amount) as text) as amount from ledger group by 1, 2 order by 1, 2",
      "select entity, source_id, case when entity = 'log' then state else '' end as state from imported order by 1, 2",
      `select user_id > 0 as known, model_name, count(*) as calls, sum(quota) as quota, sum(prompt_tokens) as prompt, min(id) as oldest,
         max(id) as newest from logs where type = 2 group by 1, 2 order by 1, 2`,
      "select kind, subject, row_count, kept_calls, calls, quota, prompt_tokens from imported_log_sums order by 1, 2",
      "select day, sum(requests) as requests, sum(quota) as quota from rollup_day_user_model group by 1 order by 1",
    ].map((query) => db.prepare(query).all());
  } finally {
    db.close();
  }
}

/**
 * The last row of the source's log that is carried; 0 before the first batch, also where a kill
 * came before the schema was whole.
 */
function carriedLogs(dataDir: string): number {
  if (!existsSync(readSqliteFile(dataDir))) return 0;
  const db = new DatabaseSync(readSqliteFile(dataDir), { readOnly: true });
  try {
    if (db.prepare("select 1 from sqlite_master where name = 'imported'").get() === undefined)
      return 0;
    const row = db.prepare("select state from imported where entity = 'log'").get() as
      | { state: string }
      | undefined;
    return row === undefined ? 0 : Number((JSON.parse(row.state) as { after: number }).after);
  } finally {
    db.close();
  }
}

/** A running import that has carried more of the log than those before it. */
async function importFurther(
  target: Parameters<typeof startCommand>[0],
): Promise<ReturnType<typeof startCommand>> {
  const begunAt = carriedLogs(target.dataDir);
  for (;;) {
    const program = startCommand(target, ["import", file, "--logs"]);
    let hasEnded = false;
    void program.exited.then(() => {
      hasEnded = true;
    });
    const isFurther = await eventually(
      () => {
        if (carriedLogs(target.dataDir) > begunAt) return true;
        if (hasEnded) return false;
        throw new Error(`the import stays at row ${begunAt}`);
      },
      // Seldom: a look at the very moment in which the program recovers the file locks it out, and
      // it ends.
      { timeoutMs: 60_000, everyMs: 50 },
    );
    if (isFurther) return program;
  }
}

test("an import that is killed again and again ends as one that was never killed", async () => {
  const clean = { dataDir: join(folder, "clean"), databaseUrl: undefined };
  const killed = { dataDir: join(folder, "killed"), databaseUrl: undefined };
  expect((await runCommand(clean, "import", file, "--logs")).text).toContain("The books agree.");
  for (let kill = 1; kill <= killsMany; kill += 1) {
    const program = startCommand(killed, ["import", file]);
    await Promise.race([sleep(kill * killStepMs), program.exited]);
    program.kill("SIGKILL");
    await program.exited;
  }
  for (let kill = 1; kill <= logKillsMany; kill += 1) {
    const program = await importFurther(killed);
    program.kill("SIGKILL");
    await program.exited;
    expect(carriedLogs(killed.dataDir)).toBeLessThan(logsMany);
  }
  const last = await runCommand(killed, "import", file, "--logs");
  expect(last.text).toContain("The books agree.");
  expect(contentOf(killed.dataDir)).toEqual(contentOf(clean.dataDir));
  expect((await runCommand(killed, "import", "verify", file)).text).toContain(" 0 differences.");
});
