/** Routes for administrators to manage accounts. */

import {
  createUser,
  deleteUser,
  getUser,
  listUsers,
  manageUser,
  putUser,
  searchUsers,
  topUpUser,
  type UserByExternalId,
  updateUser,
  updateUserStatus,
  userInput,
  waiveDebt,
} from "@tollgate/contract/accounts/user-admin.ts";
import type { QueryOf } from "@tollgate/contract/api/endpoint.ts";
import { named } from "@tollgate/contract/api/ids.ts";
import { type ApiRoute, apiRoute } from "../../../http/api-route.ts";
import { refuse } from "../../../http/refusal.ts";
import type { AuthenticatedContext } from "../../../http/request-context.ts";
import { parseOrRefuse } from "../../../http/validation-errors.ts";
import { addRecentCalls } from "../../../storage/recent-call-counts.ts";
import { createUserEditor, type UserDeps } from "./change-user.ts";
import { createUserCreator } from "./create-user.ts";
import { createUserTopUp } from "./top-up-user.ts";
import { canManage, changeForAction } from "./user-edit-rules.ts";
import { viewUser } from "./user-view.ts";

export function buildUserRoutes(deps: UserDeps): ApiRoute[] {
  const { db, users } = deps;
  const { findManageable, change, remove, waiveDebt: waive } = createUserEditor(deps);
  const create = createUserCreator(deps);

  const put = async (call: AuthenticatedContext, external_id: string, body: UserByExternalId) => {
    const account = await users.byExternalId(external_id);
    const { password, quota, status, ...edit } = body;
    if (account) return change(call, { id: account.id }, { ...edit, status });
    const input = parseOrRefuse(userInput, { ...edit, password, quota, external_id });
    const made = { uuid: await create({ ...call, body: input }) };
    return status === undefined ? findManageable(call, made) : change(call, made, { status });
  };

  const list = async ({
    query,
    now,
  }: AuthenticatedContext & { query: QueryOf<typeof listUsers> }) => {
    const { rows, ...total } = await users.page(query);
    const data = rows.map(viewUser);
    return { data: query.recent ? await addRecentCalls(db, "user", data, now) : data, ...total };
  };

  return [
    apiRoute(listUsers, list),
    apiRoute(searchUsers, list),
    apiRoute(getUser, async ({ principal, params }) => {
      const account = await users.byReference(params.id);
      if (!account) throw refuse("user_not_found");
      if (account.id !== principal.id && !canManage(principal, account))
        throw refuse("user_out_of_reach");
      return viewUser(account);
    }),
    apiRoute(createUser, async (call) => {
      const account = await users.byReference({ uuid: await create(call) });
      if (!account) throw refuse("user_not_found");
      return viewUser(account);
    }),
    apiRoute(updateUser, async (call) => viewUser(await change(call, named(call.body), call.body))),
    apiRoute(putUser, async (call) =>
      viewUser(await put(call, call.params.external_id, call.body)),
    ),
    apiRoute(updateUserStatus, async (call) =>
      viewUser(await change(call, named(call.body), { status: call.body.status })),
    ),
    apiRoute(manageUser, async (call) => {
      const { username, action } = call.body;
      const found = await users.byUsername(username);
      if (!found) throw refuse("user_not_found");
      const { id } = found;
      if (action === "delete") return viewUser(await remove(call, { id }));
      const account = await findManageable(call, { id });
      return viewUser(await change(call, { id }, changeForAction(action, account)));
    }),
    apiRoute(deleteUser, async (call) => {
      await remove(call, call.params.id);
    }),
    apiRoute(waiveDebt, async (call) => viewUser(await waive(call, call.params.id))),
    apiRoute(topUpUser, createUserTopUp(deps)),
  ];
}
