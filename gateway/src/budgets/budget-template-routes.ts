/** API routes for budget templates. */
import {
  createBudgetTemplate,
  deleteBudgetTemplate,
  listBudgetTemplates,
  updateBudgetTemplate,
} from "@tollgate/contract/budget-templates.ts";
import { named, type Reference } from "@tollgate/contract/ids.ts";
import { checkGroup } from "../groups/group-rules.ts";
import { type ApiRoute, apiRoute } from "../http/api-route.ts";
import { idempotent } from "../http/idempotency.ts";
import { checkFileAllows, checkUnmanaged } from "../http/managed-by-file.ts";
import { refuse } from "../http/refusal.ts";
import type { OptionReader } from "../settings/live-options.ts";
import type { Database, Write } from "../storage/database.ts";
import { uuid7 } from "../storage/time-ids.ts";
import { changedTerms } from "./budget-rules.ts";
import { newTemplate, viewTemplate } from "./budget-template-rules.ts";
import type { BudgetTemplateStore, FollowedTemplateRow } from "./budget-template-store.ts";

export function budgetTemplateRoutes(db: Database, store: BudgetTemplateStore, options: OptionReader): ApiRoute[] {
  const existing = async (reference: Reference): Promise<FollowedTemplateRow> => {
    const found = await store.find(reference);
    if (!found) throw refuse("budget_template_not_found");
    return found;
  };
  const write = (batch: Write[]) => db.write(batch, { changes: ["budgets"] });

  return [
    apiRoute(listBudgetTemplates, async () => (await store.all()).map(viewTemplate)),
    apiRoute(createBudgetTemplate, async (call) => {
      const { body, now } = call;
      const uuid = await idempotent(db, call, {
        name: "budget_template.create",
        body,
        async create(remember) {
          if (body.group !== "") checkGroup(options, body.group);
          const made = uuid7(now);
          const columns = newTemplate(body, made, now, options.text("BudgetTimeZone"));
          const audits = call.audit("budget_template.create", made, columns);
          await write([store.insert(columns), ...audits, ...remember(made)]);
          return made;
        },
      });
      return viewTemplate(await existing({ uuid }));
    }),
    apiRoute(updateBudgetTemplate, async (call) => {
      const row = await existing(named(call.body));
      checkFileAllows(row, call.body);
      const change = changedTerms(row, call.body, call.now);
      const audits = call.audit("budget_template.update", row.uuid, { ...change.terms });
      await write([...store.update(row, change), ...audits]);
      return viewTemplate({ ...row, ...change.terms });
    }),
    apiRoute(deleteBudgetTemplate, async (call) => {
      const row = await existing(call.params.id);
      checkUnmanaged(row);
      const audits = call.audit("budget_template.delete", row.uuid, { name: row.name });
      await write([...store.remove(row), ...audits]);
    }),
  ];
}
