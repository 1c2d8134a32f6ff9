/** Planned changes of budgets, by a configuration document. */
import { budgetInput } from "@tollgate/contract/accounts/budgets.ts";
import type { ConfigurationRequest } from "@tollgate/contract/commands/configuration.ts";
import type { ConfiguredBudget } from "@tollgate/contract/commands/configured-budgets.ts";
import { buildBudget, changeBudget } from "../../accounts/budgets/budget-rules.ts";
import type { BudgetRow, BudgetStore } from "../../accounts/budgets/budget-store.ts";
import { findNamedChanges } from "../../http/member-changes.ts";
import { refuse } from "../../http/refusal.ts";
import type { AuthenticatedContext } from "../../http/request-context.ts";
import { parseOrRefuse } from "../../http/validation-errors.ts";
import { inheritedColumns } from "../../money/holds/inherited-budgets.ts";
import { readUuid7 } from "../../storage/time-ids.ts";
import { buildBudgetRequest } from "./configured-budget.ts";
import { readIdentity } from "./document-finder.ts";
import {
  addFoundSteps,
  emptyPlan,
  findAction,
  type KindPlan,
  type PlannedStep,
} from "./kind-plan.ts";

export async function planBudgets(
  { budgets: store }: { budgets: BudgetStore },
  call: AuthenticatedContext,
  request: ConfigurationRequest,
): Promise<KindPlan> {
  const plan = emptyPlan("budgets");
  const given = { wanted: request.document.budgets, rows: await store.configurable() };
  await addFoundSteps(plan, request, given, {
    kind: "budget",
    step: (wanted, row) =>
      row
        ? changed(store, call, { wanted, row, request })
        : created(store, call, wanted, request.file),
    remove: (row) => ({
      writes: [store.remove(row)],
      audits: call.audit("budget.delete", row.uuid, { name: row.name }),
    }),
  });
  return plan;
}

function created(
  store: BudgetStore,
  call: AuthenticatedContext,
  wanted: ConfiguredBudget,
  file: string,
): PlannedStep {
  const uuid = readUuid7(call.now);
  const columns = {
    ...buildBudget(parseOrRefuse(budgetInput, buildBudgetRequest(wanted)), uuid, call.now),
    external_id: readIdentity(wanted),
    managed_by: file,
  };
  return {
    action: "create",
    writes: [store.insert(columns)],
    audits: call.audit("budget.create", uuid, columns),
  };
}

interface WantedOfRow {
  wanted: ConfiguredBudget;
  row: BudgetRow;
  request: ConfigurationRequest;
}

/** Undefined where the row is as the document wants it. */
function changed(
  store: BudgetStore,
  call: AuthenticatedContext,
  { wanted, row, request }: WantedOfRow,
) {
  const {
    subject,
    model = "",
    tag = "",
    subject_id: _,
    enabled,
    ...settings
  } = parseOrRefuse(budgetInput, buildBudgetRequest(wanted));
  if (subject !== row.subject || model !== row.model_name || tag !== row.tag)
    throw refuse("invalid_request", {
      message:
        "A budget keeps its subject, because its counters are of that subject. Give this one another name",
    });
  const switched = wanted.enabled === undefined ? {} : { enabled };
  const change = changeBudget(row, { uuid: row.uuid, ...settings, ...switched }, call.now);
  const differing = inheritedColumns.filter((name) => change[name] !== row[name]);
  const action = findAction(row, differing, request);
  if (!action) return undefined;
  const columns = { ...change, external_id: readIdentity(wanted), managed_by: request.file };
  return {
    action,
    members: differing,
    writes: [store.update(row, columns)],
    audits: call.audit("budget.update", row.uuid, findNamedChanges(row, columns)),
  } satisfies PlannedStep;
}
