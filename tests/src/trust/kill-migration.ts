// The last schema before version 0.1.0 with many rows, migrated by a process that is killed on the
// way: the next process must find the database as it was or as it should be, and never in between.
import { cpSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { setTimeout as pause } from "node:timers/promises";
import { readSqliteFile } from "@tollgate/gateway/storage/open-database.ts";
import { configureSqlite } from "@tollgate/gateway/storage/sqlite-connection.ts";
import { gatewayEnvironment, gatewayFlags } from "../../../scripts/gateway-node-options.ts";
import { startProgram } from "../harness/child-process.ts";
import { queryRows } from "../harness/gateway-database.ts";
import { createDatabase, dropDatabase } from "../harness/postgres-cluster.ts";
import { inPostgres, restoreOldPostgres, restoreOldSqlite } from "../support/old-databases.ts";

export interface KillMigrationOptions {
  store: "sqlite" | "postgres";
  /** Rows of the log; a tenth as many users, each with a wallet and a grant. */
  rows: number;
  kills: number;
  /** Another PostgreSQL server than that of the tests. */
  serverUrl?: string;
}

export interface KillMigrationResult {
  /** Kills that interrupted the process. */
  interrupted: number;
  /** `findings` are what is wrong; empty when all is well. */
  findings: string[];
  /** `wholeMs` says how long one whole migration took. */
  wholeMs: number;
}

interface MigratedDatabase {
  dataDir: string;
  databaseUrl: string | undefined;
}

const granted = 500;
/** Above the ids of the restored wallets. */
const firstWallet = 1_000;

const numbers = (count: number): string =>
  `with recursive n(i) as (select 1 union all select i + 1 from n where i < ${count})`;
const filling = (rows: number): string[] => [
  `${numbers(rows / 10)} insert into wallets (id, uuid, balance, held, created_at)
   select ${firstWallet} + i, 'w' || i, ${granted}, 0, 1 from n`,
  `${numbers(rows / 10)} insert into users (uuid, username, display_name, email, password_hash, role, status, "group",
     wallet_id, used_quota, request_count, must_change_password, access_token_hash, created_at, updated_at)
   select 'u' || i, 'user' || i, '', 'Mail' || i || '@Example.org', 'h', 1, 1, 'default', ${firstWallet} + i,
     0, 0, 0, null, 1, 1 from n`,
  `${numbers(rows / 10)} insert into ledger (billing_id, kind, debit, credit, amount, user_id, token_id, channel_id, created_at)
   select i * 4096, 'grant', 'issuance', 'wallet:' || (${firstWallet} + i), ${granted}, null, null, null, 1 from n`,
  `${numbers(rows)} insert into logs (id, type, user_id, username, token_id, token_name, channel_id, channel_name, model_name,
     origin_model_name, quota, prompt_tokens, completion_tokens, cached_prompt_tokens, cache_write_5m_tokens,
     cache_write_1h_tokens, elapsed_ms, ttft_ms, is_stream, outcome, content, price)
   select 100000000 + i * 4096, 2, i % 100, 'user', 1, 'token', 1, 'channel', 'model' || (i % 50), 'model', 0, 1, 1, 0, 0, 0,
     1, 1, 0, 'success', 'a row of the log', null from n`,
];

/** Everything that must be as it was, and the shape of the tables. */
async function stateOf(place: MigratedDatabase): Promise<string> {
  const shape = place.databaseUrl
    ? `select table_name || '.' || column_name || ' ' || data_type as line from information_schema.columns where table_schema = 'public'
       union all select indexdef from pg_indexes where schemaname = 'public'
       union all select proname || md5(prosrc) from pg_proc where pronamespace = 'public'::regnamespace`
    : "select sql as line from sqlite_master where sql is not null";
  const lines = await queryRows<{ line: string }>(
    place,
    `select line from (${shape}) as shape order by line`,
  );
  const sums = await queryRows(
    place,
    `select (select count(*) from logs) as logs, (select count(*) from users) as users,
       (select count(*) from users where email <> lower(email)) as mails, (select sum(balance) from wallets) as balance,
       (select sum(amount) from ledger) as ledger, (select count(*) from migrations) as migrations,
       (select count(region) from logs) as regions`,
  );
  return JSON.stringify([sums, lines]);
}

/** Runs the migrations in a process that ends by itself or is killed after `killAfterMs`. */
async function migrate({ dataDir, databaseUrl }: MigratedDatabase, killAfterMs?: number) {
  const program = startProgram({
    file: process.execPath,
    args: [...gatewayFlags, join(import.meta.dirname, "large-migration.ts")],
    env: {
      PATH: process.env.PATH,
      ...gatewayEnvironment,
      DATA_DIR: dataDir,
      ...(databaseUrl && { DATABASE_URL: databaseUrl }),
    },
  });
  const isOver = new AbortController();
  if (killAfterMs !== undefined) {
    pause(killAfterMs, undefined, { signal: isOver.signal }).then(
      () => program.kill("SIGKILL"),
      () => undefined,
    );
  }
  const exit = await program.exited;
  isOver.abort();
  return { ...exit, output: program.output() };
}

async function createLargeDatabase(
  { store, rows, serverUrl }: KillMigrationOptions,
  dataDir: string,
): Promise<MigratedDatabase> {
  if (store === "sqlite") {
    restoreOldSqlite(dataDir);
    const db = configureSqlite(new DatabaseSync(readSqliteFile(dataDir)));
    for (const statement of filling(rows)) db.exec(statement);
    db.close();
    return { dataDir, databaseUrl: undefined };
  }
  const databaseUrl = await createDatabase(undefined, serverUrl);
  await restoreOldPostgres(databaseUrl);
  await inPostgres(databaseUrl, async (client) => {
    for (const statement of filling(rows)) await client.query(statement);
  });
  return { dataDir, databaseUrl };
}

export async function killMigrations(killing: KillMigrationOptions): Promise<KillMigrationResult> {
  const { kills, serverUrl } = killing;
  const folder = mkdtempSync(join(tmpdir(), "tollgate-migration-"));
  const databases: string[] = [];
  let copies = 0;
  const copyOf = async (place: MigratedDatabase): Promise<MigratedDatabase> => {
    copies += 1;
    const dataDir = join(folder, `copy-${copies}`);
    cpSync(place.dataDir, dataDir, { recursive: true });
    if (!place.databaseUrl) return { dataDir, databaseUrl: undefined };
    const databaseUrl = await createDatabase(place.databaseUrl, serverUrl);
    databases.push(databaseUrl);
    return { dataDir, databaseUrl };
  };
  try {
    const dataDir = mkdtempSync(join(folder, "old-"));
    const place = await createLargeDatabase(killing, dataDir);
    if (place.databaseUrl) databases.push(place.databaseUrl);
    const straight = await copyOf(place);
    const startedAt = performance.now();
    const done = await migrate(straight);
    const wholeMs = performance.now() - startedAt;
    const findings: string[] =
      done.code === 0 ? [] : [`without a kill it ended with ${done.code}: ${done.output}`];
    const expected = await stateOf(straight);
    let interrupted = 0;
    for (let kill = 0; kill < kills; kill += 1) {
      const copy = await copyOf(place);
      const afterMs = ((kill + 0.5) / kills) * wholeMs;
      const killed = await migrate(copy, afterMs);
      if (killed.signal === "SIGKILL") interrupted += 1;
      const next = await migrate(copy);
      const after = `killed after ${afterMs.toFixed(0)} ms of ${wholeMs.toFixed(0)}`;
      if (next.code !== 0)
        findings.push(`${after}, the next start ended with ${next.code}: ${next.output}`);
      else if ((await stateOf(copy)) !== expected)
        findings.push(`${after}, the database is not what it should be`);
      rmSync(copy.dataDir, { recursive: true, force: true });
    }
    return { interrupted, findings, wholeMs };
  } finally {
    for (const url of databases.toReversed()) await dropDatabase(url, serverUrl);
    rmSync(folder, { recursive: true, force: true });
  }
}
