/** The queries on a full log: the gateway's own functions, as the console's screens use them. */
import { createDashboardStore } from "@tollgate/gateway/figures/dashboard/dashboard-store.ts";
import { consume, type LogRowFilter } from "@tollgate/gateway/figures/logs/log-filter.ts";
import { createLogReader } from "@tollgate/gateway/figures/logs/log-reader.ts";
import { logStore } from "@tollgate/gateway/figures/logs/log-store.ts";
import { logTotals } from "@tollgate/gateway/figures/logs/log-totals.ts";
import type { Database } from "@tollgate/gateway/storage/database.ts";
import { days, users } from "./log-benchmark-data.ts";

export interface LogBenchmarkCase {
  what: string;
  /** Milliseconds of server time. */
  goalMs: number;
  run(): Promise<unknown>;
}

const indexed = 100;
/** Searches and unindexed orders scan up to 100,000 rows; this is the limit for the scan. */
const bounded = 500;

const hourMs = 3_600_000;
const dayMs = 24 * hourMs;

/**
 * What opens by itself has twice the time on the one log that is larger than most installations
 * ever have.
 */
const largeLogRows = 50_000_000;

export function casesOn(
  { sql, read }: Pick<Database, "sql" | "read">,
  now: number,
  rows: number,
): LogBenchmarkCase[] {
  const defaultList = rows < largeLogRows ? 5 : 10;
  const logs = logStore({ sql, read });
  const totals = logTotals({ sql, read }, logs);
  const reader = createLogReader(logs, totals);
  const dashboard = createDashboardStore({ sql, read });
  const week: LogRowFilter = { from: now - 168 * hourMs, to: now + hourMs };
  const month: LogRowFilter = { from: now - 30 * dayMs, to: now + hourMs };
  const always: LogRowFilter = { from: 0, to: now + hourMs };
  const busy = 1;
  const quiet = users;
  const model = "model-3";
  const today = Math.floor(now / dayMs);
  const lastWeek = { first: today - 6, last: today };
  const year = { first: today - 364, last: today };
  const page = { sort: "created_at", order: "desc", p: 0, size: 10 } as const;

  const listed = (
    what: string,
    goalMs: number,
    filter: LogRowFilter,
    more: object = {},
  ): LogBenchmarkCase => ({
    what: `list: ${what}`,
    goalMs,
    run: () => reader.list(filter, { ...page, ...more }, now),
  });
  const summed = (what: string, goalMs: number, filter: LogRowFilter): LogBenchmarkCase => ({
    what: `statistics: ${what}`,
    goalMs,
    run: () => totals.total(filter, now),
  });
  const charted = (what: string, run: () => Promise<unknown>): LogBenchmarkCase => ({
    what: `chart: ${what}`,
    goalMs: defaultList,
    run,
  });

  return [
    listed("all users, default view", defaultList, week),
    listed("own, default view", defaultList, { ...week, userId: busy }),
    listed("calls of all users with an exact total", defaultList, { ...week, type: consume }),
    listed("own, a user with few calls", defaultList, { ...week, userId: quiet }),
    listed("by user, all time", indexed, { ...always, userId: busy }),
    listed("by model, all time", indexed, { ...always, model }),
    listed("by channel, all time", indexed, { ...always, channelId: 7 }),
    listed("by user and model, all time", indexed, { ...always, userId: busy, model }),
    listed("by a user with few calls and a rare model", indexed, {
      ...always,
      userId: quiet,
      model: "model-19",
    }),
    listed("page 900 of all users", indexed, week, { p: 900 }),
    listed(
      "a page from the middle of everything",
      indexed,
      { ...always, type: consume },
      { p: 20_000 },
    ),
    listed("by token name", bounded, { ...week, tokenName: "key 1" }),
    listed("by channel and model", bounded, { ...week, channelId: 7, model }),
    listed("top-ups only", bounded, { ...week, type: 1 }),
    listed("search in a month's content", bounded, { ...month, keyword: "rare remark" }),
    listed("a month by quota", bounded, month, { sort: "quota" }),
    {
      what: "live tail: all users",
      goalMs: defaultList,
      run: () => reader.tail(week, page.size, now),
    },
    summed("all users, a week", defaultList, week),
    summed("all users, all time", defaultList, always),
    summed("own, a week", defaultList, { ...week, userId: busy }),
    summed("by model, all time", defaultList, { ...always, model }),
    summed("by channel, a week", defaultList, { ...week, channelId: 7 }),
    summed("by user and model, all time", indexed, { ...always, userId: busy, model }),
    summed("by user, all time", indexed, { ...always, userId: busy }),
    summed("by token name, all time", bounded, { ...always, tokenName: "unknown" }),
    charted("models of all users, a week", () => dashboard.models(lastWeek, {})),
    {
      ...charted(`models of all users, ${days} days`, () => dashboard.models(year, {})),
      goalMs: indexed,
    },
    charted("models of one user, a week", () => dashboard.models(lastWeek, { userId: busy })),
    charted("all users, a week", () => dashboard.users(lastWeek, {})),
    charted("days of one user, a week", () => dashboard.users(lastWeek, { userId: busy })),
    charted("tokens of all users, a week", () => dashboard.tokens(lastWeek, {})),
    charted("tokens of one user, a week", () => dashboard.tokens(lastWeek, { userId: busy })),
    charted("totals of the site", () => dashboard.site()),
  ];
}
