/** A budget as a configuration document writes it, and the request that makes one. Pure. */
import type { ConfiguredBudget } from "@tollgate/contract/configuration.ts";
import { thresholdsIn } from "../budgets/budget-rules.ts";
import type { BudgetRow } from "../budgets/budget-store.ts";

const decimals = 6;
/** Of a dollar: a unit is two of them. */
const millionthsPerUnit = 2n;

/** `$0.50`; a number is units already. */
export function unitsOfAmount(amount: number | string): number {
  if (typeof amount === "number") return amount;
  const [whole = "", fraction = ""] = amount.slice(1).split(".");
  return Number(BigInt(whole + fraction.padEnd(decimals, "0")) / millionthsPerUnit);
}

export function dollarAmount(units: number): string {
  const digits = String(BigInt(units) * millionthsPerUnit).padStart(decimals + 1, "0");
  return `$${digits.slice(0, -decimals)}.${digits.slice(-decimals)}`.replace(/\.?0+$/, "");
}

/** Of `BudgetInput`, before it is parsed. */
export const budgetRequest = ({
  externalId: _,
  firstDay,
  amount,
  enabled = true,
  ...members
}: ConfiguredBudget): Record<string, unknown> => ({
  ...members,
  first_day: firstDay,
  amount: unitsOfAmount(amount),
  enabled,
});

/** `externalId`: by which a document finds it. */
export const configuredBudgetOf = (row: BudgetRow, externalId: string): ConfiguredBudget => ({
  name: row.name,
  ...(externalId !== row.name && { externalId }),
  ...subjectOf(row),
  window: row.window,
  firstDay: row.first_day,
  zone: row.zone,
  amount: dollarAmount(row.amount),
  hard: row.hard === 1,
  thresholds: thresholdsIn(row.thresholds),
  ...(row.enabled === 0 && { enabled: false }),
});

function subjectOf({ model_name: model, tag }: BudgetRow): Pick<ConfiguredBudget, "subject" | "model" | "tag"> {
  if (model !== "") return { subject: "model", model };
  return tag === "" ? { subject: "site" } : { subject: "tag", tag };
}
