/** A log of any size in one go: written by the database itself, the same rows for the same size. */
import { DatabaseSync } from "node:sqlite";
import type { Database } from "@tollgate/gateway/storage/database.ts";
import { countedColumns, histogramBoundsMs, measureColumns, rollupTables } from "@tollgate/gateway/storage/rollups.ts";
import { EPOCH_MS } from "@tollgate/gateway/storage/time-ids.ts";

export const days = 90;
export const users = 1_000;
export const tokensEach = 3;
export const models = 20;
export const channels = 20;
const dayMs = 86_400_000;

/** Runs statements of any length, past the gateway's own limits of time. */
export type RunStatement = (statement: string) => Promise<unknown>;

export const sqliteRun =
  (file: string): RunStatement =>
  async (statement) => {
    const db = new DatabaseSync(file);
    try {
      db.exec(
        "pragma journal_mode = WAL; pragma synchronous = OFF; pragma temp_store = FILE; pragma cache_size = -200000",
      );
      db.exec(statement);
    } finally {
      db.close();
    }
  };

export async function fill(db: Database, run: RunStatement, rows: number, now: number): Promise<void> {
  await addAccounts(db, now);
  await run(withoutIndexes(await indexesOn(db), logRows(db.dialect, rows, now)));
  await run(`insert into traces (id, data) select id, '{}' from logs where id % 10 = 0`);
  for (const { table, keys } of rollupTables) await run(rollup(table, keys));
  await run(db.dialect === "sqlite" ? "analyze" : "vacuum analyze");
}

/** Everybody has a few keys; what else there is does not matter to the log. */
async function addAccounts({ sql, write }: Database, now: number): Promise<void> {
  const times = { created_at: now, updated_at: now };
  for (let id = 1; id <= users; id += 1) {
    const username = `user${id}`;
    const user = {
      id,
      uuid: `u${id}`,
      username,
      display_name: username,
      email: "",
      password_hash: "",
      role: 1,
      status: 1,
    };
    const more = { group: "default", wallet_id: id, must_change_password: 0 as const, access_token_hash: null };
    const token = { user_id: id, key_sealed: "", status: 1, remain_quota: 0, unlimited_quota: 1 as const };
    const limits = { expired_at: null, models: "", subnet: "", accessed_at: now };
    const tokens = Array.from({ length: tokensEach }, (_, position) => {
      const number = (id - 1) * tokensEach + position + 1;
      return {
        ...token,
        ...limits,
        ...times,
        id: number,
        uuid: `t${number}`,
        name: `key ${position}`,
        key_hash: `h${number}`,
      };
    });
    await write([
      { query: sql.insertInto("wallets").values({ id, uuid: `w${id}`, balance: 1_000_000, created_at: now }) },
      { query: sql.insertInto("users").values({ ...user, ...more, ...times }) },
      { query: sql.insertInto("tokens").values(tokens) },
    ]);
  }
}

interface IndexDefinition {
  name: string;
  statement: string;
}

async function indexesOn(db: Database): Promise<IndexDefinition[]> {
  const statement =
    db.dialect === "sqlite"
      ? "select name, sql as statement from sqlite_master where type = 'index' and tbl_name = 'logs' and sql is not null"
      : `select indexname as name, replace(indexdef, ' ON ONLY ', ' ON ') as statement from pg_indexes
         where tablename = 'logs' and indexname not like '%_pkey'`;
  const compiled = { ...db.sql.selectNoFrom([]).compile(), sql: statement, parameters: [] };
  return (await db.read({ compile: () => compiled })) as unknown as IndexDefinition[];
}

/** Building an index once is ten times as fast as keeping it up. */
const withoutIndexes = (indexes: readonly IndexDefinition[], statement: string): string =>
  [...indexes.map(({ name }) => `drop index ${name}`), statement, ...indexes.map((index) => index.statement)].join(
    ";\n",
  );

/** A number in [0, 1) that looks random and is the same for the same row. */
const chance = (factor: number): string => `(((n * ${factor}) % 4294967296) / 4294967296.0)`;

function logRows(dialect: Database["dialect"], rows: number, now: number): string {
  const integer = (value: string): string =>
    dialect === "sqlite" ? `cast(${value} as integer)` : `cast(floor(${value}) as bigint)`;
  const from = now - days * dayMs - EPOCH_MS;
  const source =
    dialect === "sqlite"
      ? `(with recursive counter (n) as (select 0 union all select n + 1 from counter where n < ${rows - 1}) select n from counter)`
      : `(select n from generate_series(0::bigint, ${rows - 1}::bigint) as counter (n))`;
  // A few people and a few models make most of the calls.
  const user = integer(`${chance(2654435761)} * ${chance(2654435761)} * ${users}`);
  const model = integer(`${chance(2246822519)} * ${chance(2246822519)} * ${models}`);
  return `insert into logs
    select (${from} + ${integer(`n * ${days * dayMs}.0 / ${rows}`)}) * 4096 + n % 4096,
      case when n % 1000 = 0 then 1 else 2 end, user_number + 1, 'user' || (user_number + 1),
      user_number * ${tokensEach} + n % ${tokensEach} + 1, 'key ' || (n % ${tokensEach}), channel, 'channel ' || channel,
      'model-' || model_number, 'model-' || model_number, 1 + n % 5000, 100 + n % 900, n % 700, 0, 0, 0,
      20 + (n * n) % 9000, 10 + n % 700, n % 2, case when n % 97 = 0 then 'failed' else 'success' end,
      case when n % 50000 = 7 then 'a rare remark' else '' end, null
    from (select n, ${user} as user_number, ${model} as model_number, n % ${channels} + 1 as channel from ${source} as numbered) as made`;
}

/** With the meaning of `countCall`, in words that both databases know. */
function rollup(table: string, keys: readonly string[]): string {
  const hour = `((id / 4096 + ${EPOCH_MS}) / 3600000)`;
  const keyOf = (key: string): string => (key === "hour" ? hour : key === "day" ? `(${hour} / 24)` : key);
  const good = "outcome <> 'failed'";
  const amounts: Record<(typeof countedColumns)[number], string> = {
    requests: "1",
    failures: `case when ${good} then 0 else 1 end`,
    quota: "quota",
    prompt_tokens: "prompt_tokens",
    completion_tokens: "completion_tokens",
    cached_prompt_tokens: "0",
    cache_write_tokens: "0",
    cache_hits: "0",
    cache_hit_quota: "0",
    elapsed_ms: `case when ${good} then elapsed_ms else 0 end`,
    ttft_ms: "ttft_ms",
  };
  const bounds = [0, ...histogramBoundsMs];
  const inBucket = (column: string, condition: string): string[] =>
    bounds.map((bound, index) => {
      const below = bounds[index + 1];
      const inside = `${column} >= ${bound}${below === undefined ? "" : ` and ${column} < ${below}`}`;
      return `case when ${condition} and ${inside} then 1 else 0 end`;
    });
  const sums = [
    ...countedColumns.map((column) => amounts[column]),
    ...inBucket("elapsed_ms", good),
    ...inBucket("ttft_ms", "ttft_ms > 0"),
  ].map((amount) => `sum(${amount})`);
  const grouped = keys.map(keyOf).join(", ");
  return `insert into ${table} (${[...keys, ...measureColumns].join(", ")})
    select ${grouped}, ${sums.join(", ")} from logs where type = 2 group by ${grouped}`;
}
