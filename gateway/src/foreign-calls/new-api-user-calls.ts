/**
 * new-api manages an account by its id, and moves its quota by the same call; the own call knows
 * names, and grants by another.
 */

import {
  getUser,
  manageUser,
  topUpUser,
  updateUser,
  userActions,
} from "@tollgate/contract/accounts/user-admin.ts";
import type { User } from "@tollgate/contract/accounts/users.ts";
import { quotaMax } from "@tollgate/contract/api/scalars.ts";
import * as z from "zod/mini";
import {
  type AskOwn,
  type ForeignCall,
  ForeignRefused,
  type ForeignRequest,
} from "./foreign-call.ts";
import { buildMembers } from "./litellm-members.ts";

const managed = z.object({
  id: z.int().check(z.minimum(1)),
  action: z.enum([...userActions, "add_quota"]),
});
const moved = z.object({
  ...managed.shape,
  mode: z.enum(["add", "subtract", "override"]),
  value: z.int().check(z.minimum(0), z.maximum(quotaMax)),
});

async function moveQuota(
  { mode, value }: z.output<typeof moved>,
  { uuid, quota }: Pick<User, "uuid" | "quota">,
  ask: AskOwn,
): Promise<void> {
  if (mode === "override") await ask(updateUser, { body: { uuid, quota: value } });
  else if (value === 0) throw new ForeignRefused(400, "value must be 1 or more", "value");
  else if (mode === "add") await ask(topUpUser, { body: { user_uuid: uuid, quota: value } });
  // As a difference, so that it undoes no spending in between.
  else
    await ask(updateUser, { body: { uuid, quota: Math.max(0, quota - value), quota_read: quota } });
}

async function manage({ body }: ForeignRequest, ask: AskOwn): Promise<unknown> {
  const isMove = body.action === "add_quota";
  const { id, action } = isMove ? buildMembers(moved, body) : buildMembers(managed, body);
  const before = (await ask(getUser, { params: { id } })).data;
  if (action !== "add_quota") {
    const { role, status } = (
      await ask(manageUser, { body: { username: before.username, action } })
    ).data;
    return { success: true, message: "", data: { role, status } };
  }
  await moveQuota(buildMembers(moved, body), before, ask);
  return { success: true, message: "", data: { role: before.role, status: before.status } };
}

export const newApiUserCalls: readonly ForeignCall[] = [
  {
    method: "POST",
    path: manageUser.path,
    appliesTo: ({ id, username }) => id !== undefined && username === undefined,
    answer: manage,
  },
];
