/** The requests for more of a budget that can still be granted, as a condition. */
import { type RawBuilder, sql as raw } from "kysely";

/**
 * `isPresentRequest` is for statements that join `budget_requests` with `budgets`: the window of the
 * request has not ended, and the budget has not begun to count anew.
 */
export const isPresentRequest = (now: number): RawBuilder<boolean> =>
  raw<boolean>`(budget_requests.window_start >= budgets.counts_from
    and (budget_requests.window_end is null or budget_requests.window_end > ${now}))`;
