/**
 * The balance APIs of provider types. Pure. Requests go only to the channel's own host, for which
 * its key was entered. Only DeepSeek's API was checked against its published reference
 * (2026-11-21); the others follow what compatible servers are known to call and are unverified.
 */

import { channelTypeIds as ids } from "@tollgate/contract/catalogue/channel-types.ts";

export interface BalanceRequest {
  path: string;
  headers: Record<string, string>;
}

export interface BalanceApi {
  currency: "USD" | "CNY";
  requests(key: string, now: number): BalanceRequest[];
  /** The balance in millionths of the currency. Throws `UnreadableBalance`. */
  read(replies: unknown[]): number;
}

export class UnreadableBalance extends Error {}

type JsonMembers = Record<string, unknown>;

const micros = 1_000_000;

/** A nested member as a number; providers also send decimal text. */
function requireNumber(reply: unknown, ...path: (string | number)[]): number {
  let value = reply;
  for (const name of path) value = (value as JsonMembers | undefined | null)?.[name];
  const number = typeof value === "string" && value.trim() !== "" ? Number(value) : value;
  if (typeof number !== "number" || !Number.isFinite(number))
    throw new UnreadableBalance(`the provider's answer has no ${path.join(".")}`);
  return number;
}

const composeBearer = (key: string) => ({ authorization: `Bearer ${key}` });
const formatDay = (ms: number) => new Date(ms).toISOString().slice(0, 10);
const usageDays = 100;
const dayMs = 86_400_000;

const openAi: BalanceApi = {
  currency: "USD",
  requests: (key, now) => [
    { path: "/v1/dashboard/billing/subscription", headers: composeBearer(key) },
    {
      path: `/v1/dashboard/billing/usage?start_date=${formatDay(now - usageDays * dayMs)}&end_date=${formatDay(now + dayMs)}`,
      headers: composeBearer(key),
    },
  ],
  // Usage is in cents.
  read: ([subscription, usage]) =>
    requireNumber(subscription, "hard_limit_usd") * micros -
    (requireNumber(usage, "total_usage") * micros) / 100,
};

/** A single request whose reply contains the balance. */
const single = (currency: "USD" | "CNY", path: string, ...member: string[]): BalanceApi => ({
  currency,
  requests: (key) => [{ path, headers: composeBearer(key) }],
  read: ([reply]) => requireNumber(reply, ...member) * micros,
});

const creditGrants = "/dashboard/billing/credit_grants";

const apis: Readonly<Record<number, BalanceApi>> = {
  [ids.openAi]: openAi,
  [ids.closeAi]: single("USD", creditGrants, "total_available"),
  [ids.openAiSb]: {
    currency: "USD",
    requests: (key) => [
      { path: `/sb-api/user/status?api_key=${encodeURIComponent(key)}`, headers: {} },
    ],
    read: ([reply]) => requireNumber(reply, "data", "credit") * micros,
  },
  [ids.custom]: openAi,
  [ids.aiProxy]: {
    currency: "USD",
    requests: (key) => [{ path: "/api/report/getUserOverview", headers: { "api-key": key } }],
    read: ([reply]) => requireNumber(reply, "data", "totalPoints") * micros,
  },
  [ids.api2Gpt]: single("USD", creditGrants, "total_remaining"),
  [ids.aigc2d]: single("USD", creditGrants, "total_available"),
  [ids.openRouter]: {
    currency: "USD",
    requests: (key) => [{ path: "/v1/credits", headers: composeBearer(key) }],
    read: ([reply]) =>
      (requireNumber(reply, "data", "total_credits") -
        requireNumber(reply, "data", "total_usage")) *
      micros,
  },
  [ids.deepSeek]: {
    currency: "CNY",
    requests: (key) => [{ path: "/user/balance", headers: composeBearer(key) }],
    read: ([reply]) => requireNumber({ CNY: readYuan(reply) }, "CNY") * micros,
  },
  [ids.siliconFlow]: single("CNY", "/v1/user/info", "data", "totalBalance"),
  [ids.compatible]: openAi,
};

/** DeepSeek has one account per currency. */
function readYuan(reply: unknown): unknown {
  const accounts = (reply as JsonMembers | undefined)?.balance_infos;
  return Array.isArray(accounts)
    ? accounts.find((account: JsonMembers | null) => account?.currency === "CNY")?.total_balance
    : undefined;
}

export const findBalanceApi = (type: number): BalanceApi | undefined => apis[type];

/** A base URL that ends in a version does not get a second one. */
export function composeBalanceUrl(base: string, path: string): URL {
  const trimmed = base.replace(/\/+$/, "");
  const unversioned = /\/v\d+$/.test(trimmed) ? path.replace(/^\/v\d+(?=\/)/, "") : path;
  return new URL(trimmed + unversioned);
}
