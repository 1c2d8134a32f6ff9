/**
 * The server time of queries on a full log, and whether the memory of an export is independent of
 * its length. Fills its own database, runs the queries of the screens, and writes
 * docs/benchmarks.md. Exits with 1 when a goal is missed.
 *
 *   node benchmarks/src/logs-benchmark.ts [--rows 1000000] [--dialect sqlite|postgres] [--folder F] [--questions]
 *
 * With --folder the database stays: the first run fills the folder, later ones measure what it
 * holds. With --questions the run leaves out the export, and records nothing.
 */
import { readFileSync } from "node:fs";
import { DatabaseSync, type SQLInputValue } from "node:sqlite";
import { parseArgs } from "node:util";
import { createLogExports } from "@tollgate/gateway/figures/logs/export-logs.ts";
import { logStore } from "@tollgate/gateway/figures/logs/log-store.ts";
import type { Database } from "@tollgate/gateway/storage/database.ts";
import { readSqliteFile } from "@tollgate/gateway/storage/open-database.ts";
import { ensurePartitions } from "@tollgate/gateway/storage/postgres-partitions.ts";
import { configureSqlite } from "@tollgate/gateway/storage/sqlite-connection.ts";
import type { CompiledQuery } from "kysely";
import pg from "pg";
import { writeSection } from "./benchmark-report.ts";
import { casesOn, type LogBenchmarkCase } from "./log-benchmark-cases.ts";
import { days, fill, postgresRun, sqliteRun } from "./log-benchmark-data.ts";
import { openLogFolder } from "./log-benchmark-folder.ts";

const { values: flags } = parseArgs({
  options: {
    rows: { type: "string", default: "1000000" },
    dialect: { type: "string", default: "sqlite" },
    folder: { type: "string" },
    questions: { type: "boolean", default: false },
  },
});
const rows = Number(flags.rows);
const isSqlite = flags.dialect === "sqlite";
const warmRuns = 20;
/** The memory that an export of any length may add to the process. */
const exportMegabytesMax = 100;
const dayMs = 86_400_000;

interface LogBenchmarkResult extends LogBenchmarkCase {
  ms: number;
}

const folder = await openLogFolder(flags.folder, flags.dialect, rows);
const { dataDir, databaseUrl } = folder;
let missed = 0;
try {
  const now = folder.filledAt ?? Date.now();
  if (folder.filledAt === undefined) await fillFolder(now);
  const db = await folder.open();
  try {
    const results = await measure(db, now);
    missed = results.filter(({ ms, goalMs }) => ms > goalMs).length;
    if (!flags.questions) {
      const exported = await measureExport(db);
      if (exported.megabytes > exportMegabytesMax) missed += 1;
      report(results, exported);
    }
  } finally {
    await db.close();
  }
} finally {
  await folder.close();
}
process.exitCode = missed > 0 ? 1 : 0;

async function fillFolder(now: number): Promise<void> {
  const began = performance.now();
  if (databaseUrl) await addPastMonths(databaseUrl, now);
  await fill(
    () => folder.open(),
    databaseUrl ? postgresRun(databaseUrl) : sqliteRun(readSqliteFile(dataDir)),
    rows,
    now,
  );
  folder.markFilled(now);
  console.log(`${rows} rows written in ${((performance.now() - began) / 1000).toFixed(0)} s`);
}

/** Creates the partitions that an installation of some months has. */
async function addPastMonths(databaseUrl: string, now: number): Promise<void> {
  await folder.open().then((db) => db.close());
  const pool = new pg.Pool({ connectionString: databaseUrl });
  try {
    for (let day = days; day > 0; day -= 28) await ensurePartitions(pool, now - day * dayMs);
  } finally {
    await pool.end();
  }
}

async function measure(db: Database, now: number): Promise<LogBenchmarkResult[]> {
  const connection = isSqlite
    ? configureSqlite(new DatabaseSync(readSqliteFile(dataDir)))
    : undefined;
  let statements: CompiledQuery[] = [];
  const read: Database["read"] = (query) => {
    statements.push(query.compile());
    return db.read(query);
  };
  const results: LogBenchmarkResult[] = [];
  try {
    for (const one of casesOn({ sql: db.sql, read }, now, rows)) {
      statements = [];
      await one.run();
      const timed = connection ? cpuMs(connection, statements) : await executionMs(db, statements);
      results.push({ ...one, ms: timed });
      console.log(
        `${timed.toFixed(2).padStart(9)} ms  ${one.what}${timed > one.goalMs ? `  over ${one.goalMs} ms` : ""}`,
      );
    }
  } finally {
    connection?.close();
  }
  return results;
}

/**
 * The processor time of the reader thread, over all warm runs together because its clock is coarse.
 */
function cpuMs(connection: DatabaseSync, statements: readonly CompiledQuery[]): number {
  const prepared = statements.map(({ sql, parameters }) => ({
    statement: connection.prepare(sql),
    parameters,
  }));
  const once = (): void => {
    for (const { statement, parameters } of prepared)
      statement.all(...(parameters as SQLInputValue[]));
  };
  once();
  const before = process.cpuUsage();
  for (let run = 0; run < warmRuns; run += 1) once();
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1000 / warmRuns;
}

/** The execution time that PostgreSQL reports. */
async function executionMs(db: Database, statements: readonly CompiledQuery[]): Promise<number> {
  const once = async (): Promise<number> => {
    let total = 0;
    for (const statement of statements) {
      const explained = {
        ...statement,
        sql: `explain (analyze, timing off, format json) ${statement.sql}`,
      };
      const [row] = (await db.read({ compile: () => explained })) as {
        "QUERY PLAN": { "Execution Time": number }[];
      }[];
      total += row?.["QUERY PLAN"][0]?.["Execution Time"] ?? 0;
    }
    return total;
  };
  await once();
  const times: number[] = [];
  for (let run = 0; run < warmRuns; run += 1) times.push(await once());
  return median(times);
}

function median(values: readonly number[]): number {
  return [...values].sort((one, other) => one - other)[Math.floor(values.length / 2)] ?? 0;
}

interface ExportMeasurement {
  bytes: number;
  megabytes: number;
  seconds: number;
}

/** Reads the whole log as a client would, and measures the memory. */
async function measureExport(db: Database): Promise<ExportMeasurement> {
  const before = ownMegabytes();
  const began = performance.now();
  let bytes = 0;
  let highest = before;
  for await (const part of createLogExports(logStore(db))(1, { from: 0, to: Date.now() + dayMs })) {
    bytes += part.length;
    highest = Math.max(highest, ownMegabytes());
  }
  const exported = {
    bytes,
    megabytes: highest - before,
    seconds: (performance.now() - began) / 1000,
  };
  console.log(
    `export: ${bytes} bytes in ${exported.seconds.toFixed(1)} s, ${exported.megabytes.toFixed(0)} MB of memory`,
  );
  return exported;
}

/** Excludes the mapped pages of the database file, which the system can reclaim. */
function ownMegabytes(): number {
  const [, kilobytes] = /RssAnon:\s+(\d+) kB/.exec(readFileSync("/proc/self/status", "utf8")) ?? [];
  return kilobytes === undefined ? process.memoryUsage().rss / 1_048_576 : Number(kilobytes) / 1024;
}

function report(
  results: readonly LogBenchmarkResult[],
  { bytes, megabytes, seconds }: ExportMeasurement,
): void {
  writeSection(`Logs on ${isSqlite ? "SQLite" : "PostgreSQL"}, ${rows.toLocaleString("en")} rows`, [
    `Server time of every statement that a screen's question runs: ${
      isSqlite ? "processor time of the reader, mean" : "execution time by EXPLAIN ANALYZE, median"
    } of ${warmRuns} warm runs.`,
    "",
    "| Question | Server time | Goal | |",
    "|---|---|---|---|",
    ...results.map(
      ({ what, ms, goalMs }) =>
        `| ${what} | ${ms.toFixed(2)} ms | ${goalMs} ms | ${ms > goalMs ? "missed" : ""} |`,
    ),
    `| export of everything, ${(bytes / 1e6).toFixed(0)} MB in ${seconds.toFixed(0)} s: memory | ${megabytes.toFixed(0)} MB | ${exportMegabytesMax} MB | ${megabytes > exportMegabytesMax ? "missed" : ""} |`,
  ]);
}
