/**
 * Calls that new-api has and one-api has not: lists by `page_size`, the caller's groups, prices,
 * usage by day.
 */
import { createHash } from "node:crypto";
import { revealToken } from "@tollgate/contract/accounts/key-reveal.ts";
import { listRedemptions, searchRedemptions } from "@tollgate/contract/accounts/redemptions.ts";
import {
  findToken,
  getToken,
  listTokenGroups,
  listTokens,
  searchTokens,
} from "@tollgate/contract/accounts/tokens.ts";
import { listUsers, searchUsers } from "@tollgate/contract/accounts/user-admin.ts";
import type { Endpoint } from "@tollgate/contract/api/endpoint.ts";
import { pageSizeDefault, pageSizeMax } from "@tollgate/contract/api/page.ts";
import { listChannels, searchChannels } from "@tollgate/contract/catalogue/channels.ts";
import { listDisplayedModels } from "@tollgate/contract/catalogue/models.ts";
import { getDashboard } from "@tollgate/contract/figures/dashboard.ts";
import { listLogs, listOwnLogs } from "@tollgate/contract/figures/logs.ts";
import { hashKey, stripKeyPrefixes } from "../accounts/tokens/token-rules.ts";
import {
  type AskOwn,
  type ForeignCall,
  ForeignRefused,
  type ForeignRequest,
} from "./foreign-call.ts";

const enveloped = (data: unknown) => ({ success: true, message: "", data });

const listsByPage: readonly Endpoint[] = [
  listTokens,
  searchTokens,
  listUsers,
  searchUsers,
  listChannels,
  searchChannels,
  listRedemptions,
  searchRedemptions,
  listLogs,
  listOwnLogs,
];

const parseWhole = (text: string | undefined, fallback: number): number => {
  const value = Number(text);
  return Number.isSafeInteger(value) && value > 0 ? value : fallback;
};

/** `p` counts from 1 where `page_size` is given, and from 0 without it. */
async function answerPage(
  endpoint: Endpoint,
  { query }: ForeignRequest,
  ask: AskOwn,
): Promise<unknown> {
  const { p, page_size, ...filter } = query;
  const page = parseWhole(p, 1);
  const size = Math.min(parseWhole(page_size, pageSizeDefault), pageSizeMax);
  const own = { ...filter, p: String(page - 1), size: String(size) };
  const reply: { data: unknown; total?: unknown } = await ask(endpoint, { query: own as never });
  return enveloped({ page, page_size: size, total: reply.total ?? 0, items: reply.data });
}

/**
 * Tools look a key up by its text; the own search has no such filter, because keys are stored by
 * their hash.
 */
async function findByKey({ query }: ForeignRequest, ask: AskOwn): Promise<unknown> {
  const key_hash = hashKey(stripKeyPrefixes(query.token ?? ""));
  const { data } = await ask(findToken, { body: { key_hash } });
  const page = { page: 1, page_size: pageSizeDefault, total: data.length, items: data };
  return query.page_size === undefined
    ? { ...enveloped(data), total: data.length }
    : enveloped(page);
}

const keyOfToken = /^\/api\/token\/([\w-]+)\/key\/?$/;

/** Its lists mask keys, and this call shows one; here it shows what the own call shows. */
async function readKey(id: string, ask: AskOwn): Promise<unknown> {
  const { uuid } = (await ask(getToken, { params: { id } })).data;
  try {
    const { key } = (await ask(revealToken, { body: { uuid } })).data;
    if (key === "") throw new ForeignRefused(403, "The gateway cannot read this key any more");
    return enveloped({ key });
  } catch (error) {
    if (error instanceof ForeignRefused) throw new ForeignRefused(403, error.message);
    throw error;
  }
}

/** Dollars per million tokens at the ratio 1. */
const dollarsAtRatioOne = 2;
const computeRatio = (part: number, whole: number): number => (whole === 0 ? 0 : part / whole);

/** The groups of the caller's keys with their ratios; none for a visitor. */
async function listGroups(ask: AskOwn): Promise<{ name: string; ratio: number }[]> {
  try {
    return (await ask(listTokenGroups)).data;
  } catch (error) {
    if (error instanceof ForeignRefused) return [];
    throw error;
  }
}

/** Models are those of the caller's own group, so that each is enabled for it. */
async function listPrices(ask: AskOwn): Promise<unknown> {
  const groups = await listGroups(ask);
  const { data } = await ask(listDisplayedModels);
  const byModel = new Map<string, unknown>();
  // Where providers ask for different prices, the dearest is shown: no bill is higher than that.
  const offers = Object.values(data)
    .flatMap(({ models, channel_name }) =>
      Object.entries(models).map(([model, price]) => ({ model, price, channel_name })),
    )
    .sort((one, other) => one.price.input_price - other.price.input_price);
  for (const { model, price, channel_name } of offers)
    byModel.set(model, {
      model_name: model,
      owner_by: channel_name,
      quota_type: 0,
      model_price: 0,
      model_ratio: price.input_price / dollarsAtRatioOne,
      completion_ratio: computeRatio(price.output_price, price.input_price),
      cache_ratio: computeRatio(price.cached_input_price, price.input_price),
      create_cache_ratio: computeRatio(price.cache_write_5m_price, price.input_price),
      enable_groups: groups.slice(0, 1).map(({ name }) => name),
      supported_endpoint_types: ["openai"],
    });
  return {
    ...enveloped([...byModel.values()]),
    vendors: [],
    group_ratio: Object.fromEntries(groups.map(({ name, ratio }) => [name, ratio])),
    usable_group: Object.fromEntries(groups.map(({ name }) => [name, name])),
    supported_endpoint: { openai: { path: "/v1/chat/completions", method: "POST" } },
    auto_groups: [],
    pricing_version: createHash("sha256").update(JSON.stringify(data)).digest("hex"),
  };
}

const findDayOfSeconds = (seconds: string | undefined): string | undefined => {
  const time = Number(seconds) * 1000;
  return seconds === undefined || !Number.isFinite(time) || Math.abs(time) > 8.64e15
    ? undefined
    : new Date(time).toISOString().slice(0, 10);
};

/**
 * `listUsage` goes by UTC day and model. `created_at` is the beginning of the day, in unix seconds.
 */
async function listUsage(
  query: ForeignRequest["query"],
  userId: string | undefined,
  ask: AskOwn,
): Promise<unknown> {
  const [from_date, to_date] = [
    findDayOfSeconds(query.start_timestamp),
    findDayOfSeconds(query.end_timestamp),
  ];
  const { data } = await ask(getDashboard, {
    query: {
      ...(from_date !== undefined && { from_date }),
      ...(to_date !== undefined && { to_date }),
      ...(userId !== undefined && { user_id: userId }),
    } as never,
  });
  return enveloped(
    data.logs.map(({ Day, ModelName, RequestCount, Quota, PromptTokens, CompletionTokens }) => ({
      username: query.username ?? "",
      model_name: ModelName,
      created_at: Date.parse(`${Day.slice(0, 10)}T00:00:00Z`) / 1000,
      token_used: PromptTokens + CompletionTokens,
      count: RequestCount,
      quota: Quota,
    })),
  );
}

async function readUserNamed(name: string, ask: AskOwn): Promise<string> {
  const { data } = await ask(searchUsers, { query: { keyword: name } });
  // An id that no account has: the own endpoint refuses it in its own words.
  return String(data.find(({ username }) => username === name)?.id ?? 0);
}

export const newApiCalls: readonly ForeignCall[] = [
  {
    method: "GET",
    path: "/api/user/self/groups",
    async answer(_, ask) {
      const { data } = await ask(listTokenGroups);
      return enveloped(
        Object.fromEntries(data.map(({ name, ratio }) => [name, { desc: name, ratio }])),
      );
    },
  },
  { method: "GET", path: "/api/pricing", answer: (_, ask) => listPrices(ask) },
  {
    method: "GET",
    path: "/api/data/self",
    answer: ({ query }, ask) => listUsage(query, undefined, ask),
  },
  {
    method: "GET",
    path: "/api/data/",
    answer: async ({ query }, ask) =>
      listUsage(
        query,
        query.username === undefined ? "all" : await readUserNamed(query.username, ask),
        ask,
      ),
  },
];

/**
 * A list of the own API in new-api's form, a search by key, or the key of a token; undefined for
 * any other call.
 */
export function findApiForm(
  method: string,
  path: string,
  query: ForeignRequest["query"],
): ForeignCall | undefined {
  const tokenId = method === "POST" ? keyOfToken.exec(path)?.[1] : undefined;
  if (tokenId !== undefined)
    return { method: "POST", path, answer: (_, ask) => readKey(tokenId, ask) };
  if (method !== "GET") return undefined;
  const withSlash = path.endsWith("/") ? path : `${path}/`;
  const endpoint = listsByPage.find((one) => one.path === path || one.path === withSlash);
  if (endpoint === searchTokens && query.token !== undefined)
    return { method: "GET", path, answer: (request, ask) => findByKey(request, ask) };
  if (!endpoint || query.page_size === undefined) return undefined;
  return { method: "GET", path, answer: (request, ask) => answerPage(endpoint, request, ask) };
}
