/**
 * The answer to a client whose call a budget does not cover, and the budgets that the holder of a
 * key may see.
 */
import type { BudgetMeasure } from "@tollgate/contract/accounts/budget-kinds.ts";
import { tellAmount } from "../../accounts/budgets/budget-measures.ts";
import type { BudgetPauses } from "../../accounts/budgets/budget-pauses.ts";
import type { BudgetRow, BudgetStore } from "../../accounts/budgets/budget-store.ts";
import { type CountedBudget, selectCounted } from "../../accounts/budgets/budget-view.ts";
import type { LiveBudgets } from "../../accounts/budgets/live-budgets.ts";
import { type BudgetRefusal, computeBudgetId } from "../../storage/money-commands.ts";
import { noRetryHeaders, type RefusingBudget, RelayRefused } from "../wire/relay-refusal.ts";
import type { CallerFunds } from "./caller-parts.ts";
import { tellCount, tellDollars } from "./told-dollars.ts";

/** `BudgetStopDeps` are what the refusal of a call needs besides. */
export interface BudgetStopDeps extends BudgetDeps {
  budgetPauses: Pick<BudgetPauses, "afterRefusal">;
}

export interface BudgetDeps {
  budgets: LiveBudgets;
  readCounters: BudgetStore["counters"];
}

/**
 * `callBudgetRefused` is about a call that began at `at` and was refused for want of `least` units:
 * the budget may pause the keys that it limits.
 */
export async function callBudgetRefused(
  refusal: BudgetRefusal,
  { least, run, ...begin }: RefusedBegin & { least: number; run?: string | undefined },
  deps: BudgetStopDeps,
): Promise<RelayRefused> {
  const counted = await readRefusingBudget(refusal, begin.at, deps, run);
  if (counted) await deps.budgetPauses.afterRefusal(counted, least);
  return refuseBudget(refusal, counted, begin);
}

interface RefusedBegin {
  /** `at` is when it began. */
  at: number;
  caller: Pick<CallerFunds, "team">;
  barred?: BarredModel | undefined;
}

/** `BarredModel` is where the budget sends calls, and why this one cannot go there. */
export interface BarredModel {
  model: string;
  message: string;
}

/** `forecastBudgetRefused` is about a call that is only asked about. */
export const forecastBudgetRefused = async (
  refusal: BudgetRefusal,
  begin: RefusedBegin,
  deps: BudgetDeps,
): Promise<RelayRefused> =>
  refuseBudget(refusal, await readRefusingBudget(refusal, begin.at, deps), begin);

async function readRefusingBudget(
  refusal: BudgetRefusal,
  at: number,
  { budgets, readCounters }: BudgetDeps,
  run?: string,
): Promise<CountedBudget | undefined> {
  const row = budgets.find(computeBudgetId(refusal));
  return row && (await selectCounted([row], at, readCounters, run))[0];
}

/** Client libraries do not repeat such a call: only time or the operator can help. */
function refuseBudget(
  refusal: BudgetRefusal,
  counted: CountedBudget | undefined,
  { caller, barred }: Pick<RefusedBegin, "caller" | "barred">,
): RelayRefused {
  return new RelayRefused({
    status: 403,
    type: "tollgate_error",
    code: "budget_exceeded",
    isOfMoney: true,
    message: counted
      ? formatRefusalText(counted, caller, barred)
      : "A budget does not cover this call",
    param: "",
    headers: [...noRetryHeaders, "x-tollgate-budget", String(computeBudgetId(refusal))],
    ...(counted && { budget: buildDetails(counted, caller) }),
  });
}

/**
 * `seesSums` says whose sums the holder of a key may know. What the whole site or all calls of a
 * model cost is known to the operator alone.
 */
export const seesSums: Readonly<
  Record<BudgetRow["subject"], (caller: Pick<CallerFunds, "team">) => boolean>
> = {
  site: () => false,
  user: () => true,
  token: () => true,
  model: () => false,
  tag: () => false,
  team: ({ team }) => team?.seesBalance === true,
  member: () => true,
  run: () => true,
  token_run: () => true,
  team_run: () => true,
  // It refuses no call by itself: the next channel is tried.
  channel: () => false,
};

type SumTeller = (sum: number, towards: "up" | "down") => string;
const composeTeller =
  (measure: Exclude<BudgetMeasure, "quota">, one: string): SumTeller =>
  (sum, towards) => {
    const told = tellAmount(measure, sum);
    return `${tellCount(told, towards)} ${told === 1 ? one : measure}`;
  };
const sumTellers: Readonly<Record<BudgetMeasure, SumTeller>> = {
  quota: tellDollars,
  calls: composeTeller("calls", "call"),
  minutes: composeTeller("minutes", "minute"),
};

function formatRefusalText(
  counted: CountedBudget,
  caller: Pick<CallerFunds, "team">,
  barred: BarredModel | undefined,
): string {
  const { row, window, spent, held, limit } = counted;
  const isUsedUp = spent + held >= limit;
  const tell = sumTellers[row.measure];
  const name = `Budget "${row.name}" ${isUsedUp ? "is used up" : "does not cover this call"}`;
  const running = held > 0 ? ` (of which ${tell(held, "down")} held by running calls)` : "";
  const sums = seesSums[row.subject](caller)
    ? `: ${tell(spent + held, "down")} of ${tell(limit, "up")}${running}`
    : "";
  const end =
    window.end === null
      ? "It does not start anew."
      : `It starts anew on ${formatMomentText(window.end, row.zone)} ${row.zone}.`;
  const asks =
    row.on_reached === "ask"
      ? " Its managers can grant more before then: ask in the console, where the budget is shown."
      : "";
  const elsewhere =
    barred === undefined
      ? ""
      : ` Calls go on with the model ${barred.model}, which cannot serve this one: ${barred.message}.`;
  return `${name}${sums}. ${end}${asks}${elsewhere}`;
}

export function buildDetails(
  { row, window, spent, held, limit, granted }: CountedBudget,
  caller: Pick<CallerFunds, "team">,
): RefusingBudget {
  const { id, name, subject, zone, measure } = row;
  const [amount, sums] = [
    tellAmount(measure, limit),
    [spent, held].map((sum) => tellAmount(measure, sum)),
  ];
  return {
    ...{ id, name, subject, level: subject, window: row.window },
    ...(measure !== "quota" && { measure }),
    ...(seesSums[subject](caller) && { amount, spent: sums[0] ?? 0, held: sums[1] ?? 0 }),
    ...(seesSums[subject](caller) && granted > 0 && { granted: tellAmount(measure, granted) }),
    ...(window.end !== null && { resets_at: new Date(window.end).toISOString() }),
    zone,
  };
}

/** `formatMomentText` writes a moment as `2026-12-01 00:00`. */
const formatMomentText = (at: number, zone: string): string =>
  Temporal.Instant.fromEpochMilliseconds(at)
    .toZonedDateTimeISO(zone)
    .toPlainDateTime()
    .toString({ smallestUnit: "minute" })
    .replace("T", " ");
