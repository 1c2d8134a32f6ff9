/**
 * Counts the calls of models. What a call changes is looked up by one key and kept, so that its end
 * costs a few additions; the labels are of the gateway's own choice, and none is a name that a
 * client may invent.
 */
import { buckets, type Usage } from "../money/prices/price.ts";
import type { LogRow } from "../storage/tables/call-tables.ts";
import { type GatewayMetrics, watchedBudgets } from "./gateway-metrics.ts";
import { countOperation, createGenAiSeries, type GenAiSeries } from "./gen-ai-metrics.ts";
import { type Counter, type Histogram, otherValue } from "./metric-registry.ts";

/**
 * `AttemptResult` says how an attempt ended for its channel. `stopped`: the client left or the
 * quota ran out, which says nothing about it.
 */
export type AttemptResult =
  | "ok"
  | "4xx"
  | "429"
  | "5xx"
  | "connect"
  | "timeout"
  | "cut"
  | "stopped";

export interface EndedAttempt {
  channelId: number;
  result: AttemptResult;
  elapsedMs: number;
}

/** `CallMeasures` are what the log row of a call does not hold. */
export interface CallMeasures {
  /** The endpoint of the client API. */
  entry: string;
  group: string;
  usage: Usage;
  attempts: readonly EndedAttempt[];
  /** `overheadMs` come from the arrival of the call to its first attempt; 0 without an attempt. */
  overheadMs: number;
}

export type CountedLog = Pick<
  LogRow,
  | "origin_model_name"
  | "channel_id"
  | "token_id"
  | "outcome"
  | "is_stream"
  | "elapsed_ms"
  | "ttft_ms"
  | "quota"
  | "cost_nanos"
>;

export interface CallMetrics {
  /**
   * A call over HTTP, or with `isSession` a realtime session, has begun; `ended` takes the same
   * values.
   */
  began(entry: string, isSession?: boolean): void;
  ended(entry: string, isSession?: boolean): void;
  /** `budget` is the one that refused, where one did. */
  refused(entry: string, reason: string, budget?: { id: number; subject: string }): void;
  /** The settlement is stored. */
  settled(log: CountedLog, measures: CallMeasures): void;
  settleTook(ms: number): void;
  settleRetried(): void;
  /**
   * The sweeper has ended a hold; the settlement is missing where nothing was recorded as
   * delivered.
   */
  swept(settlement: { log: CountedLog; usage: Usage } | undefined): void;
}

/** The series of one combination of labels, as far as calls have needed them. */
interface CallSeries {
  labels: {
    entry: string;
    model: string;
    channel: string;
    more: readonly string[];
    charged: readonly string[];
  };
  /** `whole` goes by outcome, of whole answers and of streams. */
  whole: Map<string, Counter>;
  streamed: Map<string, Counter>;
  duration: Histogram;
  firstContent: Histogram | undefined;
  overhead: Histogram;
  /** `tokens` are in the order of `buckets`. */
  tokens: (Counter | undefined)[];
  charged: Counter;
  cost: Counter | undefined;
  genAi: GenAiSeries | undefined;
}

interface ChannelSeries {
  results: Map<AttemptResult, Counter>;
  duration: Histogram;
}

/** Kept look-ups. With `token` among the labels they are as many as keys that make calls. */
const keptMax = 20_000;
const usPerMs = 1_000;

/**
 * `isServed`: whether an enabled channel or a virtual model serves a name. `findType` gives the type
 * of a channel; without it, nothing is counted by OpenTelemetry's conventions.
 */
export function createCallMetrics(
  metrics: GatewayMetrics,
  isServed: (model: string) => boolean,
  findType?: (channelId: number) => number | undefined,
): CallMetrics {
  const { registry, addedLabels } = metrics;
  const hasTokenLabel = addedLabels.includes("token");
  const kept = new Map<string, CallSeries>();
  const channels = new Map<number, ChannelSeries>();
  let generation = registry.generation;
  const running = new Map<string, number>();
  const sessions = new Map<string, number>();
  const settleDuration = metrics.settleDuration.child();
  const settleRetries = metrics.settleRetries.child();
  // From 0 on, so that an alert sees the first one rise.
  const sweptHolds = {
    settled: metrics.swept.child("settled"),
    released: metrics.swept.child("released"),
  };
  metrics.callsInFlight.readFrom(() => listGauge(running));
  metrics.realtimeOpen.readFrom(() => listGauge(sessions));

  function forgetStale(): void {
    if (generation === registry.generation && kept.size <= keptMax) return;
    generation = registry.generation;
    kept.clear();
    channels.clear();
  }

  function seriesOf(
    { origin_model_name, channel_id, token_id }: CountedLog,
    entry: string,
    group: string,
  ): CallSeries {
    const key = `${entry}\0${channel_id}\0${group}\0${hasTokenLabel ? token_id : 0}\0${origin_model_name}`;
    const known = kept.get(key);
    if (known) return known;
    const model = isServed(origin_model_name) ? origin_model_name : otherValue;
    const channel = String(channel_id);
    const values = { group, token: String(token_id) };
    const more = addedLabels.map((label) => values[label]);
    const charged = addedLabels.flatMap((label) => (label === "group" ? [] : [values[label]]));
    const series: CallSeries = {
      labels: { entry, model, channel, more, charged },
      whole: new Map(),
      streamed: new Map(),
      duration: metrics.callDuration.child(entry, model),
      firstContent: undefined,
      overhead: metrics.overhead.child(entry),
      tokens: [],
      charged: metrics.charged.child(model, group, ...charged),
      cost: undefined,
      genAi: undefined,
    };
    const type = findType?.(channel_id);
    if (type !== undefined) series.genAi = createGenAiSeries(entry, type, model);
    kept.set(key, series);
    return series;
  }

  function callsOf(series: CallSeries, outcome: string, isStream: boolean): Counter {
    const byOutcome = isStream ? series.streamed : series.whole;
    const known = byOutcome.get(outcome);
    if (known) return known;
    const { entry, model, channel, more } = series.labels;
    const counter = metrics.calls.child(entry, model, channel, outcome, String(isStream), ...more);
    byOutcome.set(outcome, counter);
    return counter;
  }

  function addTokens(series: CallSeries, usage: Usage): void {
    for (let place = 0; place < buckets.length; place += 1) {
      const bucket = buckets[place] as (typeof buckets)[number];
      const amount = usage[bucket] ?? 0;
      if (amount <= 0) continue;
      let counter = series.tokens[place];
      if (!counter) {
        const { model, channel, more } = series.labels;
        counter = metrics.tokens.child(model, channel, bucket, ...more);
        series.tokens[place] = counter;
      }
      counter.add(amount);
    }
  }

  function countAttempt({ channelId, result, elapsedMs }: EndedAttempt): void {
    let series = channels.get(channelId);
    if (!series) {
      series = { results: new Map(), duration: metrics.attemptDuration.child(String(channelId)) };
      channels.set(channelId, series);
    }
    let counter = series.results.get(result);
    if (!counter) {
      counter = metrics.attempts.child(String(channelId), result);
      series.results.set(result, counter);
    }
    counter.add(1);
    series.duration.observe(elapsedMs);
  }

  function settled(
    log: CountedLog,
    { entry, group, usage, attempts, overheadMs }: CallMeasures,
  ): void {
    forgetStale();
    const series = seriesOf(log, entry, group);
    callsOf(series, log.outcome, log.is_stream === 1).add(1);
    series.duration.observe(log.elapsed_ms);
    if (log.ttft_ms > 0) {
      series.firstContent ??= metrics.firstContent.child(
        series.labels.model,
        series.labels.channel,
      );
      series.firstContent.observe(log.ttft_ms);
    }
    if (overheadMs > 0) series.overhead.observe(overheadMs * usPerMs);
    addTokens(series, usage);
    series.charged.add(log.quota);
    if (log.cost_nanos !== null) {
      series.cost ??= metrics.cost.child(series.labels.channel);
      series.cost.add(log.cost_nanos);
    }
    if (series.genAi) countOperation(metrics.genAi, series.genAi, log, usage);
    for (const attempt of attempts) countAttempt(attempt);
  }

  return {
    began: (entry, isSession = false) => change(isSession ? sessions : running, entry, 1),
    ended: (entry, isSession = false) => change(isSession ? sessions : running, entry, -1),
    refused(entry, reason, budget) {
      metrics.refused.child(entry, reason).add(1);
      if (budget && isWatchedBudget(budget.subject))
        metrics.budgetRefused.child(String(budget.id)).add(1);
    },
    settled,
    settleTook: (ms) => settleDuration.observe(ms * usPerMs),
    settleRetried: () => settleRetries.add(1),
    swept(settlement) {
      sweptHolds[settlement ? "settled" : "released"].add(1);
      // Who made the call is not looked up again: its group at that time is unknown.
      if (settlement) settled(settlement.log, buildSweptMeasures(settlement.usage));
    },
  };
}

const isWatchedBudget = (subject: string): boolean =>
  watchedBudgets.some((watched) => watched === subject);

const buildSweptMeasures = (usage: Usage): CallMeasures => ({
  entry: otherValue,
  group: otherValue,
  usage,
  attempts: [],
  overheadMs: 0,
});

const change = (counts: Map<string, number>, entry: string, by: number): void =>
  void counts.set(entry, (counts.get(entry) ?? 0) + by);

const listGauge = (counts: ReadonlyMap<string, number>): [[string], number][] =>
  [...counts].map(([entry, count]) => [[entry], count]);
