/** Reads what a provider charged, and what was charged here on the same days, and stores both. */
import { readKeyDestination } from "@tollgate/contract/accounts/key-destination.ts";
import { openProxy } from "../../catalogue/channels/channel-proxy.ts";
import type { ProxyAddress } from "../../egress/proxy-address.ts";
import type { Sealer } from "../../secrets/seal.ts";
import { type Database, RejectedWrite } from "../../storage/database.ts";
import { readChargedDay } from "./charged-day.ts";
import { isClosed } from "./compare-costs.ts";
import { findCostReportApi } from "./cost-report-apis.ts";
import type { CostReportSpan } from "./cost-report-question.ts";
import { summarizeChannels } from "./cost-report-rules.ts";
import type { ChannelReport, CostReportStore } from "./cost-report-store.ts";
import type { CostReportResult, FetchCostReport } from "./fetch-cost-report.ts";
import { openReportKey } from "./report-key.ts";

const dayMs = 86_400_000;
/** A first read goes so far back: OpenRouter reports 30 finished days. */
const daysBack = 30;
/** `everyMs` says how often a report is read by itself, and how soon after a failure. */
const everyMs = 6 * 3_600_000;
const retryAfterMs = 3_600_000;
const daysKept = 400;

export interface CostReportReaderDeps {
  db: Database;
  store: CostReportStore;
  seal: Sealer;
  fetchReport: FetchCostReport;
  now(): number;
  onError(error: unknown): void;
}

export interface CostReportReader {
  /**
   * Reads one report now. Rejects with `cost_report_just_read` when another attempt has begun since
   * `report` was read.
   */
  read(report: ChannelReport, signal?: AbortSignal): Promise<void>;
  /** `readDue` is for the schedule of each node: reads what is due and no other node reads. */
  readDue(signal: AbortSignal): Promise<void>;
}

export function createCostReportReader(deps: CostReportReaderDeps): CostReportReader {
  const { db, store, seal, fetchReport, now, onError } = deps;

  /** The last 30 days as far as the provider reports them, without those that are closed. */
  async function openDays({ channel_uuid, type }: ChannelReport, at: number): Promise<number[]> {
    const today = Math.floor(at / dayMs);
    const lastDay = findCostReportApi(type)?.hasToday === false ? today - 1 : today;
    const known = await store.days(channel_uuid, today - daysBack, lastDay);
    const closed = new Set(
      known.filter(({ day, read_at }) => isClosed({ day, readAt: read_at })).map(({ day }) => day),
    );
    const days = Array.from(
      { length: lastDay - today + daysBack + 1 },
      (_, index) => today - daysBack + index,
    );
    return days.filter((day) => !closed.has(day));
  }

  async function ask(
    report: ChannelReport,
    span: CostReportSpan,
    signal?: AbortSignal,
  ): Promise<CostReportResult> {
    if (report.destination !== readKeyDestination(report))
      return { failure: "address_changed", status: 0 };
    let key: string;
    let proxy: ProxyAddress | undefined;
    try {
      key = openReportKey(seal, report);
      proxy = openProxy(seal, { uuid: report.channel_uuid, proxy_sealed: report.proxy_sealed });
    } catch (error) {
      onError(error);
      return { failure: "key_unreadable", status: 0 };
    }
    return fetchReport({ channel: report, key, proxy, scope: report.scope, ...span, signal });
  }

  /**
   * Settings that changed meanwhile make the answer one of another account: every statement here
   * then misses.
   */
  async function storeResult(
    report: ChannelReport,
    days: readonly number[],
    result: CostReportResult,
    at: number,
  ): Promise<void> {
    if ("failure" in result) {
      const { failure, status: failure_status } = result;
      await db.write([
        store.update(report, { failure, failure_status, due_at: at + retryAfterMs }),
      ]);
      return;
    }
    const channelIds = summarizeChannels(report);
    const reported = Map.groupBy(result.lines, ({ day }) => day);
    for (const day of days) {
      const { lines: charged, isIncomplete } = await readChargedDay(store, channelIds, day);
      const { channel_uuid } = report;
      const row = {
        channel_uuid,
        day,
        read_at: at,
        is_incomplete: isIncomplete ? (1 as const) : (0 as const),
      };
      const sides = { charged, reported: reported.get(day) ?? [] };
      await db.write([store.update(report, { failure: "" }), ...store.replaceDay(row, sides)]);
    }
    await db.write([store.update(report, { read_at: at, failure: "", failure_status: 0 })]);
  }

  async function read(report: ChannelReport, signal?: AbortSignal): Promise<void> {
    const at = now();
    await db.write([store.claim(report, at, at + everyMs)]);
    const days = await openDays(report, at);
    const result = await ask(
      report,
      { firstDay: Math.min(...days), lastDay: Math.max(...days) },
      signal,
    );
    if (signal?.aborted !== true) await storeResult(report, days, result, at);
  }

  return {
    read,
    async readDue(signal) {
      for (const report of await store.due(now())) {
        if (signal.aborted) return;
        await read(report, signal).catch((error: unknown) => {
          // Another node reads it, or an administrator changed it.
          if (!(error instanceof RejectedWrite)) onError(error);
        });
      }
      await db.write(store.removeDaysBefore(Math.floor(now() / dayMs) - daysKept));
    },
  };
}
