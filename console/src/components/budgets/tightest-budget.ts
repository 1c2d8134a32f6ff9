/** The budget that ends a key's calls first. Pure. */
import type { Budget } from "@tollgate/contract/accounts/budgets.ts";
import { countWholeAmount } from "./budget-amounts.ts";

type Spendable = Pick<Budget, "amount" | "spent" | "held" | "enabled" | "hard"> &
  Partial<Pick<Budget, "granted">>;

/** A figure that a server left out counts as nothing spent. */
const countUnitsLeft = ({ spent, held, ...budget }: Spendable): number =>
  countWholeAmount(budget) - (spent || 0) - (held || 0);

/** `sortTightest` leaves out what refuses nothing, and begins with what has the least left. */
export const sortTightest = <B extends Spendable>(budgets: readonly B[]): B[] =>
  budgets
    .filter(({ enabled, hard }) => enabled && hard)
    .toSorted((one, other) => countUnitsLeft(one) - countUnitsLeft(other));
