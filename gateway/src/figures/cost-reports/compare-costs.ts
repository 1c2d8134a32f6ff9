/**
 * Compares what was charged here with what a provider reports, by UTC day and model. Pure; sums are
 * integers.
 */
import type {
  ComparedCost,
  CostComparison,
  CostDay,
  CostFigures,
} from "@tollgate/contract/figures/cost-reports.ts";
import { collectModelGroups } from "./model-aliases.ts";

/** `CostLine` is one model of one day on one side. */
export interface CostLine extends CostFigures {
  /** UTC days since 1970. */
  day: number;
  model: string;
}

export interface ReadDay {
  day: number;
  /** `readAt` is when the provider was asked, in milliseconds. */
  readAt: number;
  /** `isIncomplete` says whether log rows of the day had been deleted before. */
  isIncomplete: boolean;
}

const dayMs = 86_400_000;
/**
 * `closesAfterMs` says how long after its end a day may still change at the provider: costs are
 * computed some hours after usage.
 */
const closesAfterMs = dayMs;

export const isClosed = ({ day, readAt }: Pick<ReadDay, "day" | "readAt">): boolean =>
  readAt >= (day + 1) * dayMs + closesAfterMs;

export const formatDayText = (day: number): string =>
  new Date(day * dayMs).toISOString().slice(0, 10);

interface GroupedLine {
  day: number;
  group: string;
  model: string;
  side: "charged" | "reported";
  figures: CostFigures;
}

/** `days` names the days that were read; lines of other days are ignored. */
export function compareCosts(
  days: readonly ReadDay[],
  charged: readonly CostLine[],
  reported: readonly CostLine[],
): CostComparison {
  const groups = collectModelGroups(collectNames(charged), collectNames(reported));
  const grouped = (side: GroupedLine["side"], lines: readonly CostLine[]): GroupedLine[] =>
    lines.map(({ day, model, ...figures }) => ({
      day,
      model,
      figures,
      side,
      group: groups.get(model) ?? model,
    }));
  const byDay = Map.groupBy(
    [...grouped("charged", charged), ...grouped("reported", reported)],
    ({ day }) => day,
  );
  const compared = days
    .toSorted((one, other) => other.day - one.day)
    .map((read): CostDay => {
      const lines = byDay.get(read.day) ?? [];
      return {
        day: formatDayText(read.day),
        state: classifyDay(read),
        lines: compareByModel(lines),
        total: compareTotal(lines),
      };
    });
  const closed = days.filter((read) => classifyDay(read) === "closed");
  const closedLines = closed.flatMap(({ day }) => byDay.get(day) ?? []);
  return {
    days: compared,
    models: compareByModel(closedLines),
    total: compareTotal(closedLines),
    closed_days: closed.length,
  };
}

const collectNames = (lines: readonly CostLine[]): Set<string> =>
  new Set(lines.map(({ model }) => model));

const classifyDay = (read: ReadDay): CostDay["state"] =>
  read.isIncomplete ? "incomplete" : isClosed(read) ? "closed" : "open";

/** The most expensive first. */
function compareByModel(lines: readonly GroupedLine[]): ComparedCost[] {
  const compared = [...Map.groupBy(lines, ({ group }) => group).values()].map((ofModel) => ({
    ...compareTotal(ofModel),
    models: [...new Set(ofModel.map(({ model }) => model))].sort(),
  }));
  return compared.sort(
    (one, other) =>
      computeWeight(other) - computeWeight(one) ||
      (one.models[0] ?? "").localeCompare(other.models[0] ?? ""),
  );
}

const computeWeight = ({ charged, reported }: ComparedCost): number =>
  Math.max(charged?.cost_micros ?? 0, reported?.cost_micros ?? 0);

function compareTotal(lines: readonly GroupedLine[]): ComparedCost {
  const side = (name: GroupedLine["side"]): CostFigures | null =>
    sum(lines.filter((line) => line.side === name).map(({ figures }) => figures));
  const charged = side("charged");
  const reported = side("reported");
  return { models: [], charged, reported, ...buildDifference(charged, reported) };
}

/** A side without lines counts as 0 beside one that has a cost. */
function buildDifference(
  charged: CostFigures | null,
  reported: CostFigures | null,
): Pick<ComparedCost, "difference_micros" | "difference_percent"> {
  const ours = charged === null ? 0 : charged.cost_micros;
  const theirs = reported === null ? 0 : reported.cost_micros;
  if (ours === null || theirs === null)
    return { difference_micros: null, difference_percent: null };
  const difference = theirs - ours;
  return {
    difference_micros: difference,
    difference_percent: theirs > 0 ? Math.round((difference / theirs) * 10_000) / 100 : null,
  };
}

const figureNames = ["requests", "prompt_tokens", "completion_tokens", "cost_micros"] as const;

/**
 * A figure that no line has stays unknown. Some lines report costs and others tokens, so one
 * without a figure adds nothing.
 */
function sum(lines: readonly CostFigures[]): CostFigures | null {
  if (lines.length === 0) return null;
  const total: CostFigures = {
    requests: null,
    prompt_tokens: null,
    completion_tokens: null,
    cost_micros: null,
  };
  for (const line of lines) {
    for (const name of figureNames) {
      const value = line[name];
      if (value !== null) total[name] = (total[name] ?? 0) + value;
    }
  }
  return total;
}

/** Differences below this are rounding. */
const noticeableMicros = 10_000;

/**
 * `computePercentApart` says how far two costs are from each other, in per cent of the larger one;
 * 0 for rounding.
 */
export const computePercentApart = (ours: number, theirs: number): number =>
  Math.abs(theirs - ours) > noticeableMicros
    ? (Math.abs(theirs - ours) * 100) / Math.max(ours, theirs)
    : 0;

/**
 * `differsAbove` says whether the closed days differ by more than `thresholdPercent` of the larger
 * side, in cost or, where the provider reports no cost, in tokens.
 */
export function differsAbove(
  { charged, reported }: ComparedCost,
  thresholdPercent: number,
): boolean {
  const theirs = reported === null ? 0 : reported.cost_micros;
  if (theirs !== null)
    return computePercentApart(charged?.cost_micros ?? 0, theirs) > thresholdPercent;
  const tokens = (side: CostFigures | null): number =>
    (side?.prompt_tokens ?? 0) + (side?.completion_tokens ?? 0);
  const [ours, counted] = [tokens(charged), tokens(reported)];
  return Math.abs(counted - ours) * 100 > thresholdPercent * Math.max(ours, counted);
}
