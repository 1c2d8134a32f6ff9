/**
 * Planned changes of budget templates and the budgets that follow them, by a configuration
 * document.
 */
import { budgetTemplateInput } from "@tollgate/contract/accounts/budget-templates.ts";
import type { ConfigurationRequest } from "@tollgate/contract/commands/configuration.ts";
import type { ConfiguredBudgetTemplate } from "@tollgate/contract/commands/configured-budgets.ts";
import { changeTerms } from "../../accounts/budgets/budget-rules.ts";
import { buildTemplate } from "../../accounts/budgets/budget-template-rules.ts";
import type { BudgetTemplateRow } from "../../accounts/budgets/budget-template-store.ts";
import { findNamedChanges } from "../../http/member-changes.ts";
import { refuse } from "../../http/refusal.ts";
import type { AuthenticatedContext } from "../../http/request-context.ts";
import { parseOrRefuse } from "../../http/validation-errors.ts";
import { checkGroupAmong } from "../../settings/group-rules.ts";
import { readUuid7 } from "../../storage/time-ids.ts";
import type { ConfigurationDeps } from "./configuration-plan.ts";
import { buildBudgetTemplateRequest } from "./configured-budget.ts";
import { readIdentity } from "./document-finder.ts";
import { listGroups } from "./groups-after.ts";
import {
  addFoundSteps,
  emptyPlan,
  findAction,
  type KindPlan,
  type PlannedStep,
} from "./kind-plan.ts";

type TemplatePlanDeps = Pick<ConfigurationDeps, "budgetTemplates" | "options">;

export async function planBudgetTemplates(
  deps: TemplatePlanDeps,
  call: AuthenticatedContext,
  request: ConfigurationRequest,
): Promise<KindPlan> {
  const { budgetTemplates: store } = deps;
  const plan = emptyPlan("budgets");
  const groups = await listGroups(deps, request);
  const given = { wanted: request.document.budgetTemplates, rows: await store.all() };
  await addFoundSteps(plan, request, given, {
    kind: "budget_template",
    step(wanted, row) {
      if (wanted.group !== "") checkGroupAmong(groups, wanted.group);
      return row
        ? changeTemplate(deps, call, { wanted, row, request })
        : buildCreatedTemplate(deps, call, wanted, request);
    },
    remove: (row) => ({
      writes: store.remove(row),
      audits: call.audit("budget_template.delete", row.uuid, { name: row.name }),
    }),
  });
  return plan;
}

function buildCreatedTemplate(
  { budgetTemplates: store }: TemplatePlanDeps,
  call: AuthenticatedContext,
  wanted: ConfiguredBudgetTemplate,
  { file }: ConfigurationRequest,
): PlannedStep {
  const uuid = readUuid7(call.now);
  const columns = {
    ...buildTemplate(
      parseOrRefuse(budgetTemplateInput, buildBudgetTemplateRequest(wanted)),
      uuid,
      call.now,
    ),
    external_id: readIdentity(wanted),
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
function changeTemplate(
  { budgetTemplates: store }: TemplatePlanDeps,
  call: AuthenticatedContext,
  { wanted, row, request }: WantedOfTemplate,
): PlannedStep | undefined {
  const { subject, group, enabled, ...settings } = parseOrRefuse(
    budgetTemplateInput,
    buildBudgetTemplateRequest(wanted),
  );
  if (subject !== row.subject || group !== row.group_name)
    throw refuse("invalid_request", {
      message: "A budget template keeps its subject and its group. Give this one another name",
    });
  const switched = wanted.enabled === undefined ? {} : { enabled };
  const change = changeTerms(row, { uuid: row.uuid, ...settings, ...switched }, call.now);
  const action = findAction(row, change.differing, request);
  if (!action) return undefined;
  const managing = { external_id: readIdentity(wanted), managed_by: request.file };
  return {
    action,
    members: change.differing,
    writes: store.update(row, change, managing),
    audits: call.audit(
      "budget_template.update",
      row.uuid,
      findNamedChanges(row, { ...change.terms, ...managing }),
    ),
  };
}
