import { t } from "@lingui/core/macro";
import { type Budget, listOwnBudgets, setSpendingLimit } from "@tollgate/contract/budgets.ts";
import type { Token } from "@tollgate/contract/tokens.ts";
import { reasonOf } from "../../api-error.ts";
import { api } from "../../api-queries.ts";
import { entityRef } from "../../compat/entity-ids.ts";
import { type TokenFormOutput, toSpendingLimit } from "./token-form-values.ts";

/** For the list of tokens, which shows it once. */
export type SpendingLimitWarning = { message: string; tone: "warn" };

/** Saves the limit of a token that is stored already. Returns what to tell the user when only the token was saved. */
export async function saveSpendingLimit(
  token: Pick<Token, "id" | "uuid">,
  values: TokenFormOutput,
  read?: Budget,
): Promise<SpendingLimitWarning | undefined> {
  const body = toSpendingLimit(values, read);
  if (body === undefined) return undefined;
  try {
    await api.call(setSpendingLimit, { params: { id: entityRef(token) }, body });
    await api.refresh(listOwnBudgets);
    return undefined;
  } catch (error) {
    const reason = reasonOf(error, t`Operation failed`);
    return { message: t`The token was saved, its spending limit was not: ${reason}`, tone: "warn" };
  }
}
