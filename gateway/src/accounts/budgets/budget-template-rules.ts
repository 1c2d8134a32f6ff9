/** Rules for creating, changing and showing budget templates. Pure. */
import type {
  BudgetTemplateByExternalId,
  BudgetTemplateInput,
  BudgetTemplate as Shown,
} from "@tollgate/contract/accounts/budget-templates.ts";
import { refuse } from "../../http/refusal.ts";
import { buildTerms } from "./budget-rules.ts";
import type {
  BudgetTemplateColumns,
  BudgetTemplateRow,
  FollowedTemplateRow,
} from "./budget-template-store.ts";
import { viewTerms } from "./budget-view.ts";

export const buildTemplate = (
  { group, external_id = "", ...terms }: BudgetTemplateInput,
  uuid: string,
  now: number,
  siteZone?: string,
): BudgetTemplateColumns => ({
  ...buildTerms(terms, uuid, now, siteZone),
  ...{ group_name: group, external_id: external_id || null },
});

/**
 * `checkSameReceivers` says who gets budgets by a template never changes: those that it gave belong
 * to it. A missing member names what is.
 */
export function checkSameReceivers(
  row: BudgetTemplateRow,
  given: BudgetTemplateByExternalId,
): void {
  const { subject = row.subject, group = row.group_name } = given;
  if (subject === row.subject && group === row.group_name) return;
  const message =
    "The budget template of this external_id has another subject or group, which never changes";
  throw refuse("invalid_request", { message, fields: { subject: message } });
}

export const viewTemplate = (row: FollowedTemplateRow): Shown => ({
  ...viewTerms(row),
  subject: row.subject,
  group: row.group_name,
  followers: row.followers,
});
