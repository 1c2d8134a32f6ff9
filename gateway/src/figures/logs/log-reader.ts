/**
 * Reads of the log with bounded work for every filter: a page with its total, the total alone, the
 * newest rows.
 */
import { type ProblemsOverTime, tailMinutes } from "@tollgate/contract/figures/logs.ts";
import { byTime } from "../../storage/log-time.ts";
import {
  capTotal,
  chooseOrder,
  computePage,
  type PageQuery,
  totalMax,
} from "../../storage/pagination.ts";
import type { LogRow } from "../../storage/tables/call-tables.ts";
import { computeIdTime } from "../../storage/time-ids.ts";
import {
  buildMonth,
  buildWholeUnits,
  consume,
  dayMs,
  type LogRowFilter,
  matchesProblemsOnly,
  needsScan,
} from "./log-filter.ts";
import { type LogPage, type LogStore, type ProblemGroup, sortColumns } from "./log-store.ts";
import type { LogTotals } from "./log-totals.ts";
import { buildProblemsOverTime, timeSteps } from "./problem-steps.ts";

export interface LogListQuery extends PageQuery {
  sort?: string | undefined;
  order?: string | undefined;
  items_per_page?: number | undefined;
  sort_by?: string | undefined;
  sort_order?: string | undefined;
}

export interface LogCount {
  total: number;
  total_capped?: boolean;
}

export interface LogListing extends LogCount {
  rows: LogRow[];
  /** Unix seconds. */
  searched_back_to?: number;
}

/** Larger offsets are reached by skipping whole days with the roll-ups, or not at all. */
const plainOffsetMax = 20_000;

const readLogOrder = (query: LogListQuery) =>
  chooseOrder(
    { sort: query.sort ?? query.sort_by, order: query.order ?? query.sort_order },
    sortColumns,
    byTime,
  );

/** `isCostly` says whether the query scans rows that no index narrows. */
export const isCostly = (filter: LogRowFilter, query: LogListQuery) =>
  needsScan(filter) || readLogOrder(query).column !== byTime;

/** A busy server writes more rows in this time than a person can follow. */
const tailScanMax = 10_000;

/** Rows that one summary of problems groups; the newest are what an operator acts on. */
const groupedRowsMax = 5_000;

export interface ProblemSummary {
  groups: ProblemGroup[];
  /** Unix seconds. */
  searched_back_to?: number;
  /** Undefined without problems. */
  over_time?: ProblemsOverTime;
}

export type LogReader = ReturnType<typeof createLogReader>;

export function createLogReader(logs: LogStore, totals: LogTotals) {
  /** The filter without the rows beyond the bound of a scan, and the id at which the scan stops. */
  const boundedScan = async (filter: LogRowFilter, isScan: boolean, scanMax?: number) => {
    const stop = isScan ? await logs.scanEnd(filter, scanMax) : undefined;
    return {
      stop,
      bounded:
        stop === undefined
          ? filter
          : { ...filter, from: Math.max(filter.from, computeIdTime(stop)) },
    };
  };

  /** The number of matching rows: exact where a roll-up fits, otherwise counted up to a bound. */
  const count = async (filter: LogRowFilter, now: number): Promise<LogCount> => {
    const counted = await logs.count(filter);
    if (counted <= totalMax || filter.type !== consume || needsScan(filter))
      return capTotal(counted);
    // Roll-ups outlive cleared rows, so the count starts at the oldest row.
    const oldest = await logs.oldest();
    const from = Math.max(filter.from, oldest === undefined ? 0 : computeIdTime(oldest));
    const { requests, capped } = await totals.total({ ...filter, from }, now);
    return capped ? capTotal(counted) : { total: requests };
  };

  /** Skips whole days, newest first, by the counts of the roll-ups, and leaves a small offset. */
  const stepOverDays = async (filter: LogRowFilter, offset: number, now: number) => {
    const { units } = buildWholeUnits(filter, dayMs, now);
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

  const deepPage = async (
    filter: LogRowFilter,
    page: LogPage,
    total: number,
    now: number,
  ): Promise<LogRow[]> => {
    const isBackwards = page.direction === "asc";
    const limit = isBackwards ? Math.min(page.limit, total - page.offset) : page.limit;
    const offset = isBackwards ? total - page.offset - limit : page.offset;
    if (offset >= total || limit <= 0) return [];
    const near = await stepOverDays(filter, offset, now);
    const rows = await logs.page(near.filter, {
      ...page,
      direction: "desc",
      limit,
      offset: near.offset,
    });
    return isBackwards ? rows.reverse() : rows;
  };

  /**
   * A page in the requested order, and the total. Scans and unindexed orders cover a month and stop
   * after a bound.
   */
  const list = async (
    requested: LogRowFilter,
    query: LogListQuery,
    now: number,
  ): Promise<LogListing> => {
    const { column, direction } = readLogOrder(query);
    const isSortedByColumn = column !== byTime;
    const filter =
      isSortedByColumn || requested.keyword !== undefined
        ? { ...requested, ...buildMonth(requested, now) }
        : requested;

    const { stop, bounded } = await boundedScan(filter, isCostly(filter, query));
    const page = {
      column,
      direction,
      ...computePage({ p: query.p, size: query.size ?? query.items_per_page }),
    };
    const isNear = page.offset <= plainOffsetMax;
    const [near, counted] = await Promise.all([
      isNear ? logs.page(bounded, page) : [],
      count(bounded, now),
    ]);
    const isExact = !isSortedByColumn && counted.total > totalMax;
    const rows = isNear || !isExact ? near : await deepPage(bounded, page, counted.total, now);
    return {
      rows,
      ...counted,
      ...(stop !== undefined && { searched_back_to: Math.floor(computeIdTime(stop) / 1000) }),
    };
  };
  /**
   * The newest rows for a live view. An id is the moment at which a call began, so a call that ends
   * now may belong below rows that are already shown: a cursor would miss it. Polling the newest
   * rows misses nothing, holds no connection and gives the same result on every node.
   */
  const tail = async (filter: LogRowFilter, size: number, now: number): Promise<LogRow[]> => {
    const recent = { ...filter, from: Math.max(filter.from, now - tailMinutes * 60_000) };
    const { bounded } = await boundedScan(recent, needsScan(recent), tailScanMax);
    return logs.page(bounded, { column: byTime, direction: "desc", limit: size, offset: 0 });
  };

  /**
   * `problems` gives what went wrong with the newest matching calls: by default those that did not
   * go smoothly.
   */
  const problems = async (
    requested: LogRowFilter,
    isByChannel: boolean,
    now: number,
  ): Promise<ProblemSummary> => {
    const isAny = matchesProblemsOnly(requested) || requested.isSlow === true;
    const filter = isAny ? requested : { ...requested, isProblem: true };
    const { stop, bounded } = await boundedScan(filter, true, groupedRowsMax);
    const groups = await logs.problemGroups(bounded, isByChannel);
    const searched =
      stop === undefined ? {} : { searched_back_to: Math.floor(computeIdTime(stop) / 1000) };
    if (groups.length === 0) return { groups, ...searched };
    const from =
      bounded.from > 0
        ? bounded.from
        : computeIdTime(Math.min(...groups.map(({ first_id }) => first_id)));
    const to = Math.min(bounded.to, now + 1);
    const steps = timeSteps(Math.floor(from / 1000), Math.floor((to - 1) / 1000));
    const found = await logs.problemSteps({ ...bounded, from, to }, steps, isByChannel);
    return { groups, ...searched, over_time: buildProblemsOverTime(found, steps, isByChannel) };
  };

  return { list, count, tail, problems };
}
