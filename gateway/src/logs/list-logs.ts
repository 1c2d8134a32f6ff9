/** One page of the log with its total, with bounded work for every filter and order. */
import type { PageQuery } from "../storage/pagination.ts";
import { orderOf, pageOf, totalMax } from "../storage/pagination.ts";
import type { LogRow } from "../storage/schema.ts";
import { idTime } from "../storage/time-ids.ts";
import type { CountLogs } from "./count-logs.ts";
import { dayMs, type LogRowFilter, monthOf, needsScan, wholeUnits } from "./log-filter.ts";
import { byTime, type LogPage, type LogStore, sortColumns } from "./log-store.ts";
import type { LogTotals } from "./log-totals.ts";

export interface LogListQuery extends PageQuery {
  sort?: string | undefined;
  order?: string | undefined;
  items_per_page?: number | undefined;
  sort_by?: string | undefined;
  sort_order?: string | undefined;
}

export interface LogListing {
  rows: LogRow[];
  total: number;
  total_capped?: boolean;
  /** Unix seconds. */
  searched_back_to?: number;
}

/** Larger offsets are reached by skipping whole days with the roll-ups, or not at all. */
const plainOffsetMax = 20_000;

const orderIn = (query: LogListQuery) =>
  orderOf({ sort: query.sort ?? query.sort_by, order: query.order ?? query.sort_order }, sortColumns, byTime);

/** Whether the query scans rows that no index narrows. */
export const isCostly = (filter: LogRowFilter, query: LogListQuery) =>
  needsScan(filter) || orderIn(query).column !== byTime;

export function createListLogs(logs: LogStore, totals: LogTotals, count: CountLogs) {
  /** Skips whole days, newest first, by the counts of the roll-ups, and leaves a small offset. */
  const stepOverDays = async (filter: LogRowFilter, offset: number, now: number) => {
    const { units } = wholeUnits(filter, dayMs, now);
    if (!units) return { filter, offset };
    const end = units.end * dayMs;
    const newer = end < filter.to ? await logs.sum({ ...filter, from: end }) : undefined;
    let remaining = offset - (newer?.requests ?? 0);
    if (remaining < 0 || newer?.capped) return { filter, offset };
    let to = Math.min(filter.to, end);
    for (const { day, requests } of await totals.byDay(filter, units)) {
      to = Math.min(to, (day + 1) * dayMs);
      if (remaining < Number(requests)) break;
      remaining -= Number(requests);
      to = day * dayMs;
    }
    return { filter: { ...filter, to }, offset: remaining };
  };

  const deepPage = async (filter: LogRowFilter, page: LogPage, total: number, now: number): Promise<LogRow[]> => {
    const isBackwards = page.direction === "asc";
    const limit = isBackwards ? Math.min(page.limit, total - page.offset) : page.limit;
    const offset = isBackwards ? total - page.offset - limit : page.offset;
    if (offset >= total || limit <= 0) return [];
    const near = await stepOverDays(filter, offset, now);
    const rows = await logs.page(near.filter, { ...page, direction: "desc", limit, offset: near.offset });
    return isBackwards ? rows.reverse() : rows;
  };

  return async (requested: LogRowFilter, query: LogListQuery, now: number): Promise<LogListing> => {
    const { column, direction } = orderIn(query);
    const isSortedByColumn = column !== byTime;
    const filter =
      isSortedByColumn || requested.keyword !== undefined ? { ...requested, ...monthOf(requested, now) } : requested;

    const stop = isCostly(filter, query) ? await logs.lookingStopsAt(filter) : undefined;
    const bounded = stop === undefined ? filter : { ...filter, from: Math.max(filter.from, idTime(stop)) };
    const page = { column, direction, ...pageOf({ p: query.p, size: query.size ?? query.items_per_page }) };
    const isNear = page.offset <= plainOffsetMax;
    const [near, counted] = await Promise.all([isNear ? logs.page(bounded, page) : [], count(bounded, now)]);
    const isExact = !isSortedByColumn && counted.total > totalMax;
    const rows = isNear || !isExact ? near : await deepPage(bounded, page, counted.total, now);
    return { rows, ...counted, ...(stop !== undefined && { searched_back_to: Math.floor(idTime(stop) / 1000) }) };
  };
}
