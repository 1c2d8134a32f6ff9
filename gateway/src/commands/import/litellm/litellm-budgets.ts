/**
 * The rest of a budget of LiteLLM, in units. A budget that is refilled there is a balance here,
 * without its refills. Pure.
 */
import { quotaMax } from "@tollgate/contract/api/scalars.ts";

export interface LitellmBudget {
  /** Units; null without a limit. */
  max: number | null;
  duration: string;
  resetAtMs: number | undefined;
}

export interface BudgetRest {
  /** Units; null without a limit. */
  rest: number | null;
  /** `refilled` says how often it is refilled there, empty for never. */
  refilled: string;
}

/**
 * The smallest of what the budgets leave of the spending. A window that has ended is not reset yet,
 * because a job does it every few minutes: its spending counts no more.
 */
export function buildRest(
  budgets: readonly LitellmBudget[],
  spent: number,
  now: number,
): BudgetRest {
  const limited = budgets.flatMap(({ max, duration, resetAtMs }) => {
    if (max === null) return [];
    const counted = resetAtMs !== undefined && resetAtMs <= now ? 0 : spent;
    return [{ rest: Math.min(quotaMax, Math.max(0, max - counted)), refilled: duration }];
  });
  return limited.reduce<BudgetRest>(
    (least, next) => (least.rest === null || next.rest < least.rest ? next : least),
    {
      rest: null,
      refilled: "",
    },
  );
}
