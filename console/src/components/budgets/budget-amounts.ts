/** Amounts of budgets with what was granted for the present window. Pure. */
import type { Budget } from "@tollgate/contract/accounts/budgets.ts";

/** `countWholeAmount` is the amount with what was granted; an older server grants nothing. */
export const countWholeAmount = ({
  amount,
  granted = 0,
}: Pick<Budget, "amount"> & { granted?: number | undefined }): number => amount + (granted || 0);
