import { i18n } from "@lingui/core";
import { t } from "@lingui/core/macro";
import { csvHead, csvHeadWithTags, formatCsvLine } from "@tollgate/contract/figures/log-csv.ts";
import {
  exportLogs,
  exportOwnLogs,
  exportTotalHeader,
  type Log,
} from "@tollgate/contract/figures/logs.ts";
import { requestCsv } from "../../api-call.ts";
import { readReason } from "../../api-error.ts";
import { formatDate, formatInteger, formatSeconds } from "../../ui/format.ts";
import { saveFile } from "../../ui/save-file.ts";
import { toast } from "../../ui/toast.tsx";
import { makeCsvLineCounter } from "./csv-rows.ts";
import type { LogFilterQuery } from "./log-filter-values.ts";
import { readLogType } from "./log-types.ts";

/** `total` is undefined when the gateway does not send it. */
export type ExportProgress = { rows: number; total: number | undefined };

const formatFileName = (what: string) =>
  `${what}-${formatDate(new Date()).replace(/[ :]/g, "-")}.csv`;

const toastStop = (error: unknown) =>
  toast(t`The export stopped`, { tone: "bad", detail: readReason(error, t`Operation failed`) });

/** `saveShown` writes the rows of the page. */
export function saveShown(logs: readonly Log[], withTags: boolean) {
  try {
    exportPage(logs, (type) => i18n._(readLogType(type).label), withTags);
  } catch (error) {
    toastStop(error);
  }
}

/** `saveAll` writes all matching rows, and says how it ended. */
export async function saveAll(options: ExportAllOptions): Promise<void> {
  try {
    const rows = await exportAll(options);
    const count = formatInteger(rows ?? 0);
    if (rows !== undefined) toast(t`${count} log entries exported`);
  } catch (error) {
    if (options.signal.aborted)
      toast(t`The export was cancelled, nothing was kept`, { tone: "info" });
    else toastStop(error);
  }
}

function exportPage(logs: readonly Log[], typeName: (type: number) => string, withTags: boolean) {
  const lines = logs.map(({ tags = {}, ...log }) =>
    formatCsvLine({
      ...log,
      time: formatSeconds(log.created_at),
      type: typeName(log.type),
      ...(withTags && { tags }),
    }),
  );
  saveFile(formatFileName("logs"), csvType, [withTags ? csvHeadWithTags : csvHead, ...lines]);
}

type ExportAllOptions = {
  query: LogFilterQuery;
  keyword: string;
  admin: boolean;
  withTags: boolean;
  signal: AbortSignal;
  onProgress: (progress: ExportProgress) => void;
};

/**
 * Writes all matching rows as they arrive. Resolves to their number, or to undefined when the user
 * chose no file.
 */
async function exportAll({
  query,
  keyword,
  admin,
  withTags,
  signal,
  onProgress,
}: ExportAllOptions): Promise<number | undefined> {
  const sink = await openSink(formatFileName("logs-all"));
  if (sink === undefined) return undefined;
  try {
    const response = await requestExport({ query, keyword, admin, withTags, signal });
    const total = Number(response.headers.get(exportTotalHeader) ?? Number.NaN);
    const count = makeCsvLineCounter();
    let rows = 0;
    const reader = response.body?.getReader();
    for (
      let chunk = await reader?.read();
      chunk?.value !== undefined;
      chunk = await reader?.read()
    ) {
      await sink.write(chunk.value);
      rows = count(chunk.value) - 1;
      onProgress({ rows, total: Number.isNaN(total) ? undefined : total });
    }
    signal.throwIfAborted();
    await sink.close();
    return rows;
  } catch (error) {
    await sink.abort();
    throw error;
  }
}

function requestExport({
  query,
  keyword,
  admin,
  withTags,
  signal,
}: Omit<ExportAllOptions, "onProgress">): Promise<Response> {
  const { timeZone } = Intl.DateTimeFormat().resolvedOptions();
  const search = new URLSearchParams({ ...(keyword !== "" && { keyword }), time_zone: timeZone });
  if (withTags) search.set("with_tags", "1");
  for (const [name, value] of Object.entries(query)) search.set(name, String(value));
  const { path } = admin ? exportLogs : exportOwnLogs;
  return requestCsv(path, search, signal);
}

/**
 * The destination of an export: a file if the browser can write one, otherwise memory up to a
 * limit.
 */
type CsvSink = {
  write(part: Uint8Array<ArrayBuffer>): Promise<void>;
  /** Completes the file. */
  close(): Promise<void>;
  /** Discards what was written. */
  abort(): Promise<void>;
};

/** The export is too large for the browser's memory. */
class ExportTooLarge extends Error {}

const csvType = "text/csv";
const memoryBytesMax = 200_000_000;

type SaveFilePicker = (options: {
  suggestedName: string;
  types: object[];
}) => Promise<FileSystemFileHandle>;

/** Undefined when the user cancelled the browser's file dialog. */
async function openSink(name: string): Promise<CsvSink | undefined> {
  const pick = (window as { showSaveFilePicker?: SaveFilePicker }).showSaveFilePicker;
  if (pick === undefined) return buildMemorySink(name);
  try {
    const file = await pick({ suggestedName: name, types: [{ accept: { [csvType]: [".csv"] } }] });
    return await file.createWritable();
  } catch (error) {
    if (error instanceof DOMException && error.name === "AbortError") return undefined;
    throw error;
  }
}

function buildMemorySink(name: string): CsvSink {
  let parts: Uint8Array<ArrayBuffer>[] = [];
  let bytes = 0;
  return {
    async write(part) {
      bytes += part.length;
      if (bytes > memoryBytesMax) throw new ExportTooLarge();
      parts.push(part);
    },
    async close() {
      saveFile(name, csvType, parts);
    },
    async abort() {
      parts = [];
    },
  };
}
