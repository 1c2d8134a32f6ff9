import type { ModelUsage } from "@tollgate/contract/figures/dashboard.ts";

/** `UsageRow` has the counts that every server of the family keeps. */
export type UsageRow = Pick<
  ModelUsage,
  "Day" | "ModelName" | "RequestCount" | "Quota" | "PromptTokens" | "CompletionTokens"
>;

export type UsageTotals = {
  requests: number;
  quota: number;
  prompt: number;
  completion: number;
  tokens: number;
};

const zeroTotals: UsageTotals = { requests: 0, quota: 0, prompt: 0, completion: 0, tokens: 0 };

function add(sum: UsageTotals, row: UsageRow): UsageTotals {
  return {
    requests: sum.requests + row.RequestCount,
    quota: sum.quota + row.Quota,
    prompt: sum.prompt + row.PromptTokens,
    completion: sum.completion + row.CompletionTokens,
    tokens: sum.tokens + row.PromptTokens + row.CompletionTokens,
  };
}

export const sumUsage = (rows: readonly UsageRow[]): UsageTotals => rows.reduce(add, zeroTotals);

export type DayTotals = UsageTotals & { day: string };

/** `groupByDay` gives one entry for every day of the range; a day without requests is zero. */
export function groupByDay(rows: readonly UsageRow[], days: readonly string[]): DayTotals[] {
  const sums = new Map<string, UsageTotals>(days.map((day) => [day, zeroTotals]));
  for (const row of rows) {
    const day = row.Day.slice(0, 10);
    const sum = sums.get(day);
    if (sum !== undefined) sums.set(day, add(sum, row));
  }
  return [...sums].map(([day, sum]) => ({ day, ...sum }));
}

export type ModelTotals = UsageTotals & { model: string };

/** Sorted by requests, then by name. */
export function groupByModel(rows: readonly UsageRow[]): ModelTotals[] {
  const sums = new Map<string, UsageTotals>();
  for (const row of rows) sums.set(row.ModelName, add(sums.get(row.ModelName) ?? zeroTotals, row));
  return [...sums]
    .map(([model, sum]) => ({ model, ...sum }))
    .sort((a, b) => b.requests - a.requests || a.model.localeCompare(b.model));
}

/** The change in per cent; undefined when the previous value is 0. */
export function changePercent(now: number, before: number): number | undefined {
  return before === 0 ? undefined : ((now - before) / before) * 100;
}

export type ComparedMetric = "requests" | "quota" | "tokens";

/**
 * `DayComparison` is what the last day is compared with: `same-time` is the previous day up to the
 * same time of day.
 */
export type DayComparison = {
  percent: number | undefined;
  basis: "previous-day" | "so-far-today" | "same-time";
};

export type ComparisonInput = {
  days: readonly DayTotals[];
  /** The previous period, if it is known. */
  periodBefore: UsageTotals | undefined;
  /** The previous day up to now, from servers that send it. */
  sameTime: Record<ComparedMetric, number> | undefined;
  /** The last day is not finished. */
  endsToday: boolean;
};

/**
 * The change of the last day against the day before it; for a single day, against the previous
 * period.
 */
export function compareDay(
  { days, periodBefore, sameTime, endsToday }: ComparisonInput,
  metric: ComparedMetric,
): DayComparison {
  const last = days.at(-1);
  const dayBefore = days.length === 1 ? periodBefore : days.at(-2);
  const isSameTime = endsToday && sameTime !== undefined;
  const before = isSameTime ? sameTime : dayBefore;
  return {
    percent:
      last === undefined || before === undefined
        ? undefined
        : changePercent(last[metric], before[metric]),
    basis: isSameTime ? "same-time" : endsToday ? "so-far-today" : "previous-day",
  };
}

/** Quota units per request. */
export const computeAverageCost = ({ quota, requests }: UsageTotals): number =>
  requests === 0 ? 0 : quota / requests;
export const computeTokensPerRequest = ({ tokens, requests }: UsageTotals): number =>
  requests === 0 ? 0 : tokens / requests;

export type UsageTrend = { direction: "rising" | "declining" | undefined; dailyRequests: number };

/** The days must be finished, or their end is mistaken for a decline. */
export function buildUsageTrend(days: readonly DayTotals[]): UsageTrend {
  const dailyRequests =
    days.length === 0 ? 0 : days.reduce((sum, day) => sum + day.requests, 0) / days.length;
  if (dailyRequests === 0) return { direction: undefined, dailyRequests };
  return {
    direction: (days.at(-1)?.requests ?? 0) > dailyRequests ? "rising" : "declining",
    dailyRequests,
  };
}

/** Requests per hour. */
export const computeThroughput = (requests: number, days: number): number =>
  days === 0 ? 0 : requests / (days * 24);

export type ModelEfficiency = ModelTotals & {
  /** Currency per request. */
  cost: number;
  /** Tokens per unit of currency; 0 for a free model. */
  efficiency: number;
};

export function listModelEfficiencies(
  models: readonly ModelTotals[],
  quotaPerUnit: number,
): ModelEfficiency[] {
  return models.map((model) => ({
    ...model,
    cost: computeAverageCost(model) / quotaPerUnit,
    efficiency: model.quota === 0 ? 0 : model.tokens / (model.quota / quotaPerUnit),
  }));
}
