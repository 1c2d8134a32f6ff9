/** Budgets and their templates as a configuration document writes them. */
import * as z from "zod/mini";
import type { BudgetSubject } from "../accounts/budget-kinds.ts";
import { budgetTemplateInput } from "../accounts/budget-templates.ts";
import { budgetAmount, budgetInput, zoneName } from "../accounts/budgets.ts";
import { externalId } from "../accounts/external-ids.ts";
import { makeAboutField } from "../api/field-message.ts";

/** Subjects that a document can name: users and API keys are no configuration. */
export const configuredSubjects = [
  "site",
  "model",
  "tag",
] as const satisfies readonly BudgetSubject[];

/** Units, or dollars with up to six decimals; a unit is two millionths of a dollar. */
export const configuredAmount = z.union(
  [budgetAmount, z.string().check(z.regex(/^\$\d{1,10}(\.\d{1,5}[02468]?)?$/))],
  makeAboutField("must be units, or dollars such as $300 or $0.50"),
);

const { shape: budgetShape } = budgetInput;
/** A member that is left out has its default; whether the budget is enabled stays. */
export const configuredTerms = {
  name: budgetShape.name,
  /** `externalId` goes by which later files find it; without one, its name. */
  externalId: z.optional(externalId),
  note: budgetShape.note,
  models: budgetShape.models,
  window: budgetShape.window,
  firstDay: budgetShape.first_day,
  anchor: budgetShape.anchor,
  zone: z._default(zoneName, "UTC"),
  amount: configuredAmount,
  hard: budgetShape.hard,
  thresholds: budgetShape.thresholds,
  onReached: budgetShape.on_reached,
  enabled: z.optional(z.boolean()),
};
export const configuredBudget = z.strictObject({
  ...configuredTerms,
  subject: z.enum(configuredSubjects),
  model: budgetShape.model,
  tag: budgetShape.tag,
});
export type ConfiguredBudget = z.output<typeof configuredBudget>;

const { shape: templateShape } = budgetTemplateInput;
export const configuredBudgetTemplate = z.strictObject({
  ...configuredTerms,
  subject: templateShape.subject,
  group: templateShape.group,
});
export type ConfiguredBudgetTemplate = z.output<typeof configuredBudgetTemplate>;
