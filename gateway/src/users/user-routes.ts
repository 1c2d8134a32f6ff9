/** What the API answers administrators about accounts. */
import { named } from "@tollgate/contract/ids.ts";
import {
  createUser,
  deleteUser,
  getUser,
  listUsers,
  manageUser,
  searchUsers,
  topUpUser,
  updateUser,
  updateUserStatus,
} from "@tollgate/contract/user-admin.ts";
import { answer, type Route } from "../http/answer.ts";
import { refuse } from "../http/refusal.ts";
import { changeUserWith, type UserParts } from "./change-user.ts";
import { createUserWith } from "./create-user.ts";
import { topUpUserWith } from "./top-up-user.ts";
import { changeOfAction, reaches } from "./user-rules.ts";
import { viewUser } from "./user-view.ts";

export function userRoutes(parts: UserParts): Route[] {
  const { users } = parts;
  const { within, change, remove } = changeUserWith(parts);
  const create = createUserWith(parts);

  const list = async ({ query }: { query: Parameters<typeof users.page>[0] }) => {
    const { rows, ...total } = await users.page(query);
    return { data: rows.map(viewUser), ...total };
  };

  return [
    answer(listUsers, list),
    answer(searchUsers, list),
    answer(getUser, async ({ caller, params }) => {
      const account = await users.byReference(params.id);
      if (!account) throw refuse("user_not_found");
      if (account.id !== caller.id && !reaches(caller, account)) throw refuse("user_out_of_reach");
      return viewUser(account);
    }),
    answer(createUser, async (call) => {
      const account = await users.byReference({ uuid: await create(call) });
      if (!account) throw refuse("user_not_found");
      return viewUser(account);
    }),
    answer(updateUser, async (call) => viewUser(await change(call, named(call.body), call.body))),
    answer(updateUserStatus, async (call) =>
      viewUser(await change(call, named(call.body), { status: call.body.status })),
    ),
    answer(manageUser, async (call) => {
      const { username, action } = call.body;
      const found = await users.byUsername(username);
      if (!found) throw refuse("user_not_found");
      if (action === "delete") return viewUser(await remove(call, found));
      const account = await within(call, found);
      return viewUser(await change(call, found, changeOfAction(action, account)));
    }),
    answer(deleteUser, async (call) => {
      await remove(call, call.params.id);
    }),
    answer(topUpUser, topUpUserWith(parts)),
  ];
}
