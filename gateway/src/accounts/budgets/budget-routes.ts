/** API routes for budgets. */
import { isDeepStrictEqual } from "node:util";
import { type BudgetGrant, grantBudget } from "@tollgate/contract/accounts/budget-grants.ts";
import {
  type BudgetByExternalId,
  type BudgetChange,
  type BudgetInput,
  budgetInput,
  createBudget,
  deleteBudget,
  getBudget,
  listBudgets,
  listOwnBudgets,
  putBudget,
  setSpendingLimit,
  updateBudget,
} from "@tollgate/contract/accounts/budgets.ts";
import type { ErrorCode } from "@tollgate/contract/api/errors.ts";
import { named, type Reference } from "@tollgate/contract/api/ids.ts";
import { type ApiRoute, apiRoute } from "../../http/api-route.ts";
import { idempotent } from "../../http/idempotency.ts";
import { checkFileAllows, checkUnmanaged } from "../../http/managed-by-file.ts";
import { findNamedChanges } from "../../http/member-changes.ts";
import { refuse } from "../../http/refusal.ts";
import type { AuthenticatedContext } from "../../http/request-context.ts";
import { parseOrRefuse } from "../../http/validation-errors.ts";
import type { OptionReader } from "../../settings/live-options.ts";
import type { Database, Write } from "../../storage/database.ts";
import type { PagedRows } from "../../storage/paged-list.ts";
import { readUuid7 } from "../../storage/time-ids.ts";
import { checkCanManage } from "../identity/users/user-edit-rules.ts";
import { checkByHand, type RulingProviders } from "../ruling-providers.ts";
import type { TokenStore } from "../tokens/token-store.ts";
import { buildBudget, buildSpendingLimit, changeBudget, checkSameSubject } from "./budget-rules.ts";
import {
  type BudgetOfRow,
  type BudgetRow,
  type BudgetStore,
  isOfRow,
  type NamedBudgetRow,
} from "./budget-store.ts";
import { createBudgetViewer } from "./budget-viewer.ts";
import { planGrant } from "./grant-budget.ts";

interface BudgetRoutesDeps {
  db: Database;
  store: BudgetStore;
  tokens: Pick<TokenStore, "find">;
  options: OptionReader;
  ruling: RulingProviders;
}

const missingSubjects: Record<BudgetOfRow["subject"], ErrorCode> = {
  user: "user_not_found",
  token: "token_not_found",
  token_run: "token_not_found",
  team: "team_not_found",
  team_run: "team_not_found",
  member: "team_member_not_found",
  channel: "channel_not_found",
};

export function buildBudgetRoutes({
  db,
  store,
  tokens,
  options,
  ruling,
}: BudgetRoutesDeps): ApiRoute[] {
  const siteZone = () => options.text("BudgetTimeZone");
  const views = createBudgetViewer(db, store);
  const existing = async (reference: Reference): Promise<NamedBudgetRow> => {
    const found = await store.find(reference);
    if (!found) throw refuse("budget_not_found");
    return found;
  };
  const view = async (row: NamedBudgetRow, now: number) => {
    const [shown] = await views([row], now);
    if (!shown) throw refuse("budget_not_found");
    return shown;
  };
  const list = async ({ rows, ...total }: PagedRows<NamedBudgetRow>, now: number) => ({
    data: await views(rows, now),
    ...total,
  });
  const write = (batch: Write[]) => db.write(batch, { changes: ["budgets"] });

  /** An administrator sets budgets for the accounts that they may manage, their own among them. */
  const checkSubject = async (
    { principal }: AuthenticatedContext,
    budget: Pick<BudgetRow, "subject" | "subject_id">,
  ): Promise<void> => {
    if (!isOfRow(budget)) return;
    const owner = await store.ownerOf(budget);
    if (!owner) throw refuse(missingSubjects[budget.subject]);
    if (owner.id !== principal.id) checkCanManage(principal, owner);
  };
  /**
   * `checkMayChange` gives what the owner of a key set is the owner's; the budget of an account
   * that is gone may still be removed.
   */
  const checkMayChange = async (call: AuthenticatedContext, row: NamedBudgetRow): Promise<void> => {
    checkByHand(ruling, row.ruled_by);
    const isGone = isOfRow(row) && !(await store.ownerOf(row));
    if (!isGone) await checkSubject(call, row);
  };

  /** Returns the uuid. */
  const create = (call: AuthenticatedContext & { body: BudgetInput }): Promise<string> =>
    idempotent(db, call, {
      name: "budget.create",
      body: call.body,
      async create(remember) {
        const made = readUuid7(call.now);
        const { subject, subject_id = 0 } = call.body;
        await checkSubject(call, { subject, subject_id });
        const columns = buildBudget(call.body, made, call.now, siteZone());
        await write([
          store.insert(columns),
          ...call.audit("budget.create", made, columns),
          ...remember(made),
        ]);
        return made;
      },
    });

  const change = async (call: AuthenticatedContext, row: NamedBudgetRow, edit: BudgetChange) => {
    await checkMayChange(call, row);
    checkFileAllows(row, edit);
    const columns = changeBudget(row, edit, call.now);
    await write([
      store.update(row, columns),
      ...call.audit("budget.update", row.uuid, findNamedChanges(row, columns)),
    ]);
    return { ...row, ...columns };
  };

  /** A grant changes no terms: a provider, a file or a template goes on to decide these. */
  const grant = async (call: AuthenticatedContext & { body: BudgetGrant }, row: NamedBudgetRow) => {
    await checkSubject(call, row);
    await idempotent(db, call, {
      name: "budget.grant",
      body: { budget: row.uuid, ...call.body },
      async create(remember) {
        const { writes, told } = planGrant(db, row, call.body, call.now);
        await write([
          ...writes,
          ...call.audit("budget.grant", row.uuid, told),
          ...remember(row.uuid),
        ]);
        return row.uuid;
      },
    });
  };

  const put = async (call: AuthenticatedContext, external_id: string, body: BudgetByExternalId) => {
    const row = await store.byExternalId(external_id);
    if (!row) {
      const uuid = await create({
        ...call,
        body: parseOrRefuse(budgetInput, { ...body, external_id }),
      });
      return existing({ uuid });
    }
    checkSameSubject(row, body);
    const {
      subject: _,
      subject_id: _id,
      model: _model,
      tag: _tag,
      measure: _measure,
      ...edit
    } = body;
    const { updated_at: _at, ...columns } = changeBudget(row, edit, call.now);
    return isDeepStrictEqual({ ...row, ...columns }, row) ? row : change(call, row, edit);
  };

  return [
    apiRoute(listBudgets, async ({ query, now }) => list(await store.page(query, query), now)),
    apiRoute(listOwnBudgets, async ({ principal, query, now }) => {
      const { rows, ...total } = await store.pageOfUser(principal.id, query);
      // What administrators say of it is not for those whom it limits.
      return list({ rows: rows.map((row) => ({ ...row, note: "" })), ...total }, now);
    }),
    apiRoute(setSpendingLimit, async ({ principal, params, body, now }) => {
      // Another user's token is reported as missing, so ids cannot be probed.
      const token = await tokens.find(principal.id, params.id);
      if (!token) throw refuse("token_not_found");
      const limit = await store.spendingLimit(token.id);
      if (body.amount === 0) {
        if (limit) await write([store.remove(limit)]);
        return null;
      }
      if (limit)
        await write([store.update(limit, changeBudget(limit, { ...body, enabled: true }, now))]);
      else
        await write(
          store.insertSpendingLimit(
            buildSpendingLimit(token.id, body, readUuid7(now), now, siteZone()),
          ),
        );
      const set = await store.spendingLimit(token.id);
      return set ? await view(set, now) : null;
    }),
    apiRoute(getBudget, async ({ params, now }) => view(await existing(params.id), now)),
    apiRoute(createBudget, async (call) =>
      view(await existing({ uuid: await create(call) }), call.now),
    ),
    apiRoute(updateBudget, async (call) =>
      view(await change(call, await existing(named(call.body)), call.body), call.now),
    ),
    apiRoute(putBudget, async (call) =>
      view(await put(call, call.params.external_id, call.body), call.now),
    ),
    apiRoute(grantBudget, async (call) => {
      const row = await existing(call.params.id);
      await grant(call, row);
      return view(row, call.now);
    }),
    apiRoute(deleteBudget, async (call) => {
      const row = await existing(call.params.id);
      await checkMayChange(call, row);
      checkUnmanaged(row);
      await write([
        store.remove(row),
        ...call.audit("budget.delete", row.uuid, { name: row.name }),
      ]);
    }),
  ];
}
