/**
 * LiteLLM's calls that report: models with their prices, spending, and the state of the channels as
 * it was last seen.
 */

import { roles } from "@tollgate/contract/accounts/roles.ts";
import { getSelf } from "@tollgate/contract/accounts/sessions.ts";
import { channelStatus, listChannels } from "@tollgate/contract/catalogue/channels.ts";
import { listDisplayedModels } from "@tollgate/contract/catalogue/models.ts";
import { getDashboard } from "@tollgate/contract/figures/dashboard.ts";
import {
  type Log,
  listLogs,
  listOwnLogs,
  searchLogs,
  searchOwnLogs,
} from "@tollgate/contract/figures/logs.ts";
import {
  type AskOwn,
  type ForeignCall,
  ForeignRefused,
  type ForeignRequest,
} from "./foreign-call.ts";
import { formatDollars } from "./litellm-members.ts";

const tokensPerPrice = 1_000_000;
const pageSize = 100;
/** Log rows or channels of one reply: each page is a call. */
const pagesMax = 10;

async function modelInfo(ask: AskOwn): Promise<unknown> {
  // The own list is public; LiteLLM's is not.
  await ask(getSelf);
  const { data } = await ask(listDisplayedModels);
  return {
    data: Object.entries(data).flatMap(([provider, { models }]) =>
      Object.entries(models).map(([model, price]) => ({
        model_name: model,
        litellm_params: { model },
        model_info: {
          id: `${provider}/${model}`,
          input_cost_per_token: price.input_price / tokensPerPrice,
          output_cost_per_token: price.output_price / tokensPerPrice,
          cache_read_input_token_cost: price.cached_input_price / tokensPerPrice,
          cache_creation_input_token_cost: price.cache_write_5m_price / tokensPerPrice,
          max_output_tokens: price.max_tokens || null,
        },
      })),
    ),
  };
}

const spendRow = (log: Log) => ({
  request_id: log.request_id,
  api_key: log.token_uuid ?? "",
  spend: formatDollars(log.quota),
  total_tokens: log.prompt_tokens + log.completion_tokens,
  prompt_tokens: log.prompt_tokens,
  completion_tokens: log.completion_tokens,
  startTime: new Date(log.updated_at).toISOString(),
  endTime: new Date(log.updated_at + log.elapsed_time).toISOString(),
  model: log.model_name,
  model_group: log.origin_model_name,
  user: log.username,
  status: log.outcome === "failed" ? "failure" : "success",
  metadata: {},
});

const dayPattern = /^\d{4}-\d\d-\d\d$/;
const secondsOfDay = 86_400;

function formatDay(query: ForeignRequest["query"], name: string): string {
  const day = query[name]?.slice(0, 10) ?? "";
  if (!dayPattern.test(day) || Number.isNaN(Date.parse(day)))
    throw new ForeignRefused(400, `${name} must be a day such as 2026-01-31`, name);
  return day;
}

async function spendLogs({ query }: ForeignRequest, ask: AskOwn): Promise<unknown> {
  for (const name of ["api_key", "user_id"])
    if (query[name] !== undefined)
      throw new ForeignRefused(400, `${name} has no counterpart here`, name);
  const isAdmin = (await ask(getSelf)).data.role >= roles.admin;
  if (query.request_id !== undefined) {
    const found = await ask(isAdmin ? searchLogs : searchOwnLogs, {
      query: { keyword: query.request_id },
    });
    return found.data.filter(({ request_id }) => request_id === query.request_id).map(spendRow);
  }
  const [from, to] = [formatDay(query, "start_date"), formatDay(query, "end_date")];
  return query.summarize?.toLowerCase() === "false"
    ? await spendRows({ from, to, isAdmin }, ask)
    : await spendByDay({ from, to, isAdmin }, ask);
}

interface SpendRange {
  from: string;
  to: string;
  isAdmin: boolean;
}

async function spendByDay({ from, to, isAdmin }: SpendRange, ask: AskOwn): Promise<unknown> {
  const query = { from_date: from, to_date: to, ...(isAdmin && { user_id: "all" as const }) };
  const { data } = await ask(getDashboard, { query: query });
  const days = Map.groupBy(data.logs, ({ Day }) => Day.slice(0, 10));
  return [...days].map(([day, rows]) => ({
    startTime: day,
    spend: formatDollars(rows.reduce((sum, { Quota }) => sum + Quota, 0)),
    models: Object.fromEntries(
      rows.map(({ ModelName, Quota }) => [ModelName, formatDollars(Quota)]),
    ),
    users: {},
  }));
}

/** Newest first. A longer list would be cut, so it is refused. */
async function spendRows({ from, to, isAdmin }: SpendRange, ask: AskOwn): Promise<unknown> {
  const rows: Log[] = [];
  for (let page = 0; ; page += 1) {
    const { data } = await ask(isAdmin ? listLogs : listOwnLogs, {
      query: {
        type: "2",
        p: String(page),
        size: String(pageSize),
        start_timestamp: String(Date.parse(from) / 1000),
        end_timestamp: String(Date.parse(to) / 1000 + secondsOfDay - 1),
      },
    });
    rows.push(...data);
    if (data.length < pageSize) return rows.map(spendRow);
    if (page + 1 >= pagesMax) {
      const message = `more than ${pageSize * pagesMax} calls: ask for fewer days, or use GET /api/log/export`;
      throw new ForeignRefused(400, message, "start_date");
    }
  }
}

/** `health` tells the state that calls and tests have left: no provider is asked. */
async function health(ask: AskOwn): Promise<unknown> {
  const endpoints: { isHealthy: boolean; endpoint: unknown }[] = [];
  for (let page = 0; page < pagesMax; page += 1) {
    const { data } = await ask(listChannels, {
      query: { p: String(page), size: String(pageSize) },
    });
    for (const { name, models, status } of data)
      endpoints.push({
        isHealthy: status === channelStatus.enabled,
        endpoint: { model: models, channel: name },
      });
    if (data.length < pageSize) break;
  }
  const [healthy, unhealthy] = [true, false].map((isHealthy) =>
    endpoints.filter((one) => one.isHealthy === isHealthy).map(({ endpoint }) => endpoint),
  );
  return {
    healthy_endpoints: healthy,
    unhealthy_endpoints: unhealthy,
    healthy_count: healthy?.length,
    unhealthy_count: unhealthy?.length,
  };
}

export const litellmReportCalls: readonly ForeignCall[] = [
  { method: "GET", path: "/model/info", answer: (_, ask) => modelInfo(ask) },
  { method: "GET", path: "/v1/model/info", answer: (_, ask) => modelInfo(ask) },
  { method: "GET", path: "/spend/logs", answer: spendLogs },
  { method: "GET", path: "/health", answer: (_, ask) => health(ask) },
];
