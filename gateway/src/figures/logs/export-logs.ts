/**
 * Streams all matching rows as CSV, newest first. Batches are read at the client's pace, so memory
 * is constant for any number of rows, and reading ends when the client disconnects.
 */
import { csvHead, csvHeadWithTags, formatCsvLine } from "@tollgate/contract/figures/log-csv.ts";
import { createExportStreams } from "../../http/export-streams.ts";
import { buildIdRange, type LogRowFilter, needsScan } from "./log-filter.ts";
import type { ExportedLogRow, LogStore } from "./log-store.ts";
import { showTags } from "./log-view.ts";

const batchRows = 1_000;
/** Rows that one statement scans where no index fits: the longest that lists wait for an export. */
const scannedPerStep = 20_000;

const typeNames: Record<number, string> = {
  1: "Topup",
  2: "Consume",
  3: "Management",
  4: "System",
  5: "Test",
  7: "Tool",
};

interface LogExportOptions {
  timeZone?: string | undefined;
  withTags?: boolean | undefined;
  checkCaller?: () => Promise<void>;
}

export function createLogExports(logs: LogStore) {
  const exported = createExportStreams();
  return (
    callerId: number,
    filter: LogRowFilter | undefined,
    { timeZone = "UTC", withTags = false, checkCaller }: LogExportOptions = {},
  ): ReadableStream<Uint8Array> =>
    exported(
      callerId,
      encodeRows(filter ? buildRows(logs, filter) : [], {
        timeZone,
        withTags,
        readTimes: logs.readTimes,
      }),
      checkCaller,
    );
}

/** `buildRows` gives all matching rows, newest first, with bounded work per statement. */
async function* buildRows(logs: LogStore, filter: LogRowFilter): AsyncGenerator<ExportedLogRow[]> {
  const isNarrowed = needsScan(filter);
  let before: number | undefined = buildIdRange(filter).end;
  while (before !== undefined) {
    const stop: number | undefined = isNarrowed
      ? await logs.scanEnd(filter, scannedPerStep, before)
      : undefined;
    const rows = await logs.older(filter, before, stop, batchRows);
    if (rows.length > 0) yield rows;
    before = rows.length === batchRows ? rows.at(-1)?.id : stop;
  }
}

async function* encodeRows(
  batches: AsyncIterable<ExportedLogRow[]> | Iterable<ExportedLogRow[]>,
  {
    timeZone,
    withTags,
    readTimes,
  }: { timeZone: string; withTags: boolean; readTimes(): Promise<(id: number) => number> },
): AsyncGenerator<Uint8Array> {
  const encoder = new TextEncoder();
  // The Swedish locale formats as 2026-11-20 12:00:00.
  const times = new Intl.DateTimeFormat("sv-SE", {
    timeZone,
    dateStyle: "short",
    timeStyle: "medium",
  });
  const formatRow = ({ tags, ...row }: ExportedLogRow, timeOf: (id: number) => number) =>
    formatCsvLine({
      ...row,
      ...(withTags && { tags: tags === null ? {} : showTags(tags) }),
      time: times.format(timeOf(row.id)),
      type: typeNames[row.type] ?? "Unknown",
      elapsed_time: row.elapsed_ms,
    });
  yield encoder.encode(withTags ? csvHeadWithTags : csvHead);
  const timeOf = await readTimes();
  for await (const rows of batches)
    yield encoder.encode(rows.map((row) => formatRow(row, timeOf)).join(""));
}
