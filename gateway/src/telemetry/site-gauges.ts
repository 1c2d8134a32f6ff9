/**
 * Values that are read from the database and the disk. They are read by the clock and not by a
 * scrape, so that many scrapes cost the database no more than one, and a database that does not
 * answer holds up none.
 */
import { stat } from "node:fs/promises";
import { monitorEventLoopDelay } from "node:perf_hooks";
import { sql as template } from "kysely";
import type { BudgetStore } from "../accounts/budgets/budget-store.ts";
import { selectCounted } from "../accounts/budgets/budget-view.ts";
import type { Database } from "../storage/database.ts";
import { readDiskSpace } from "../storage/disk-space.ts";
import { runEvery } from "../storage/run-every.ts";
import { type GatewayMetrics, watchedBudgets } from "./gateway-metrics.ts";
import type { MetricSample } from "./metric-registry.ts";
import { loopLagNames } from "./node-metrics.ts";
import { watchCollections } from "./process-metrics.ts";

const refreshEveryMs = 15_000;
/** A scrape may miss the last calls of a channel that was deleted since the one before. */
const deletedChannelMs = 3_600_000;
const budgetsMax = 200;
const delayResolutionMs = 20;
const nsPerUs = 1_000;
const usPerMs = 1_000;

type DelayHistogram = ReturnType<typeof monitorEventLoopDelay>;

interface SiteGaugesDeps {
  metrics: GatewayMetrics;
  db: Pick<Database, "read" | "sql" | "dialect">;
  /** The file of SQLite. */
  sqliteFile: string;
  readCounters: BudgetStore["counters"];
  /** The numbers of all channels. */
  channelIds(): ReadonlySet<string>;
  now(): number;
  onError(error: unknown): void;
}

export interface SiteGauges {
  /** Begins to read, once: an installation without scrapes reads nothing. */
  start(): void;
  /** `refresh` is for tests: what the clock does. */
  refresh(): Promise<void>;
  stop(): Promise<void>;
}

export function createSiteGauges(deps: SiteGaugesDeps): SiteGauges {
  const { metrics, db, sqliteFile, readCounters, channelIds, now, onError } = deps;
  /** Only where metrics are scraped: it takes 0.4 MB. */
  let delay: DelayHistogram | undefined;
  const missingSince = new Map<string, number>();
  let stopRefreshing: (() => Promise<void>) | undefined;
  let stopCollections: (() => void) | undefined;
  let first: Promise<void> = Promise.resolve();

  async function readDatabase(): Promise<() => void> {
    const { sql } = db;
    const [holds, shortfall, balances, notices, queue] = await Promise.all([
      db.read(
        sql.selectFrom("reservations").select((row) => row.fn.countAll<number>().as("count")),
      ),
      db.read(
        sql
          .selectFrom("ledger")
          .select((row) => row.fn.sum<number | null>("amount").as("units"))
          .where("kind", "=", "shortfall"),
      ),
      db.read(
        sql
          .selectFrom("channels")
          .select(["id", "balance_micros"])
          .where("balance_micros", "is not", null),
      ),
      db.read(
        sql
          .selectFrom("notices")
          .innerJoin("destinations", "destinations.id", "notices.destination_id")
          .select((row) => ["destinations.kind", row.fn.countAll<number>().as("count")])
          .where("notices.state", "=", "waiting")
          .groupBy("destinations.kind"),
      ),
      db.dialect === "postgres" ? db.read(makeRollupQueueRows(db)) : undefined,
    ]);
    return () => {
      show(metrics.holdsOpen, holds[0]?.count ?? 0);
      show(metrics.shortfall, shortfall[0]?.units ?? 0);
      const samples = balances.map(
        ({ id, balance_micros }): MetricSample => [[String(id)], balance_micros ?? 0],
      );
      metrics.channelBalance.readFrom(() => samples);
      const waiting = notices.map(({ kind, count }): MetricSample => [[kind], count]);
      metrics.noticesWaiting.readFrom(() => waiting);
      if (queue) show(metrics.rollupQueueRows, queue[0]?.count ?? 0);
    };
  }

  async function readBudgets(): Promise<() => void> {
    const rows = await db.read(
      db.sql
        .selectFrom("budgets")
        .selectAll()
        .where("subject", "in", watchedBudgets)
        .orderBy("id")
        .limit(budgetsMax),
    );
    const counted = await selectCounted(rows, now(), readCounters);
    const samples = counted.map(
      ({ row, limit, spent, held }): MetricSample => [[String(row.id)], (spent + held) / limit],
    );
    return () => metrics.budgetUsed.readFrom(() => samples);
  }

  async function readDisk(): Promise<void> {
    if (db.dialect !== "sqlite") return;
    show(metrics.diskFreeBytes, (await readDiskSpace(sqliteFile)).free);
    // Without the file, everything is in the database.
    const { size } = await stat(`${sqliteFile}-wal`).catch(() => ({ size: 0 }));
    show(metrics.sqliteWalBytes, size);
  }

  function readEventLoop(histogram: DelayHistogram): void {
    if (histogram.count > 0) {
      const toUs = (ns: number): number => Math.max(0, ns / nsPerUs - delayResolutionMs * usPerMs);
      const lateUs = (percentile: number): number => toUs(histogram.percentile(percentile));
      const samples: MetricSample[] = [
        [["0.5"], lateUs(50)],
        [["0.99"], lateUs(99)],
      ];
      metrics.eventLoopDelay.readFrom(() => samples);
      const lags = {
        mean: toUs(histogram.mean),
        max: toUs(histogram.max),
        p50: lateUs(50),
        p90: lateUs(90),
        p99: lateUs(99),
      };
      for (const name of loopLagNames)
        metrics.node.loopLags[name].readFrom(() => [[[], lags[name]]]);
    }
    histogram.reset();
  }

  function forgetDeletedChannels(): void {
    const existing = channelIds();
    const at = now();
    for (const id of metrics.registry.labelValues("channel")) {
      // 0 stands for none.
      if (existing.has(id) || id === "0") missingSince.delete(id);
      else if (at - (missingSince.get(id) ?? at) < deletedChannelMs)
        missingSince.set(id, missingSince.get(id) ?? at);
      else {
        metrics.registry.forget("channel", id);
        missingSince.delete(id);
      }
    }
  }

  async function refresh(): Promise<void> {
    if (delay) readEventLoop(delay);
    forgetDeletedChannels();
    const [showRows, showBudgets] = await Promise.all([readDatabase(), readBudgets(), readDisk()]);
    showRows();
    showBudgets();
    const readAt = now();
    metrics.siteGaugesAge.readFrom(() => [[[], Math.max(0, now() - readAt)]]);
  }

  return {
    start() {
      if (stopRefreshing) return;
      delay = monitorEventLoopDelay({ resolution: delayResolutionMs });
      delay.enable();
      stopCollections = watchCollections(metrics.node);
      stopRefreshing = runEvery(refreshEveryMs, refresh, onError);
      first = refresh().catch(onError);
    },
    refresh,
    async stop() {
      delay?.disable();
      stopCollections?.();
      await Promise.all([first, stopRefreshing?.()]);
    },
  };
}

const show = (metric: GatewayMetrics["holdsOpen"], value: number): void =>
  metric.readFrom(() => [[[], value]]);

/** The table exists on PostgreSQL alone. */
const makeRollupQueueRows = (db: Pick<Database, "sql">) => {
  const query = template<{ count: number }>`select count(*) as count from rollup_queue`;
  return { compile: () => query.compile(db.sql) };
};
