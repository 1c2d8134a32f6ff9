import { t } from "@lingui/core/macro";
import {
  type Budget,
  listOwnBudgets,
  setSpendingLimit,
} from "@tollgate/contract/accounts/budgets.ts";
import type { Token } from "@tollgate/contract/accounts/tokens.ts";
import { readReason } from "../../api-error.ts";
import { api } from "../../api-queries.ts";
import { readEntityRef } from "../../compat/entity-ids.ts";
import { buildSpendingLimit, type TokenFormOutput } from "./token-form-values.ts";

/** `SpendingLimitWarning` is for the list of tokens, which shows it once. */
export type SpendingLimitWarning = { message: string; tone: "warn" };

/**
 * Saves the limit of a token that is stored already. Returns what to tell the user when only the
 * token was saved.
 */
export async function saveSpendingLimit(
  token: Pick<Token, "id" | "uuid">,
  values: TokenFormOutput,
  read?: Budget,
): Promise<SpendingLimitWarning | undefined> {
  const body = buildSpendingLimit(values, read);
  if (body === undefined) return undefined;
  try {
    await api.call(setSpendingLimit, { params: { id: readEntityRef(token) }, body });
    await api.refresh(listOwnBudgets);
    return undefined;
  } catch (error) {
    const reason = readReason(error, t`Operation failed`);
    return {
      message: t`The key was saved, but its spending limit was not: ${reason}`,
      tone: "warn",
    };
  }
}
