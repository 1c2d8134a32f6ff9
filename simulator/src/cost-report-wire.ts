// The cost APIs of OpenAI, Anthropic and OpenRouter, with the figures that a key's script states.
// Field names follow their API references.
import type { ScriptedCost } from "./scripted-behaviour.ts";

const daySeconds = 86_400;
const daysPerPage = 7;

type CostReply = (url: URL, costs: readonly ScriptedCost[]) => unknown;

const replies: Readonly<Record<string, CostReply>> = {
  "/v1/organization/usage/completions": (url, costs) =>
    pageOfSeconds(url, ofOpenAi(url, costs), (cost) => ({
      object: "organization.usage.completions.result",
      input_tokens: cost.input ?? 0,
      output_tokens: cost.output ?? 0,
      input_cached_tokens: cost.cached ?? 0,
      num_model_requests: cost.requests ?? 0,
      project_id: null,
      api_key_id: null,
      model: cost.model,
      batch: null,
    })),
  "/v1/organization/usage/embeddings": (url) => pageOfSeconds(url, [], () => ({})),
  "/v1/organization/costs": (url, costs) =>
    pageOfSeconds(url, ofOpenAi(url, costs), (cost) => ({
      object: "organization.costs.result",
      amount: { value: cost.dollars ?? 0, currency: cost.currency ?? "usd" },
      line_item: `${cost.model}, input`,
      project_id: null,
    })),
  "/v1/organizations/usage_report/messages": (url, costs) =>
    pageOfText(url, ofAnthropic(url, costs), (cost) => ({
      uncached_input_tokens: (cost.input ?? 0) - (cost.cached ?? 0),
      cache_creation: { ephemeral_5m_input_tokens: 0, ephemeral_1h_input_tokens: 0 },
      cache_read_input_tokens: cost.cached ?? 0,
      output_tokens: cost.output ?? 0,
      server_tool_use: { web_search_requests: 0 },
      api_key_id: null,
      workspace_id: null,
      model: cost.model,
      service_tier: null,
      context_window: null,
    })),
  "/v1/organizations/cost_report": (url, costs) =>
    // It has no filter by workspace.
    pageOfText(url, costs, (cost) => ({
      currency: cost.currency?.toUpperCase() ?? "USD",
      // Cents as decimal text.
      amount: ((cost.dollars ?? 0) * 100).toFixed(6),
      workspace_id: cost.project ?? null,
      description: `${cost.model} Usage - Input Tokens`,
      cost_type: "tokens",
      model: cost.model,
      service_tier: "standard",
      token_type: "uncached_input_tokens",
      context_window: "0-200k",
    })),
  "/v1/activity": (url, costs) => ({
    data: costs
      .filter(({ apiKey }) => isAsked(url, "api_key_hash", apiKey))
      .map((cost) => ({
        date: cost.day,
        model: cost.model,
        model_permaslug: cost.model,
        endpoint_id: "550e8400-e29b-41d4-a716-446655440000",
        provider_name: "Simulator",
        usage: cost.dollars ?? 0,
        byok_usage_inference: 0,
        requests: cost.requests ?? 0,
        prompt_tokens: cost.input ?? 0,
        completion_tokens: cost.output ?? 0,
        reasoning_tokens: 0,
      })),
  }),
};

export const isCostReport = (method: string, path: string): boolean =>
  method === "GET" && Object.hasOwn(replies, path);

/** `target` is the path, one of those of `isCostReport`, and the query. */
export function costReportReply(target: string, costs: readonly ScriptedCost[]): unknown {
  const url = new URL(target, "http://simulator");
  return replies[url.pathname]?.(url, costs);
}

const isAsked = (url: URL, parameter: string, id: string | undefined): boolean => {
  const asked = url.searchParams.getAll(parameter);
  return asked.length === 0 || (id !== undefined && asked.includes(id));
};

const ofOpenAi = (url: URL, costs: readonly ScriptedCost[]): ScriptedCost[] =>
  costs.filter(
    ({ project, apiKey }) =>
      isAsked(url, "project_ids", project) && isAsked(url, "api_key_ids", apiKey),
  );

const ofAnthropic = (url: URL, costs: readonly ScriptedCost[]): ScriptedCost[] =>
  costs.filter(
    ({ project, apiKey }) =>
      isAsked(url, "workspace_ids[]", project) && isAsked(url, "api_key_ids[]", apiKey),
  );

function pageOfSeconds(
  url: URL,
  costs: readonly ScriptedCost[],
  result: (cost: ScriptedCost) => unknown,
): unknown {
  const [from, to] = ["start_time", "end_time"].map((name) => Number(url.searchParams.get(name)));
  const bucket = (day: number) => ({
    object: "bucket",
    start_time: day * daySeconds,
    end_time: (day + 1) * daySeconds,
    results: costs.filter((cost) => dayOf(cost.day) === day).map(result),
  });
  return {
    object: "page",
    ...pageOfDays(url, Number(from) / daySeconds, Number(to) / daySeconds, bucket),
  };
}

function pageOfText(
  url: URL,
  costs: readonly ScriptedCost[],
  result: (cost: ScriptedCost) => unknown,
): unknown {
  const [from, to] = ["starting_at", "ending_at"].map((name) =>
    dayOf(url.searchParams.get(name) ?? ""),
  );
  const bucket = (day: number) => ({
    starting_at: textOf(day),
    ending_at: textOf(day + 1),
    results: costs.filter((cost) => dayOf(cost.day) === day).map(result),
  });
  return pageOfDays(url, Number(from), Number(to), bucket);
}

/** A page has a week, so that a month takes several. */
function pageOfDays(url: URL, from: number, to: number, bucket: (day: number) => unknown): object {
  const first = from + Number(url.searchParams.get("page")?.replace("page_", "") ?? 0);
  const end = Math.min(first + daysPerPage, to);
  const data = Array.from({ length: Math.max(0, end - first) }, (_, index) =>
    bucket(first + index),
  );
  return { data, has_more: end < to, next_page: end < to ? `page_${end - from}` : null };
}

const dayOf = (text: string): number => Math.floor(Date.parse(text) / (daySeconds * 1_000));
const textOf = (day: number): string => new Date(day * daySeconds * 1_000).toISOString();
