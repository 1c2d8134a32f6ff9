/** A budget as a configuration document writes it, and the request that makes one. Pure. */
import type { ConfiguredBudget, ConfiguredBudgetTemplate } from "@tollgate/contract/configuration.ts";
import { modelsIn, thresholdsIn } from "../budgets/budget-rules.ts";
import type { BudgetRow } from "../budgets/budget-store.ts";
import type { BudgetTemplateRow } from "../budgets/budget-template-store.ts";

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

type WrittenTerms = Pick<ConfiguredBudget, "externalId" | "firstDay" | "amount" | "enabled">;

const termsRequest = ({
  externalId: _,
  firstDay,
  amount,
  enabled = true,
  ...members
}: WrittenTerms): Record<string, unknown> => ({
  ...members,
  first_day: firstDay,
  amount: unitsOfAmount(amount),
  enabled,
});

/** Of `BudgetInput`, before it is parsed. */
export const budgetRequest = (budget: ConfiguredBudget): Record<string, unknown> => termsRequest(budget);

/** Of `BudgetTemplateInput`, before it is parsed. */
export const budgetTemplateRequest = ({
  onReached: on_reached,
  ...budget
}: ConfiguredBudgetTemplate): Record<string, unknown> => ({ ...termsRequest(budget), on_reached });

/** `externalId`: by which a document finds it. */
export const configuredBudgetOf = (row: BudgetRow, externalId: string): ConfiguredBudget => ({
  ...identityIn(row, externalId),
  ...subjectOf(row),
  ...configuredTerms(row),
});

export const configuredTemplateOf = (row: BudgetTemplateRow, externalId: string): ConfiguredBudgetTemplate => ({
  ...identityIn(row, externalId),
  subject: row.subject,
  group: row.group_name,
  ...configuredTerms(row),
  onReached: row.on_reached,
});

const identityIn = ({ name }: { name: string }, externalId: string) => ({
  name,
  ...(externalId !== name && { externalId }),
});

type TermsColumns = Pick<
  BudgetRow,
  "note" | "models" | "window" | "first_day" | "anchor" | "zone" | "amount" | "hard" | "thresholds" | "enabled"
>;

const configuredTerms = (row: TermsColumns) => ({
  note: row.note,
  models: modelsIn(row.models),
  window: row.window,
  firstDay: row.first_day,
  ...(row.anchor !== "" && { anchor: row.anchor }),
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
