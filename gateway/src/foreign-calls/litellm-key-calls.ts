/**
 * LiteLLM's calls on API keys, as calls on the caller's own keys. Budgets are dollars there and
 * units here.
 */

import { getSelf } from "@tollgate/contract/accounts/sessions.ts";
import { buildEachTokenLimit } from "@tollgate/contract/accounts/token-restrictions.ts";
import {
  createToken,
  deleteToken,
  findToken,
  getToken,
  listTokens,
  searchTokens,
  type Token,
  tokenStatus,
  updateToken,
  updateTokenStatus,
} from "@tollgate/contract/accounts/tokens.ts";
import * as z from "zod/mini";
import { hashKey, stripKeyPrefixes } from "../accounts/tokens/token-rules.ts";
import {
  type AskOwn,
  type ForeignCall,
  ForeignRefused,
  type ForeignRequest,
} from "./foreign-call.ts";
import {
  budget,
  buildMembers,
  computeUnits,
  duration,
  formatDollars,
  isUuid,
  readPage,
  shortText,
} from "./litellm-members.ts";

const keyFields = {
  key_alias: z.optional(shortText),
  duration: z.optional(duration),
  models: z.optional(z.array(shortText)),
  max_budget: z.optional(budget),
  user_id: z.optional(shortText),
  // LiteLLM's names of limits are ours.
  ...buildEachTokenLimit(() => z.optional(z.int())),
  blocked: z.optional(z.boolean()),
  key_type: z.optional(z.enum(["default", "llm_api"])),
};
const newKeyInput = z.object(keyFields);
const keyChange = z.object({ ...keyFields, key: shortText });
const keysMax = 100;
const keyDeletion = z.object({
  keys: z.optional(z.array(shortText).check(z.maxLength(keysMax))),
  key_aliases: z.optional(z.array(shortText).check(z.maxLength(keysMax))),
});
const oneKey = z.object({ key: shortText });
const allModels = ["all-proxy-models", "all-team-models"];
const nameWithoutAlias = "LiteLLM client";

const formatIso = (ms: number): string => new Date(ms).toISOString();

/** The members of LiteLLM's key objects. */
export const buildKeyObject = (token: Token) => ({
  token: token.uuid,
  token_id: token.uuid,
  key_name: token.key,
  key_alias: token.name,
  user_id: String(token.user_id),
  team_id: null,
  models: token.models === "" ? [] : token.models.split(","),
  spend: formatDollars(token.used_quota),
  max_budget: token.unlimited_quota ? null : formatDollars(token.remain_quota + token.used_quota),
  expires: token.expired_time > 0 ? formatIso(token.expired_time * 1000) : null,
  ...buildEachTokenLimit((name) => token[name] || null),
  blocked: token.status === tokenStatus.disabled || token.status === tokenStatus.paused,
  metadata: {},
  created_at: formatIso(token.created_at),
  updated_at: formatIso(token.updated_at),
});

function formatModelsText(models: readonly string[]): string {
  if (
    models.some(
      (model) => model.includes(",") || model.includes("*") || model === "no-default-models",
    )
  )
    throw new ForeignRefused(400, "models must be names of models", "models");
  return models.every((model) => allModels.includes(model))
    ? ""
    : models.filter((model) => !allModels.includes(model)).join(",");
}

function buildColumns(input: z.output<typeof newKeyInput>, now: number) {
  const { key_alias, models } = input;
  return {
    ...(key_alias !== undefined && { name: key_alias }),
    ...(models !== undefined && { models: formatModelsText(models) }),
    ...(input.duration !== undefined && {
      expired_time: Math.floor((now + input.duration) / 1000),
    }),
    ...buildEachTokenLimit((name) => input[name]),
  };
}

/** A key belongs to the account that makes it, here as by the own API. */
async function requireOwnId(userId: string | undefined, ask: AskOwn): Promise<void> {
  if (userId === undefined) return;
  const { id, uuid, username, external_id } = (await ask(getSelf)).data;
  if ([String(id), uuid, username, external_id].includes(userId)) return;
  const message =
    "user_id must be the caller's: a key here is created with the credentials of its own user";
  throw new ForeignRefused(403, message, "user_id");
}

/**
 * `readKeyNamed` finds the key by its text, the SHA-256 of its text, or the id that these calls
 * answer.
 */
async function readKeyNamed(text: string, ask: AskOwn): Promise<Token> {
  if (isUuid(text)) return (await ask(getToken, { params: { id: text } })).data;
  const key_hash = /^[0-9a-f]{64}$/.test(text) ? text : hashKey(stripKeyPrefixes(text));
  const [token] = (await ask(findToken, { body: { key_hash } })).data;
  if (!token) throw new ForeignRefused(404, "Key not found", "key");
  return token;
}

async function generate({ body }: ForeignRequest, ask: AskOwn, now: number): Promise<unknown> {
  const input = buildMembers(newKeyInput, body);
  await requireOwnId(input.user_id, ask);
  const { data } = await ask(createToken, {
    body: {
      name: nameWithoutAlias,
      ...buildColumns(input, now),
      unlimited_quota: input.max_budget === undefined,
      remain_quota: computeUnits(input.max_budget ?? 0),
    },
  });
  const token = input.blocked ? await setStatus(data.uuid, tokenStatus.disabled, ask) : data;
  return {
    ...buildKeyObject(token),
    key: data.key,
    key_name: `${data.key.slice(0, 3)}...${data.key.slice(-4)}`,
  };
}

async function setStatus(uuid: string, status: number, ask: AskOwn): Promise<Token> {
  return (await ask(updateTokenStatus, { query: { status_only: "1" }, body: { uuid, status } }))
    .data;
}

async function update({ body }: ForeignRequest, ask: AskOwn, now: number): Promise<unknown> {
  const input = buildMembers(keyChange, body);
  const token = await readKeyNamed(input.key, ask);
  await requireOwnId(input.user_id, ask);
  const { max_budget, blocked } = input;
  const { data } = await ask(updateToken, {
    body: {
      uuid: token.uuid,
      ...buildColumns(input, now),
      ...(max_budget !== undefined && {
        unlimited_quota: false,
        // The budget counts from the first day of the key; what it has spent since it was read
        // stays spent.
        remain_quota: Math.max(0, computeUnits(max_budget) - token.used_quota),
        remain_quota_read: token.remain_quota,
      }),
    },
  });
  if (blocked === undefined || blocked === buildKeyObject(data).blocked)
    return { key: data.uuid, ...buildKeyObject(data) };
  const changed = await setStatus(
    data.uuid,
    blocked ? tokenStatus.disabled : tokenStatus.enabled,
    ask,
  );
  return { key: data.uuid, ...buildKeyObject(changed) };
}

async function remove({ body }: ForeignRequest, ask: AskOwn): Promise<unknown> {
  const { keys = [], key_aliases = [] } = buildMembers(keyDeletion, body);
  if (keys.length + key_aliases.length === 0)
    throw new ForeignRefused(400, "keys or key_aliases is required", "keys");
  const found: Token[] = [];
  for (const key of keys) found.push(await readKeyNamed(key, ask));
  for (const alias of key_aliases) found.push(await readKeyOfAlias(alias, ask));
  // All are looked up first, so that one wrong name deletes nothing.
  for (const { uuid } of found) await ask(deleteToken, { params: { id: uuid } });
  return { deleted_keys: found.map(({ uuid }) => uuid) };
}

async function readKeyOfAlias(alias: string, ask: AskOwn): Promise<Token> {
  const { data } = await ask(searchTokens, { query: { keyword: alias, size: "100" } });
  const named = data.filter(({ name }) => name === alias);
  const [token] = named;
  if (named.length !== 1 || !token) {
    const message =
      named.length === 0 ? "Key not found" : "Several keys have this alias; name them by their id";
    throw new ForeignRefused(named.length === 0 ? 404 : 400, message, "key_aliases");
  }
  return token;
}

async function list({ query }: ForeignRequest, ask: AskOwn): Promise<unknown> {
  const { page, size } = readPage(query, "size");
  await requireOwnId(query.user_id, ask);
  const { data, total = 0 } = await ask(listTokens, {
    query: { p: String(page - 1), size: String(size) },
  });
  const isFull = query.return_full_object?.toLowerCase() === "true";
  return {
    keys: data.map((token) => (isFull ? buildKeyObject(token) : token.uuid)),
    total_count: total,
    current_page: page,
    total_pages: Math.ceil(total / size),
  };
}

async function block({ body }: ForeignRequest, status: number, ask: AskOwn): Promise<unknown> {
  const { uuid } = await readKeyNamed(buildMembers(oneKey, body).key, ask);
  return buildKeyObject(await setStatus(uuid, status, ask));
}

export const listLitellmKeyCalls = (now: () => number): readonly ForeignCall[] => [
  {
    method: "POST",
    path: "/key/generate",
    answer: (request, ask) => generate(request, ask, now()),
  },
  { method: "POST", path: "/key/update", answer: (request, ask) => update(request, ask, now()) },
  { method: "POST", path: "/key/delete", answer: remove },
  {
    method: "POST",
    path: "/key/block",
    answer: (request, ask) => block(request, tokenStatus.disabled, ask),
  },
  {
    method: "POST",
    path: "/key/unblock",
    answer: (request, ask) => block(request, tokenStatus.enabled, ask),
  },
  { method: "GET", path: "/key/list", answer: list },
  {
    method: "GET",
    path: "/key/info",
    async answer({ query }, ask) {
      if (query.key === undefined) throw new ForeignRefused(400, "key is required", "key");
      const token = await readKeyNamed(query.key, ask);
      return { key: token.uuid, info: buildKeyObject(token) };
    },
  },
];
