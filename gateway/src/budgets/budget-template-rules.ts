/** Rules for creating, changing and showing budget templates. Pure. */
import type { BudgetTemplateInput, BudgetTemplate as Shown } from "@tollgate/contract/budget-templates.ts";
import { modelsIn, newTerms, thresholdsIn } from "./budget-rules.ts";
import type { BudgetTemplateColumns, FollowedTemplateRow } from "./budget-template-store.ts";

export const newTemplate = (
  { subject, group, ...terms }: BudgetTemplateInput,
  uuid: string,
  now: number,
  siteZone?: string,
): BudgetTemplateColumns => ({ ...newTerms(terms, uuid, now, siteZone), subject, group_name: group });

export const viewTemplate = (row: FollowedTemplateRow): Shown => ({
  id: row.id,
  uuid: row.uuid,
  name: row.name,
  subject: row.subject,
  group: row.group_name,
  note: row.note,
  models: modelsIn(row.models),
  window: row.window,
  first_day: row.first_day,
  anchor: row.anchor,
  zone: row.zone,
  amount: row.amount,
  hard: row.hard === 1,
  on_reached: row.on_reached,
  thresholds: thresholdsIn(row.thresholds),
  enabled: row.enabled === 1,
  managed_by: row.managed_by,
  followers: row.followers,
  created_at: row.created_at,
  updated_at: row.updated_at,
});
