/** Equal steps of time, group by group, from rows of roll-ups or the log. Pure. */
import type {
  Spending,
  SpendingAmounts,
  SpendingGroup,
  SpendingUnit,
  StepAmounts,
} from "@tollgate/contract/figures/spending.ts";
import { spendingUnitSeconds } from "@tollgate/contract/figures/spending.ts";
import { refuse } from "../../http/refusal.ts";
import { isWholeSite, type PayerScope } from "../../storage/payer-scope.ts";
import { type DayRange, findRangeProblem } from "./dashboard-rules.ts";

/** `hourDaysMax` is decided: hours of more days cannot be told apart in a chart. */
const hourDaysMax = 2;
/** `groupedDaysMax` bounds the rows of keys, users and channels that one request adds up. */
const groupedDaysMax = 92;
/** `seriesMax` is more than a reader can tell apart; what is beyond is one sum. */
const seriesMax = 100;
const hoursOfDay = 24;

/** `SpendingRow.at` counts hours or days since 1970. */
export interface SpendingRow extends SpendingAmounts {
  at: number;
  id: string;
}

export interface SpendingName {
  name: string;
  owner: string;
}

export interface SpendingSpan {
  unit: SpendingUnit;
  /** Steps since 1970. */
  first: number;
  count: number;
}

/** `groupsOf` are the groups that the figures of each kind of payer have. */
const groupsOf: Readonly<Record<"account" | "team", readonly SpendingGroup[]>> = {
  account: ["model", "key"],
  team: ["model", "key", "user"],
};

export function requireGroup(by: SpendingGroup, payer: PayerScope): void {
  if (isWholeSite(payer)) return;
  if (payer.teamId !== undefined && !groupsOf.team.includes(by))
    throw refuse("invalid_request", { fields: { by: "must be model, key or user for a team" } });
  if (payer.teamId === undefined && !groupsOf.account.includes(by))
    throw refuse("invalid_request", {
      fields: { by: "must be model or key for one user: name user_id=all" },
    });
}

export const fitsHours = ({ first, last }: DayRange): boolean => last - first + 1 <= hourDaysMax;

/** `buildSpan` has all steps of the days, those that lie ahead too. */
export function buildSpan({ first, last }: DayRange, unit: SpendingUnit): SpendingSpan {
  const steps = unit === "hour" ? hoursOfDay : 1;
  return { unit, first: first * steps, count: (last - first + 1) * steps };
}

/**
 * `computeEarlierDays` gives as many days as the range has, before it; undefined where the role may
 * not read them.
 */
export function computeEarlierDays(
  { first, last }: DayRange,
  role: number,
  now: number,
): DayRange | undefined {
  const before = { first: first - (last - first + 1), last: first - 1 };
  return findRangeProblem(before, role, now) === undefined ? before : undefined;
}

/** `rankedDaysMax` bounds what ranking all users and keys reads. */
const rankedDaysMax = 7;

/** `limitRankedDays` are the days that decide which users and keys have a series of their own. */
export const limitRankedDays = ({ first, last }: DayRange): DayRange => ({
  first: Math.max(first, last - rankedDaysMax + 1),
  last,
});

/** `limitGroupedDays` keeps the last days of a long range. */
export const limitGroupedDays = ({ first, last }: DayRange): DayRange => ({
  first: Math.max(first, last - groupedDaysMax + 1),
  last,
});

/** `countFinished` is the number of steps that have ended. */
export const countFinished = ({ unit, first, count }: SpendingSpan, now: number): number =>
  Math.min(count, Math.max(0, Math.floor(now / 1000 / spendingUnitSeconds[unit]) - first));

const measures = ["quota", "requests", "tokens"] as const satisfies (keyof SpendingAmounts)[];
const buildEmptySteps = (count: number): StepAmounts => ({
  quota: new Array<number>(count).fill(0),
  requests: new Array<number>(count).fill(0),
  tokens: new Array<number>(count).fill(0),
});

function addStep(steps: StepAmounts, place: number, row: SpendingAmounts, sign: 1 | -1 = 1): void {
  for (const measure of measures) {
    const before = steps[measure][place];
    if (before !== undefined) steps[measure][place] = before + sign * row[measure];
  }
}

/** `sumSteps` adds up the first steps. */
function sumSteps(steps: StepAmounts, count: number): SpendingAmounts {
  const sum = (values: readonly number[]) =>
    values.slice(0, count).reduce((total, value) => total + value, 0);
  return { quota: sum(steps.quota), requests: sum(steps.requests), tokens: sum(steps.tokens) };
}

/** `groupSteps` are the steps of each id, and of all rows together. */
function groupSteps(rows: readonly SpendingRow[], { first, count }: SpendingSpan) {
  const byId = new Map<string, StepAmounts>();
  const total = buildEmptySteps(count);
  for (const row of rows) {
    const steps = byId.get(row.id) ?? buildEmptySteps(count);
    addStep(steps, row.at - first, row);
    addStep(total, row.at - first, row);
    byId.set(row.id, steps);
  }
  return { byId, total };
}

/**
 * `SpendingRows.totals` count what no group has, such as calls of deleted keys; undefined where
 * `rows` are complete.
 */
export interface SpendingRows {
  rows: readonly SpendingRow[];
  totals?: readonly SpendingRow[] | undefined;
}

interface SpendingInput {
  span: SpendingSpan;
  now: number;
  current: SpendingRows;
  earlier: SpendingRows | undefined;
  names: ReadonlyMap<string, SpendingName>;
}

/** `buildSpending` puts the largest groups first and what they leave last. */
export function buildSpending({ span, now, current, earlier, names }: SpendingInput): Spending {
  const { unit, first, count } = span;
  const finished = countFinished(span, now);
  const spanBefore = { ...span, first: first - count };
  const groups = groupSteps(current.rows, span);
  const groupsBefore = groupSteps(earlier?.rows ?? [], spanBefore);
  const total = groupSteps(current.totals ?? current.rows, span).total;
  const totalBefore = groupSteps(earlier?.totals ?? earlier?.rows ?? [], spanBefore).total;
  const none = buildEmptySteps(count);
  const readEarlier = (steps: StepAmounts) =>
    earlier === undefined ? null : sumSteps(steps, finished);

  const ranked = [...groups.byId]
    .map(([id, steps]) => ({ id, steps, whole: sumSteps(steps, count) }))
    .filter(({ whole }) => whole.requests > 0 || whole.quota > 0)
    .sort(
      (one, other) =>
        other.whole.quota - one.whole.quota ||
        other.whole.requests - one.whole.requests ||
        one.id.localeCompare(other.id),
    )
    .slice(0, seriesMax);
  const series: Spending["series"] = ranked.map(({ id, steps }) => ({
    id,
    name: names.get(id)?.name ?? id,
    owner: names.get(id)?.owner ?? "",
    ...steps,
    earlier: readEarlier(groupsBefore.byId.get(id) ?? none),
  }));
  const rest = subtractSteps(
    total,
    ranked.map(({ steps }) => steps),
  );
  const namedBefore = ranked.map(({ id }) => groupsBefore.byId.get(id) ?? none);
  const restBefore = subtractSteps(totalBefore, namedBefore);
  const { quota, requests } = sumSteps(rest, count);
  if (quota > 0 || requests > 0)
    series.push({ id: "", name: "", owner: "", ...rest, earlier: readEarlier(restBefore) });
  return {
    unit,
    first: first * spendingUnitSeconds[unit],
    until: Math.floor(now / 1000),
    series,
    earlier: earlier === undefined ? null : totalBefore,
  };
}

/**
 * `subtractSteps` never falls below zero: roll-ups that are read one after another may differ by
 * the latest calls.
 */
function subtractSteps(total: StepAmounts, parts: readonly StepAmounts[]): StepAmounts {
  const rest: StepAmounts = {
    quota: [...total.quota],
    requests: [...total.requests],
    tokens: [...total.tokens],
  };
  for (const part of parts) {
    for (const measure of measures) {
      part[measure].forEach((value, place) => {
        rest[measure][place] = Math.max(0, (rest[measure][place] ?? 0) - value);
      });
    }
  }
  return rest;
}
