/** API routes for budget templates. */
import {
  type BudgetTemplateByExternalId,
  type BudgetTemplateInput,
  budgetTemplateInput,
  createBudgetTemplate,
  deleteBudgetTemplate,
  listBudgetTemplates,
  putBudgetTemplate,
  updateBudgetTemplate,
} from "@tollgate/contract/accounts/budget-templates.ts";
import type { BudgetChange } from "@tollgate/contract/accounts/budgets.ts";
import { named, type Reference } from "@tollgate/contract/api/ids.ts";
import { type ApiRoute, apiRoute } from "../../http/api-route.ts";
import { idempotent } from "../../http/idempotency.ts";
import { checkFileAllows, checkUnmanaged } from "../../http/managed-by-file.ts";
import { findNamedChanges } from "../../http/member-changes.ts";
import { refuse } from "../../http/refusal.ts";
import type { AuthenticatedContext } from "../../http/request-context.ts";
import { parseOrRefuse } from "../../http/validation-errors.ts";
import { checkGroup } from "../../settings/group-rules.ts";
import type { OptionReader } from "../../settings/live-options.ts";
import type { Database, Write } from "../../storage/database.ts";
import { readUuid7 } from "../../storage/time-ids.ts";
import { changeTerms } from "./budget-rules.ts";
import { buildTemplate, checkSameReceivers, viewTemplate } from "./budget-template-rules.ts";
import type { BudgetTemplateStore, FollowedTemplateRow } from "./budget-template-store.ts";

export function buildBudgetTemplateRoutes(
  db: Database,
  store: BudgetTemplateStore,
  options: OptionReader,
): ApiRoute[] {
  const existing = async (reference: Reference): Promise<FollowedTemplateRow> => {
    const found = await store.find(reference);
    if (!found) throw refuse("budget_template_not_found");
    return found;
  };
  const write = (batch: Write[]) => db.write(batch, { changes: ["budgets"] });

  const create = async (call: AuthenticatedContext & { body: BudgetTemplateInput }) => {
    const { body, now } = call;
    const uuid = await idempotent(db, call, {
      name: "budget_template.create",
      body,
      async create(remember) {
        if (body.group !== "") checkGroup(options, body.group);
        const made = readUuid7(now);
        const columns = buildTemplate(body, made, now, options.text("BudgetTimeZone"));
        const audits = call.audit("budget_template.create", made, columns);
        await write([store.insert(columns), ...audits, ...remember(made)]);
        return made;
      },
    });
    return existing({ uuid });
  };

  const change = async (
    call: AuthenticatedContext,
    row: FollowedTemplateRow,
    edit: BudgetChange,
    changed = changeTerms(row, edit, call.now),
  ) => {
    checkFileAllows(row, edit);
    const audits = call.audit(
      "budget_template.update",
      row.uuid,
      findNamedChanges(row, changed.terms),
    );
    await write([...store.update(row, changed), ...audits]);
    return { ...row, ...changed.terms };
  };

  const put = async (
    call: AuthenticatedContext,
    external_id: string,
    body: BudgetTemplateByExternalId,
  ) => {
    const row = await store.byExternalId(external_id);
    if (!row)
      return create({
        ...call,
        body: parseOrRefuse(budgetTemplateInput, { ...body, external_id }),
      });
    checkSameReceivers(row, body);
    const { subject: _, group: _group, ...edit } = body;
    const changed = changeTerms(row, edit, call.now);
    return changed.differing.length === 0 ? row : change(call, row, edit, changed);
  };

  return [
    apiRoute(listBudgetTemplates, async ({ query: { external_id } }) => {
      const rows = await store.all();
      return rows
        .filter((row) => external_id === undefined || row.external_id === external_id)
        .map(viewTemplate);
    }),
    apiRoute(createBudgetTemplate, async (call) => viewTemplate(await create(call))),
    apiRoute(updateBudgetTemplate, async (call) =>
      viewTemplate(await change(call, await existing(named(call.body)), call.body)),
    ),
    apiRoute(putBudgetTemplate, async (call) =>
      viewTemplate(await put(call, call.params.external_id, call.body)),
    ),
    apiRoute(deleteBudgetTemplate, async (call) => {
      const row = await existing(call.params.id);
      checkUnmanaged(row);
      const audits = call.audit("budget_template.delete", row.uuid, { name: row.name });
      await write([...store.remove(row), ...audits]);
    }),
  ];
}
