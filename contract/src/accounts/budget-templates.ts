/**
 * Budget templates: what new accounts and new API keys get as their budgets. Pure data for gateway
 * and console.
 */
import * as z from "zod/mini";
import { endpoint } from "../api/endpoint.ts";
import { byId } from "../api/ids.ts";
import { line } from "../api/scalars.ts";
import type { BudgetSubject } from "./budget-kinds.ts";
import {
  budget,
  budgetSettings,
  budgetTermsChange,
  changeableSettings,
  dayOfWeekCheck,
} from "./budgets.ts";
import { byExternalId, externalIdFilter, externalIdOrNone } from "./external-ids.ts";

/** New accounts, or new API keys by the group of their account. */
export const templateSubjects = ["user", "token"] as const satisfies readonly BudgetSubject[];
export type TemplateSubject = (typeof templateSubjects)[number];

/** `budgetTemplatesMax` counts all of them, so that lists need no pages. */
export const budgetTemplatesMax = 100;
/**
 * `templatesPerGroupMax` is for one subject of one group. Those of the group and those of every
 * group fit into the budgets of one subject together.
 */
export const templatesPerGroupMax = 4;

const subject = z.enum(templateSubjects);
/** `group` is that of the account; empty for every group. */
const group = line(64);

export const budgetTemplate = z.extend(
  z.pick(budget, {
    id: true,
    uuid: true,
    external_id: true,
    name: true,
    note: true,
    models: true,
    window: true,
    first_day: true,
    anchor: true,
    zone: true,
    amount: true,
    hard: true,
    on_reached: true,
    thresholds: true,
    enabled: true,
    managed_by: true,
    created_at: true,
    updated_at: true,
  }),
  {
    subject,
    group,
    /** Budgets that change with the template. */
    followers: z.int(),
  },
);
export type BudgetTemplate = z.output<typeof budgetTemplate>;

export const budgetTemplateInput = z
  .object({
    external_id: externalIdOrNone,
    subject,
    group: z._default(group, ""),
    ...budgetSettings,
  })
  .check(dayOfWeekCheck);
export type BudgetTemplateInput = z.output<typeof budgetTemplateInput>;

/**
 * `budgetTemplateByExternalId` asks only the first request for the members that a new one needs.
 * Subject and group never change.
 */
export const budgetTemplateByExternalId = z
  .object({ subject: z.optional(subject), group: z.optional(group), ...changeableSettings })
  .check(dayOfWeekCheck);
export type BudgetTemplateByExternalId = z.output<typeof budgetTemplateByExternalId>;

export const listBudgetTemplates = endpoint("GET", "/api/budget_template/", {
  access: "admin",
  scope: "budgets:read",
  summary: "All budget templates, with the number of budgets that follow each",
  query: z.object(externalIdFilter),
  data: z.array(budgetTemplate),
});

export const createBudgetTemplate = endpoint("POST", "/api/budget_template/", {
  access: "admin",
  scope: "budgets:write",
  summary:
    "Create a budget template; accounts or API keys that are made from now on get a budget by it",
  body: budgetTemplateInput,
  data: budgetTemplate,
});

export const updateBudgetTemplate = endpoint("PUT", "/api/budget_template/", {
  access: "admin",
  scope: "budgets:write",
  summary: "Change a budget template and every budget that follows it; the next call obeys them",
  body: budgetTermsChange,
  data: budgetTemplate,
});

export const putBudgetTemplate = endpoint("PUT", "/api/budget_template/by-external/:external_id", {
  access: "admin",
  scope: "budgets:write",
  summary:
    "Create the budget template of this external_id, or change it; a repetition changes nothing",
  params: byExternalId,
  body: budgetTemplateByExternalId,
  data: budgetTemplate,
});

export const deleteBudgetTemplate = endpoint("DELETE", "/api/budget_template/:id", {
  access: "admin",
  scope: "budgets:write",
  summary: "Delete a budget template; the budgets that it gave stay",
  params: byId,
});
