/** What a client gets when a budget does not cover its call, and which budgets the holder of a key may see. */
import type { BudgetPauses } from "../../budgets/budget-pauses.ts";
import type { BudgetRow, BudgetStore } from "../../budgets/budget-store.ts";
import { type CountedBudget, countedAt } from "../../budgets/budget-view.ts";
import type { LiveBudgets } from "../../budgets/live-budgets.ts";
import { type BudgetRefusal, budgetIdIn } from "../../storage/money-commands.ts";
import { noRetryHeaders, type RefusingBudget, RelayRefused } from "../wire/relay-refusal.ts";

/** What the refusal of a call needs besides. */
export interface BudgetStopDeps extends BudgetDeps {
  budgetPauses: Pick<BudgetPauses, "afterRefusal">;
}

export interface BudgetDeps {
  budgets: LiveBudgets;
  readCounters: BudgetStore["counters"];
}

/** Of a call that began at `at` and was refused for want of `least` units: the budget may pause the keys that it limits. */
export async function callBudgetRefused(
  refusal: BudgetRefusal,
  { at, least }: { at: number; least: number },
  deps: BudgetStopDeps,
): Promise<RelayRefused> {
  const counted = await refusingBudget(refusal, at, deps);
  if (counted) await deps.budgetPauses.afterRefusal(counted, least);
  return budgetRefusal(refusal, counted);
}

/** Of a call that is only asked about. */
export const forecastBudgetRefused = async (
  refusal: BudgetRefusal,
  at: number,
  deps: BudgetDeps,
): Promise<RelayRefused> => budgetRefusal(refusal, await refusingBudget(refusal, at, deps));

async function refusingBudget(
  refusal: BudgetRefusal,
  at: number,
  { budgets, readCounters }: BudgetDeps,
): Promise<CountedBudget | undefined> {
  const row = budgets.find(budgetIdIn(refusal));
  return row && (await countedAt([row], at, readCounters))[0];
}

/** Client libraries do not repeat such a call: only time or the operator can help. */
function budgetRefusal(refusal: BudgetRefusal, counted: CountedBudget | undefined): RelayRefused {
  return new RelayRefused({
    status: 403,
    type: "tollgate_error",
    code: "budget_exceeded",
    message: counted ? refusalText(counted) : "A budget does not cover this call",
    param: "",
    headers: [...noRetryHeaders, "x-tollgate-budget", String(budgetIdIn(refusal))],
    ...(counted && { budget: detailsOf(counted) }),
  });
}

/** What the whole site or all calls of a model cost is known to the operator alone. */
const isOfCaller = ({ subject }: Pick<BudgetRow, "subject">): boolean => subject === "user" || subject === "token";

function refusalText(counted: CountedBudget): string {
  const { row, window, spent, held } = counted;
  const isUsedUp = spent + held >= row.amount;
  const name = `Budget "${row.name}" ${isUsedUp ? "is used up" : "does not cover this call"}`;
  const running = held > 0 ? ` (of which ${dollars(held)} held by running calls)` : "";
  const sums = isOfCaller(row) ? `: ${dollars(spent + held)} of ${dollars(row.amount)}${running}` : "";
  const end =
    window.end === null
      ? "It does not start anew."
      : `It starts anew on ${momentText(window.end, row.zone)} ${row.zone}.`;
  return `${name}${sums}. ${end}`;
}

export function detailsOf({ row, window, spent, held }: CountedBudget): RefusingBudget {
  const { id, name, subject, zone, amount } = row;
  return {
    ...{ id, name, subject, window: row.window },
    ...(isOfCaller(row) && { amount, spent, held }),
    ...(window.end !== null && { resets_at: new Date(window.end).toISOString() }),
    zone,
  };
}

/** As `2026-12-01 00:00`. */
const momentText = (at: number, zone: string): string =>
  Temporal.Instant.fromEpochMilliseconds(at)
    .toZonedDateTimeISO(zone)
    .toPlainDateTime()
    .toString({ smallestUnit: "minute" })
    .replace("T", " ");

/** At least two decimals; a unit is two millionths of a dollar. */
function dollars(units: number): string {
  const digits = String(BigInt(units) * 2n).padStart(7, "0");
  return `$${digits.slice(0, -6)}.${digits.slice(-6).replace(/0{1,4}$/, "")}`;
}
