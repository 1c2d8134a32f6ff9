/** Rows of budgets as replies show them, with what they have counted and what they are going to. */
import type { Budget } from "@tollgate/contract/accounts/budgets.ts";
import type { Database } from "../../storage/database.ts";
import { hasForecast } from "./budget-forecast.ts";
import { createUsualHoursReader } from "./budget-pace-store.ts";
import type { BudgetStore, NamedBudgetRow } from "./budget-store.ts";
import { selectCounted, viewBudget } from "./budget-view.ts";

export type BudgetViewer = ReturnType<typeof createBudgetViewer>;

/**
 * `createBudgetViewer` keeps the order of the rows. `isPaced` says which of them have a forecast
 * where there can be one.
 */
export function createBudgetViewer(
  db: Pick<Database, "sql" | "read">,
  store: Pick<BudgetStore, "counters">,
) {
  const readUsual = createUsualHoursReader(db);
  return async (
    rows: readonly NamedBudgetRow[],
    now: number,
    isPaced: (row: NamedBudgetRow) => boolean = () => true,
  ): Promise<Budget[]> => {
    const counted = await selectCounted(rows, now, store.counters);
    const paced = counted
      .filter((one) => isPaced(one.row) && hasForecast(one, now))
      .map(({ row }) => row);
    const usual = await readUsual(paced, now);
    return counted.map((one) => viewBudget(one, usual.get(one.row.id), now));
  };
}
