/**
 * Log rows of another system as statements of one batch: rows of the log, roll-ups, and the sums
 * that tell them apart. The rows are sent once, into a temporary table, and the database adds them
 * up.
 */
import { CompiledQuery, sql as raw } from "kysely";
import type { Database, Write } from "../../../storage/database.ts";
import { logColumns } from "../../../storage/packed-log.ts";
import {
  computeBucket,
  histogramBuckets,
  latencyColumns,
  measureColumns,
  rollupTables,
  ttftColumns,
} from "../../../storage/rollups.ts";
import type { LogRow } from "../../../storage/tables/call-tables.ts";

/** A row of the log that may be too old for one. */
export interface ImportedLog {
  log: Omit<LogRow, FixedColumn>;
  /** UTC, since 1970. */
  hour: number;
  sourceUserId: number;
  /** False for a row that only the sums keep. */
  isKept: boolean;
}

const staging = "imported_log_batch";
/** `FixedColumn` is the same for every imported row. */
type FixedColumn =
  | "outcome"
  | "price"
  | "usage_details"
  | "retries"
  | "tags"
  | "cost_nanos"
  | "marks_saved"
  | "team_id"
  | "run"
  | "run_facts";
const fixedColumns: readonly string[] = [
  "outcome",
  "price",
  "usage_details",
  "retries",
  "tags",
  "cost_nanos",
  "marks_saved",
  "team_id",
  "run",
  "run_facts",
] satisfies FixedColumn[];
type SentColumn = Exclude<(typeof logColumns)[number], FixedColumn>;
const sentColumns = logColumns.filter(
  (column): column is SentColumn => !fixedColumns.includes(column),
);
const textColumns: readonly string[] = [
  "username",
  "token_name",
  "channel_name",
  "model_name",
  "origin_model_name",
  "content",
];
const addedColumns = [
  "hour",
  "day",
  "source_user",
  "kept",
  "latency_bucket",
  "ttft_bucket",
] as const;
const stagedColumns = [...sentColumns, ...addedColumns];
const noBucket = -1;

/** Both databases take more parameters than this. */
const parametersMax = 30_000;
const rowsPerStatement = Math.floor(parametersMax / stagedColumns.length);

const listStagedValues = ({
  log,
  hour,
  sourceUserId,
  isKept,
}: ImportedLog): (string | number)[] => [
  ...sentColumns.map((column) => log[column]),
  hour,
  Math.floor(hour / 24),
  sourceUserId,
  isKept ? 1 : 0,
  computeBucket(log.elapsed_ms),
  log.ttft_ms > 0 ? computeBucket(log.ttft_ms) : noBucket,
];

/**
 * `planStagingInsert` writes text: a million rows composed as expressions are a hundred million
 * objects.
 */
function planStagingInsert(dialect: Database["dialect"], rowCount: number): string {
  const row = (first: number): string =>
    stagedColumns
      .map((_, index) => (dialect === "postgres" ? `$${first + index + 1}` : "?"))
      .join(", ");
  const rows = Array.from(
    { length: rowCount },
    (_, index) => `(${row(index * stagedColumns.length)})`,
  );
  return `insert into ${staging} values ${rows.join(", ")}`;
}

const listBucketSums = (columns: readonly string[], staged: string): [string, string][] =>
  Array.from({ length: histogramBuckets }, (_, bucket) => [
    columns[bucket] ?? "",
    `sum(case when ${staged} = ${bucket} then 1 else 0 end)`,
  ]);

/**
 * `measures` are what each measure of the roll-ups is over staged calls, as `countCall` adds it up
 * call by call.
 */
const measures: Readonly<Record<string, string>> = {
  requests: "count(*)",
  // How a call of the source ended is not known.
  failures: "0",
  quota: "sum(quota)",
  prompt_tokens: "sum(prompt_tokens)",
  completion_tokens: "sum(completion_tokens)",
  cached_prompt_tokens: "sum(cached_prompt_tokens)",
  cache_write_tokens: "sum(cache_write_5m_tokens + cache_write_1h_tokens)",
  cache_hits: "sum(case when cached_prompt_tokens > 0 then 1 else 0 end)",
  cache_hit_quota: "sum(case when cached_prompt_tokens > 0 then quota else 0 end)",
  elapsed_ms: "sum(elapsed_ms)",
  ttft_ms: "sum(ttft_ms)",
  ...Object.fromEntries([
    ...listBucketSums(latencyColumns, "latency_bucket"),
    ...listBucketSums(ttftColumns, "ttft_bucket"),
  ]),
};

const added = (table: string, columns: readonly string[]): string =>
  columns.map((column) => `${column} = ${table}.${column} + excluded.${column}`).join(", ");

const rollupStatements = rollupTables.map(
  ({ table, keys }) => `
    insert into ${table} (${[...keys, ...measureColumns].join(", ")})
    select ${keys.join(", ")}, ${measureColumns.map((column) => measures[column]).join(", ")}
    from ${staging} where type = 2 group by ${keys.join(", ")}
    on conflict (${keys.join(", ")}) do update set ${added(table, measureColumns)}`,
);

const sums: Readonly<Record<string, string>> = {
  row_count: "count(*)",
  kept_calls: "sum(case when type = 2 then kept else 0 end)",
  calls: "sum(case when type = 2 then 1 else 0 end)",
  quota: "sum(case when type = 2 then quota else 0 end)",
  prompt_tokens: "sum(case when type = 2 then prompt_tokens else 0 end)",
  completion_tokens: "sum(case when type = 2 then completion_tokens else 0 end)",
};

/**
 * `source` is the operator's name for the other system. Rejects with `Conflict` where an id is
 * taken.
 */
export function planImportedLogWrites(
  { sql, dialect }: Pick<Database, "sql" | "dialect">,
  source: string,
  rows: readonly ImportedLog[],
): Write[] {
  const write = (statement: ReturnType<typeof raw>): Write => ({
    query: { compile: () => statement.compile(sql) },
  });
  const kinds = stagedColumns.map(
    (column) => `${column} ${textColumns.includes(column) ? "text" : "bigint"} not null`,
  );
  const inserts: Write[] = [];
  for (let start = 0; start < rows.length; start += rowsPerStatement) {
    const values = rows.slice(start, start + rowsPerStatement).map(listStagedValues);
    const query = CompiledQuery.raw(planStagingInsert(dialect, values.length), values.flat());
    inserts.push({ query: { compile: () => query } });
  }
  const sumsBy = (kind: "day" | "user", column: string): Write =>
    write(raw`
      insert into imported_log_sums (source, kind, subject, ${raw.raw(Object.keys(sums).join(", "))})
      select ${source}, ${kind}, ${raw.raw(column)}, ${raw.raw(Object.values(sums).join(", "))}
      from ${raw.table(staging)} where true group by ${raw.raw(column)}
      on conflict (source, kind, subject) do update set ${raw.raw(added("imported_log_sums", Object.keys(sums)))}`);
  return [
    write(raw`create temporary table ${raw.table(staging)} (${raw.raw(kinds.join(", "))})`),
    ...inserts,
    write(raw`
      insert into logs (${raw.raw(sentColumns.join(", "))}, outcome)
      select ${raw.raw(sentColumns.join(", "))}, '' from ${raw.table(staging)} where kept = 1`),
    ...rollupStatements.map((text) => write(raw`${raw.raw(text)}`)),
    sumsBy("day", "day"),
    sumsBy("user", "source_user"),
    write(raw`drop table ${raw.table(staging)}`),
  ];
}
