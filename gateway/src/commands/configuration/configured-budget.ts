/** A budget as a configuration document writes it, and the request that makes one. Pure. */
import type {
  ConfiguredBudget,
  ConfiguredBudgetTemplate,
} from "@tollgate/contract/commands/configured-budgets.ts";
import { parseModels, parseThresholds } from "../../accounts/budgets/budget-rules.ts";
import type { BudgetRow } from "../../accounts/budgets/budget-store.ts";
import type { BudgetTemplateRow } from "../../accounts/budgets/budget-template-store.ts";

const decimals = 6;
/** `millionthsPerUnit` is that of a dollar: a unit is two of them. */
const millionthsPerUnit = 2n;

/** `$0.50`; a number is units already. */
export function computeUnitsOfAmount(amount: number | string): number {
  if (typeof amount === "number") return amount;
  const [whole = "", fraction = ""] = amount.slice(1).split(".");
  return Number(BigInt(whole + fraction.padEnd(decimals, "0")) / millionthsPerUnit);
}

export function readDollarAmount(units: number): string {
  const digits = String(BigInt(units) * millionthsPerUnit).padStart(decimals + 1, "0");
  return `$${digits.slice(0, -decimals)}.${digits.slice(-decimals)}`.replace(/\.?0+$/, "");
}

type WrittenTerms = Pick<
  ConfiguredBudget,
  "externalId" | "firstDay" | "amount" | "onReached" | "enabled"
>;

/** `buildTermsRequest` gives what budgets, templates and those of teams have alike. */
export const buildTermsRequest = ({
  externalId: _,
  firstDay,
  amount,
  onReached,
  enabled = true,
  ...members
}: WrittenTerms): Record<string, unknown> => ({
  ...members,
  first_day: firstDay,
  amount: computeUnitsOfAmount(amount),
  on_reached: onReached,
  enabled,
});

/** `buildBudgetRequest` gives the members of `BudgetInput`, before it is parsed. */
export const buildBudgetRequest = (budget: ConfiguredBudget): Record<string, unknown> =>
  buildTermsRequest(budget);

/** `buildBudgetTemplateRequest` gives the members of `BudgetTemplateInput`, before it is parsed. */
export const buildBudgetTemplateRequest = (
  template: ConfiguredBudgetTemplate,
): Record<string, unknown> => buildTermsRequest(template);

/** `externalId`: by which a document finds it. */
export const buildConfiguredBudget = (row: BudgetRow, externalId: string): ConfiguredBudget => ({
  ...buildIdentity(row, externalId),
  ...showSubject(row),
  ...buildConfiguredTerms(row),
});

export const buildConfiguredTemplate = (
  row: BudgetTemplateRow,
  externalId: string,
): ConfiguredBudgetTemplate => ({
  ...buildIdentity(row, externalId),
  subject: row.subject,
  group: row.group_name,
  ...buildConfiguredTerms(row),
});

const buildIdentity = ({ name }: { name: string }, externalId: string) => ({
  name,
  ...(externalId !== name && { externalId }),
});

type TermsColumns = Pick<
  BudgetRow,
  | "note"
  | "models"
  | "window"
  | "first_day"
  | "anchor"
  | "zone"
  | "amount"
  | "hard"
  | "thresholds"
  | "on_reached"
  | "enabled"
>;

export const buildConfiguredTerms = (row: TermsColumns) => ({
  note: row.note,
  models: parseModels(row.models),
  window: row.window,
  firstDay: row.first_day,
  ...(row.anchor !== "" && { anchor: row.anchor }),
  zone: row.zone,
  amount: readDollarAmount(row.amount),
  hard: row.hard === 1,
  thresholds: parseThresholds(row.thresholds),
  onReached: row.on_reached,
  ...(row.enabled === 0 && { enabled: false }),
});

function showSubject({
  model_name: model,
  tag,
}: BudgetRow): Pick<ConfiguredBudget, "subject" | "model" | "tag"> {
  if (model !== "") return { subject: "model", model };
  return tag === "" ? { subject: "site" } : { subject: "tag", tag };
}
