/** What a configuration document would change of budget templates and the budgets that follow them. */
import { budgetTemplateInput } from "@tollgate/contract/budget-templates.ts";
import type { ConfigurationRequest, ConfiguredBudgetTemplate } from "@tollgate/contract/configuration.ts";
import { changedTerms } from "../budgets/budget-rules.ts";
import { newTemplate } from "../budgets/budget-template-rules.ts";
import type { BudgetTemplateRow } from "../budgets/budget-template-store.ts";
import { checkGroupAmong } from "../groups/group-rules.ts";
import { namedChanges } from "../http/member-changes.ts";
import { refuse } from "../http/refusal.ts";
import type { AuthenticatedContext } from "../http/request-context.ts";
import { parseOrRefuse } from "../http/validation-errors.ts";
import { uuid7 } from "../storage/time-ids.ts";
import type { ConfigurationDeps } from "./configuration-plan.ts";
import { budgetTemplateRequest } from "./configured-budget.ts";
import { identityOf } from "./document-finder.ts";
import { groupsAfter } from "./groups-after.ts";
import { actionOf, addFoundSteps, emptyPlan, type KindPlan, type PlannedStep } from "./kind-plan.ts";

type TemplatePlanDeps = Pick<ConfigurationDeps, "budgetTemplates" | "options">;

export async function planBudgetTemplates(
  deps: TemplatePlanDeps,
  call: AuthenticatedContext,
  request: ConfigurationRequest,
): Promise<KindPlan> {
  const { budgetTemplates: store } = deps;
  const plan = emptyPlan("budgets");
  const groups = await groupsAfter(deps, request);
  const given = { wanted: request.document.budgetTemplates, rows: await store.all() };
  await addFoundSteps(plan, request, given, {
    kind: "budget_template",
    step(wanted, row) {
      if (wanted.group !== "") checkGroupAmong(groups, wanted.group);
      return row ? changedTemplate(deps, call, { wanted, row, request }) : createdTemplate(deps, call, wanted, request);
    },
    remove: (row) => ({
      writes: store.remove(row),
      audits: call.audit("budget_template.delete", row.uuid, { name: row.name }),
    }),
  });
  return plan;
}

function createdTemplate(
  { budgetTemplates: store }: TemplatePlanDeps,
  call: AuthenticatedContext,
  wanted: ConfiguredBudgetTemplate,
  { file }: ConfigurationRequest,
): PlannedStep {
  const uuid = uuid7(call.now);
  const columns = {
    ...newTemplate(parseOrRefuse(budgetTemplateInput, budgetTemplateRequest(wanted)), uuid, call.now),
    external_id: identityOf(wanted),
    managed_by: file,
  };
  return {
    action: "create",
    writes: [store.insert(columns)],
    audits: call.audit("budget_template.create", uuid, columns),
  };
}

interface WantedOfTemplate {
  wanted: ConfiguredBudgetTemplate;
  row: BudgetTemplateRow;
  request: ConfigurationRequest;
}

/** Undefined where the row is as the document wants it. */
function changedTemplate(
  { budgetTemplates: store }: TemplatePlanDeps,
  call: AuthenticatedContext,
  { wanted, row, request }: WantedOfTemplate,
): PlannedStep | undefined {
  const { subject, group, enabled, ...settings } = parseOrRefuse(budgetTemplateInput, budgetTemplateRequest(wanted));
  if (subject !== row.subject || group !== row.group_name)
    throw refuse("invalid_request", {
      message: "A budget template keeps its subject and its group. Give this one another name",
    });
  const switched = wanted.enabled === undefined ? {} : { enabled };
  const change = changedTerms(row, { uuid: row.uuid, ...settings, ...switched }, call.now);
  const action = actionOf(row, change.differing, request);
  if (!action) return undefined;
  const managing = { external_id: identityOf(wanted), managed_by: request.file };
  return {
    action,
    members: change.differing,
    writes: store.update(row, change, managing),
    audits: call.audit("budget_template.update", row.uuid, namedChanges(row, { ...change.terms, ...managing })),
  };
}
