/**
 * Writes the log of another system: rows, roll-ups by day and hour, and where the next run
 * continues, in one transaction for each batch. The rows are no charges: what they cost is in
 * `opening_use` entries of the ledger, and they have no outcome here.
 */
import { logTypes } from "@tollgate/contract/figures/logs.ts";
import { sql as raw } from "kysely";
import { Conflict } from "../../../storage/database.ts";
import { listMonthPartitions } from "../../../storage/postgres-partitions.ts";
import { computeHour } from "../../../storage/rollups.ts";
import { buildIdsAhead, computeIdFloor, EPOCH_MS, idsPerMs } from "../../../storage/time-ids.ts";
import type { Loss, SourceLog } from "../import-items.ts";
import type { ImportRun } from "../import-run.ts";
import { type ImportedLog, planImportedLogWrites } from "./log-batch.ts";
import { createLogSubjects, type LogSubjects } from "./log-subjects.ts";

const rowsPerWrite = 2_500;
/** Rows of one second have ids of that second, by the order in which they were written. */
const idsPerSecond = 1_000 * idsPerMs;
/**
 * Steps from an id that is taken to another one of the same second; a prime, so that a batch does
 * not meet itself.
 */
const idStep = 7_919;
const idTriesMax = 8;
export const logCursorId = "cursor";

export async function writeLogs(run: ImportRun): Promise<void> {
  const { source, report, imported, isPlan, logsSinceMs } = run;
  if (logsSinceMs === undefined) return;
  if (!source.logs) {
    report.lose(buildSiteLoss("logs", "table_not_carried", "all"));
    return;
  }
  const cursor = (await imported.known("log", [logCursorId])).get(logCursorId);
  const subjects = createLogSubjects(run);
  const months = new Set<number>();
  let [others, summed] = [0, 0];
  let waiting: SourceLog[] = [];
  /** `writing` is one batch is written while the next one is read. */
  let writing: Promise<void> = Promise.resolve();
  const flush = async (lastId: number): Promise<void> => {
    const rows = waiting;
    waiting = [];
    summed += rows.filter((row) => !isKept(row, run)).length;
    await writing;
    if (!isPlan) writing = writeBatch(run, { rows, lastId, subjects, months });
    // It is met where it is waited for, which may be after the next page of the source.
    writing.catch(() => undefined);
    report.count("log", "added", rows.length);
  };
  let lastId = 0;
  for await (const page of source.logs(
    cursor === undefined ? undefined : Number(cursor.state.after),
  )) {
    waiting.push(...page.rows);
    others += page.others;
    lastId = page.lastId;
    if (waiting.length >= rowsPerWrite) await flush(lastId);
  }
  if (lastId > 0) await flush(lastId);
  await writing;
  report.count("log", "left", others);
  if (others > 0) report.lose(buildSiteLoss("logs", "logs_of_other_kinds", String(others)));
  if (summed > 0) report.lose(buildSiteLoss("logs", "logs_summed", String(summed)));
}

const buildSiteLoss = (name: string, reason: Loss["reason"], value: string): Loss => ({
  entity: "site",
  sourceId: name,
  name,
  field: "",
  reason,
  value,
});

/**
 * Ids here are times since 2024 and never go back: an older row, or one of a clock that was wrong,
 * can only be in the sums.
 */
const isKept = (
  { createdAtMs }: SourceLog,
  { logsSinceMs = 0, now }: Pick<ImportRun, "logsSinceMs" | "now">,
): boolean =>
  createdAtMs >= Math.max(logsSinceMs, EPOCH_MS) && buildIdsAhead(createdAtMs - now) === "little";

interface LogBatch {
  rows: readonly SourceLog[];
  lastId: number;
  subjects: LogSubjects;
  /** `months` hold those whose partitions exist. */
  months: Set<number>;
}

async function writeBatch(
  run: ImportRun,
  { rows, lastId, subjects, months }: LogBatch,
): Promise<void> {
  const { db, imported, sourceName } = run;
  await subjects.learn(rows);
  if (db.dialect === "postgres") await createMonths(run, rows, months);
  for (let attempt = 0; ; attempt += 1) {
    const batch = rows.map((row) =>
      buildImportedLog(run, row, { subjects, shift: attempt * idStep }),
    );
    const cursor = imported.put("log", logCursorId, 0, { after: lastId });
    try {
      await db.write([
        ...(batch.length === 0 ? [] : planImportedLogWrites(db, sourceName, batch)),
        cursor,
      ]);
      return;
    } catch (error) {
      if (!(error instanceof Conflict) || attempt >= idTriesMax) throw error;
    }
  }
}

async function createMonths(run: ImportRun, rows: readonly SourceLog[], months: Set<number>) {
  for (const row of rows) {
    if (!isKept(row, run)) continue;
    const day = new Date(row.createdAtMs);
    const month = Date.UTC(day.getUTCFullYear(), day.getUTCMonth(), 1);
    if (months.has(month)) continue;
    months.add(month);
    const statements = listMonthPartitions(month).map((text) => raw`${raw.raw(text)}`);
    await run.db.write(
      statements.map((statement) => ({ query: { compile: () => statement.compile(run.db.sql) } })),
    );
  }
}

function buildImportedLog(
  run: ImportRun,
  row: SourceLog,
  { subjects, shift }: { subjects: LogSubjects; shift: number },
): ImportedLog {
  const second = Math.floor(row.createdAtMs / 1_000) * 1_000;
  const user = subjects.user(row);
  const channel = subjects.channel(row);
  return {
    isKept: isKept(row, run),
    hour: computeHour(row.createdAtMs),
    sourceUserId: row.userNumber,
    log: {
      id: computeIdFloor(second) + ((row.sourceId + shift) % idsPerSecond),
      type: row.type,
      user_id: user?.id ?? 0,
      username: user?.username ?? row.username,
      token_id: subjects.token(row),
      token_name: row.tokenName,
      channel_id: channel?.id ?? 0,
      channel_name: channel?.name ?? "",
      model_name: row.model,
      origin_model_name: row.requestedModel,
      quota: row.quota,
      prompt_tokens: row.promptTokens,
      completion_tokens: row.completionTokens,
      cached_prompt_tokens: row.cachedTokens,
      cache_write_5m_tokens: row.cacheWrite5mTokens,
      cache_write_1h_tokens: row.cacheWrite1hTokens,
      elapsed_ms: row.elapsedMs,
      ttft_ms: row.firstContentMs,
      is_stream: row.isStream ? 1 : 0,
      content:
        row.type === logTypes.consume
          ? `imported from ${run.source.system}: ${row.content}`
          : row.content,
    },
  };
}
