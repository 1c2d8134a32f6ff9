/**
 * Everything that matches as CSV, newest first: read batch by batch as the caller takes it, so memory stays the same
 * however many rows there are, and a caller who leaves ends the reading.
 */
import { csvHead, csvLine } from "@tollgate/contract/log-csv.ts";
import { refuse } from "../http/refusal.ts";
import { idTime } from "../storage/ids.ts";
import { idRange, isNarrowedByHand, type LogFilter } from "./log-filter.ts";
import type { ExportedRow, LogStore } from "./log-store.ts";

/** Each export keeps one small statement on the reader; these many leave room for the lists. */
const exportsMax = 4;
/** A caller who takes nothing for so long makes room for others. */
const silenceMs = 120_000;
const batchRows = 1_000;
/** Rows that one statement looks at where no index narrows: lists wait no longer than for this. */
const lookedAtPerStep = 20_000;

const typeNames: Record<number, string> = {
  1: "Topup",
  2: "Consume",
  3: "Management",
  4: "System",
  5: "Test",
  7: "Tool",
};

interface Wishes {
  timeZone?: string | undefined;
  /** Asked before each batch, because an export may outlive its caller's sign-in; throws where it has. */
  checkCaller?: () => Promise<void>;
}

export function logExports(logs: LogStore) {
  const running = new Set<number>();

  return (
    callerId: number,
    filter: LogFilter | undefined,
    { timeZone = "UTC", checkCaller }: Wishes = {},
  ): ReadableStream<Uint8Array> => {
    if (running.has(callerId) || running.size >= exportsMax) throw refuse("log_export_running", { retryAfter: 5 });
    running.add(callerId);
    const batches = encoded(filter ? rowsOf(logs, filter) : [], timeZone);
    let silence: NodeJS.Timeout | undefined;
    const end = (): void => {
      clearTimeout(silence);
      running.delete(callerId);
    };
    return new ReadableStream(
      {
        async pull(controller) {
          clearTimeout(silence);
          try {
            await checkCaller?.();
            const { done, value } = await batches.next();
            if (done) {
              end();
              return controller.close();
            }
            controller.enqueue(value);
          } catch (error) {
            end();
            throw error;
          }
          silence = setTimeout(() => {
            end();
            controller.error(new Error("nobody took the export any further"));
          }, silenceMs);
        },
        async cancel() {
          end();
          await batches.return(undefined);
        },
      },
      { highWaterMark: 0 },
    );
  };
}

/** All rows that match, newest first, no statement looking at more than its share. */
async function* rowsOf(logs: LogStore, filter: LogFilter): AsyncGenerator<ExportedRow[]> {
  const isNarrowed = isNarrowedByHand(filter);
  let before: number | undefined = idRange(filter).end;
  while (before !== undefined) {
    const stop: number | undefined = isNarrowed
      ? await logs.lookingStopsAt(filter, lookedAtPerStep, before)
      : undefined;
    const rows = await logs.older(filter, before, stop, batchRows);
    if (rows.length > 0) yield rows;
    before = rows.length === batchRows ? rows.at(-1)?.id : stop;
  }
}

async function* encoded(
  batches: AsyncIterable<ExportedRow[]> | Iterable<ExportedRow[]>,
  timeZone: string,
): AsyncGenerator<Uint8Array> {
  const encoder = new TextEncoder();
  // Sweden writes 2026-11-20 12:00:00.
  const times = new Intl.DateTimeFormat("sv-SE", { timeZone, dateStyle: "short", timeStyle: "medium" });
  const lineOf = (row: ExportedRow) =>
    csvLine({
      ...row,
      time: times.format(idTime(row.id)),
      type: typeNames[row.type] ?? "Unknown",
      elapsed_time: row.elapsed_ms,
    });
  yield encoder.encode(csvHead);
  for await (const rows of batches) yield encoder.encode(rows.map(lineOf).join(""));
}
