/** The number of matching rows: exact where a roll-up fits, otherwise counted up to a bound. */
import { totalMax, totalOf } from "../storage/pagination.ts";
import { idTime } from "../storage/time-ids.ts";
import { consume, type LogRowFilter, needsScan } from "./log-filter.ts";
import type { LogStore } from "./log-store.ts";
import type { LogTotals } from "./log-totals.ts";

export type CountLogs = (filter: LogRowFilter, now: number) => Promise<{ total: number; total_capped?: boolean }>;

export function createCountLogs(logs: LogStore, totals: LogTotals): CountLogs {
  return async (filter, now) => {
    const counted = await logs.count(filter);
    if (counted <= totalMax || filter.type !== consume || needsScan(filter)) return totalOf(counted);
    // Roll-ups outlive cleared rows, so the count starts at the oldest row.
    const oldest = await logs.oldest();
    const from = Math.max(filter.from, oldest === undefined ? 0 : idTime(oldest));
    const { requests, capped } = await totals.total({ ...filter, from }, now);
    return capped ? totalOf(counted) : { total: requests };
  };
}
