/** The amount of a budget with what was granted for a window, as SQL. */
import { sql as raw } from "kysely";

/**
 * `wholeAmount` is the amount of a budget with what was granted for the window of its counter; for
 * statements that join both.
 */
export const wholeAmount = raw<number>`(budgets.amount + budget_counters.granted)`;
