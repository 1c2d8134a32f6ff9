/**
 * Causes of alerts that are figures far from the usual ones: spending of keys, latency of models,
 * space on the disk. Pure.
 */
import type { AlertRuleSettings } from "@tollgate/contract/notices/alert-rule-settings.ts";
import type { DiskSpace } from "../../storage/disk-space.ts";
import { computeHour, findPercentile } from "../../storage/rollups.ts";
import { formatDollars, unitsPerDollar } from "./dollars-of.ts";
import type { Cause } from "./operator-causes.ts";

/**
 * `SpendingToken` is what a key has spent today (UTC), and on those of the 14 days before on which
 * it spent anything. In units.
 */
export interface SpendingToken {
  id: number;
  name: string;
  username: string;
  today: number;
  usualDays: readonly number[];
}

/** Times to the first content of a model's calls in one hour, by the buckets of the roll-ups. */
export interface ModelSpeed {
  model_name: string;
  /** Since 1970. */
  hour: number;
  ttft: readonly number[];
}

export interface UnusualFigures {
  tokens: readonly SpendingToken[];
  speeds: readonly ModelSpeed[];
  /** Undefined where the database is elsewhere. */
  disk: DiskSpace | undefined;
}

/** Less is no reason to wake an operator, however unusual it is. */
export const spikeUnitsMin = 5 * unitsPerDollar;
/** Fewer days say nothing of what is usual. */
const usualDaysMin = 3;

const hoursPerDay = 24;
export const comparedDays = 7;
/** Fewer calls say little about a median. */
export const timedCallsMin = 50;

const bytesPerGb = 1_000_000_000;
/** `diskFreeEnoughBytes` is enough on a large disk, where a tenth is much. */
const diskFreeEnoughBytes = 20 * bytesPerGb;
/**
 * `diskFreeMinBytes` is for a small disk, where more than a tenth may be little: the database alone
 * may need it to tidy up.
 */
const diskFreeMinBytes = bytesPerGb;

export const listUnusualCauses = (
  figures: UnusualFigures,
  rules: AlertRuleSettings,
  now: number,
): Cause[] => [
  ...listSpikes(figures, rules),
  ...listSlowModels(figures, rules, now),
  ...listFullDisk(figures, rules),
];

/**
 * `listSpikes` looks at a sum that only grows within a day, so that the alert ends with the day.
 */
function listSpikes({ tokens }: UnusualFigures, rules: AlertRuleSettings): Cause[] {
  const { begins, ends } = rules["spend.spike"].limits;
  return tokens.flatMap(({ id, name, username, today, usualDays }) => {
    const usual = computeMedian(usualDays);
    if (today < spikeUnitsMin || usualDays.length < usualDaysMin || today <= usual * ends)
      return [];
    const sums = { spent: formatDollars(today), usual: formatDollars(usual) };
    const facts = { kind: "spend_spiking", key: name, username, ...sums } as const;
    const threshold = Math.max(usual * begins, spikeUnitsMin) / unitsPerDollar;
    const measure = { value: today / unitsPerDollar, threshold };
    const event = {
      rule: "spend.spike",
      subject: { kind: "token", id, name },
      facts,
      measure,
    } as const;
    return [{ event, begins: today > usual * begins }];
  });
}

const computeMedian = (values: readonly number[]): number => {
  const sorted = values.toSorted((one, other) => one - other);
  const middle = Math.floor((sorted.length - 1) / 2);
  return ((sorted[middle] ?? 0) + (sorted[sorted.length - 1 - middle] ?? 0)) / 2;
};

/**
 * `listSlowModels` compares this hour, or together with the one before while it has few calls, with
 * the same hours of the seven days before.
 */
function listSlowModels(
  { speeds }: UnusualFigures,
  rules: AlertRuleSettings,
  now: number,
): Cause[] {
  const { begins, ends } = rules["calls.slow"].limits;
  const current = computeHour(now);
  return [...Map.groupBy(speeds, ({ model_name }) => model_name)].flatMap(([model, rows]) => {
    const within = (hours: readonly number[]) =>
      sumHistograms(rows.filter(({ hour }) => hours.includes(hour)));
    const latest = within([current]);
    const hours = computeCalls(latest) < timedCallsMin ? [current, current - 1] : [current];
    const days = Array.from({ length: comparedDays }, (_, day) => (day + 1) * hoursPerDay);
    const [recent, before] = [
      within(hours),
      within(days.flatMap((ago) => hours.map((hour) => hour - ago))),
    ];
    const [medianMs, usualMs] = [
      findPercentile(recent, 0.5) ?? 0,
      findPercentile(before, 0.5) ?? 0,
    ];
    if (
      Math.min(computeCalls(recent), computeCalls(before)) < timedCallsMin ||
      medianMs <= usualMs * ends
    )
      return [];
    const facts = { kind: "calls_slow", model, medianMs, usualMs } as const;
    const measure = { value: medianMs, threshold: usualMs * begins };
    const event = {
      rule: "calls.slow",
      subject: { kind: "model", id: model, name: model },
      facts,
      measure,
    } as const;
    return [{ event, begins: medianMs > usualMs * begins }];
  });
}

const computeCalls = (histogram: readonly number[]): number =>
  histogram.reduce((sum, count) => sum + count, 0);

const sumHistograms = (rows: readonly ModelSpeed[]): number[] =>
  rows.reduce<number[]>(
    (sums, { ttft }) => ttft.map((count, bucket) => (sums[bucket] ?? 0) + count),
    [],
  );

function listFullDisk({ disk }: UnusualFigures, rules: AlertRuleSettings): Cause[] {
  if (disk === undefined || disk.total === 0 || disk.free >= diskFreeEnoughBytes) return [];
  const { begins, ends } = rules["storage.trouble"].limits;
  const percent = (disk.free / disk.total) * 100;
  const isBelow = (limit: number, bytes: number) => percent < limit || disk.free < bytes;
  if (!isBelow(ends, (diskFreeMinBytes * ends) / begins)) return [];
  const gigabytes = (disk.free / bytesPerGb).toFixed(1);
  const facts = { kind: "disk_low", gigabytes, percent: Math.floor(percent) } as const;
  const enough = Math.max(
    Math.min((disk.total * begins) / 100, diskFreeEnoughBytes),
    diskFreeMinBytes,
  );
  const measure = { value: disk.free / bytesPerGb, threshold: enough / bytesPerGb };
  const subject = { kind: "site", id: "disk", name: "disk" } as const;
  const event = { rule: "storage.trouble", subject, facts, measure } as const;
  return [{ event, begins: isBelow(begins, diskFreeMinBytes) }];
}
