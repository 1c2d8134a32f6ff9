/**
 * LiteLLM's calls on users, as calls of an administrator on accounts. Its `user_id` is any text;
 * here it becomes the user name.
 */
import { randomBytes } from "node:crypto";
import { roles } from "@tollgate/contract/accounts/roles.ts";
import { getSelf } from "@tollgate/contract/accounts/sessions.ts";
import { listTokens } from "@tollgate/contract/accounts/tokens.ts";
import {
  createUser,
  getUser,
  listUsers,
  searchUsers,
  updateUser,
} from "@tollgate/contract/accounts/user-admin.ts";
import type { User } from "@tollgate/contract/accounts/users.ts";
import * as z from "zod/mini";
import {
  type AskOwn,
  type ForeignCall,
  ForeignRefused,
  type ForeignRequest,
} from "./foreign-call.ts";
import { buildKeyObject } from "./litellm-key-calls.ts";
import {
  budget,
  buildMembers,
  computeUnits,
  formatDollars,
  isUuid,
  readPage,
  shortText,
} from "./litellm-members.ts";

const newUser = z.object({
  user_id: shortText,
  user_email: z.optional(shortText),
  user_alias: z.optional(shortText),
  max_budget: z.optional(budget),
  user_role: z.optional(z.literal("internal_user")),
  auto_create_key: z.optional(z.boolean()),
});
const userChange = z.object({
  user_id: shortText,
  user_email: z.optional(shortText),
  user_alias: z.optional(shortText),
});

const roleNames: ReadonlyMap<number, string> = new Map([
  [roles.admin, "proxy_admin"],
  [roles.root, "proxy_admin"],
]);

const buildUserObject = (user: User) => ({
  user_id: String(user.id),
  user_alias: user.display_name,
  user_email: user.email,
  user_role: roleNames.get(user.role) ?? "internal_user",
  spend: formatDollars(user.used_quota),
  /** A balance is what is left: the budget is what was there from the first day on. */
  max_budget: formatDollars(user.quota + user.used_quota),
  models: [],
  teams: [],
  metadata: {},
  created_at: new Date(user.created_at).toISOString(),
  updated_at: new Date(user.updated_at).toISOString(),
});

/** `readUserNamed` finds the user by id, uuid, the id that a program gave it, or user name. */
async function readUserNamed(text: string, ask: AskOwn): Promise<User> {
  if (/^\d{1,15}$/.test(text) || isUuid(text))
    return (await ask(getUser, { params: { id: text } })).data;
  const [byProgram] = (await ask(listUsers, { query: { external_id: text } })).data;
  if (byProgram) return byProgram;
  const { data } = await ask(searchUsers, { query: { keyword: text.slice(0, 100) } });
  const named = data.find(({ username }) => username === text);
  if (!named) throw new ForeignRefused(404, "User not found", "user_id");
  return named;
}

async function create({ body }: ForeignRequest, ask: AskOwn): Promise<unknown> {
  // LiteLLM creates a key unless it is told not to; here a key is created by its own user alone.
  if (body.auto_create_key !== false) {
    const message =
      "auto_create_key must be false: a key here is created with the credentials of its own user";
    throw new ForeignRefused(400, message, "auto_create_key");
  }
  const { user_id, user_email, user_alias, max_budget } = buildMembers(newUser, body);
  const { data } = await ask(createUser, {
    body: {
      username: user_id,
      external_id: user_id,
      // The user sets one by mail, or signs in elsewhere.
      password: randomBytes(24).toString("base64url"),
      ...(user_alias !== undefined && { display_name: user_alias }),
      ...(user_email !== undefined && { email: user_email }),
      ...(max_budget !== undefined && { quota: computeUnits(max_budget) }),
    },
  });
  return { ...buildUserObject(data), key: null };
}

async function info({ query }: ForeignRequest, ask: AskOwn): Promise<unknown> {
  const self = (await ask(getSelf)).data;
  const isSelf =
    query.user_id === undefined ||
    [String(self.id), self.uuid, self.username, self.external_id].includes(query.user_id);
  const user = isSelf ? self : await readUserNamed(query.user_id ?? "", ask);
  const keys = isSelf ? (await ask(listTokens, { query: { size: "100" } })).data : [];
  return {
    user_id: String(user.id),
    user_info: buildUserObject(user),
    keys: keys.map(buildKeyObject),
    teams: [],
  };
}

async function update({ body }: ForeignRequest, ask: AskOwn): Promise<unknown> {
  const { user_id, user_email, user_alias } = buildMembers(userChange, body);
  const { uuid } = await readUserNamed(user_id, ask);
  const { data } = await ask(updateUser, {
    body: {
      uuid,
      ...(user_email !== undefined && { email: user_email }),
      ...(user_alias !== undefined && { display_name: user_alias }),
    },
  });
  return buildUserObject(data);
}

async function list({ query }: ForeignRequest, ask: AskOwn): Promise<unknown> {
  const { page, size } = readPage(query, "page_size");
  const { data, total = 0 } = await ask(listUsers, {
    query: { p: String(page - 1), size: String(size) },
  });
  return {
    users: data.map(buildUserObject),
    total,
    page,
    page_size: size,
    total_pages: Math.ceil(total / size),
  };
}

export const litellmUserCalls: readonly ForeignCall[] = [
  { method: "POST", path: "/user/new", answer: create },
  { method: "GET", path: "/user/info", answer: info },
  { method: "POST", path: "/user/update", answer: update },
  { method: "GET", path: "/user/list", answer: list },
];
