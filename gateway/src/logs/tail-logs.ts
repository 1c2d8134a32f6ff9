/**
 * The newest rows for a live view of the log. An id is the moment at which a call began, so a call that ends now may
 * belong below rows that are already shown: a cursor would miss it. Polling the newest rows misses nothing, holds no
 * connection and gives the same result on every node.
 */
import { tailMinutes } from "@tollgate/contract/logs.ts";
import type { LogRow } from "../storage/schema.ts";
import { idTime } from "../storage/time-ids.ts";
import { type LogRowFilter, needsScan } from "./log-filter.ts";
import { byTime, type LogStore } from "./log-store.ts";

/** A busy server writes more rows in this time than a person can follow. */
const tailScanMax = 10_000;

export async function readLogTail(logs: LogStore, filter: LogRowFilter, size: number, now: number): Promise<LogRow[]> {
  const recent = { ...filter, from: Math.max(filter.from, now - tailMinutes * 60_000) };
  const stop = needsScan(recent) ? await logs.lookingStopsAt(recent, tailScanMax) : undefined;
  const from = stop === undefined ? recent.from : Math.max(recent.from, idTime(stop));
  return logs.page({ ...recent, from }, { column: byTime, direction: "desc", limit: size, offset: 0 });
}
