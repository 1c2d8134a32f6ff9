/**
 * The cost APIs of providers: what is asked, and what their answers say. Pure. Read from the published references on 2026-11-22:
 * OpenAI `/v1/organization/usage/…` and `/v1/organization/costs`, Anthropic `/v1/organizations/usage_report/messages` and
 * `/v1/organizations/cost_report`, OpenRouter `/api/v1/activity`. All of them count UTC days and US dollars.
 */
import * as z from "zod/mini";

const dayMs = 86_400_000;
const daySeconds = 86_400;

/** What a report says of one model on one day; what it does not count is missing. */
export interface ReportedLine {
  /** UTC days since 1970. */
  day: number;
  model: string;
  requests?: number;
  promptTokens?: number;
  completionTokens?: number;
  dollars?: number;
}

export interface CostReportPage {
  lines: ReportedLine[];
  /** The cursor of the next page. */
  next: string | undefined;
}

export interface CostReportSpan {
  /** UTC days since 1970, both included. */
  firstDay: number;
  lastDay: number;
}

export interface CostReportQuestion {
  path: string;
  query: readonly (readonly [name: string, value: string])[];
  /** Throws `UnreadableReport`. */
  read(reply: unknown): CostReportPage;
}

export interface CostReportApi {
  headers(key: string): Record<string, string>;
  /** Each is asked page by page; a page is asked for by the parameter `page`. */
  questions(span: CostReportSpan, scope: string): CostReportQuestion[];
  /** Whether the provider reports the running day. */
  hasToday: boolean;
}

export class UnreadableReport extends Error {}

const nameCharsMax = 200;
/** Stands for a cost that the provider names by no model. */
const unnamed = "(no model)";

/** Names come from outside and go into databases and pages. */
const cleanName = (name: string | null | undefined): string =>
  (name ?? "")
    .toWellFormed()
    .replace(/\p{Cc}/gu, " ")
    .trim()
    .slice(0, nameCharsMax) || unnamed;

const count = z.int().check(z.minimum(0));
const optionalCount = z.nullish(count);
const optionalName = z.nullish(z.string());
/** Providers send amounts as numbers or as decimal text; credits are negative. */
const amountMax = 1_000_000_000;
const amount = z.pipe(
  z.union([z.number(), z.string().check(z.regex(/^-?\d{1,12}(?:\.\d{1,40})?(?:[eE]-?\d{1,2})?$/))]),
  z.transform(Number),
);

function parse<Schema extends z.ZodMiniType>(schema: Schema, reply: unknown): z.output<Schema> {
  const { success, data } = z.safeParse(schema, reply);
  if (!success) throw new UnreadableReport("the provider's report has another form than its reference says");
  return data;
}

function dollarsOf(value: number, currency: string): number {
  if (currency.toLowerCase() !== "usd" || Math.abs(value) > amountMax)
    throw new UnreadableReport("the provider's report is not in US dollars");
  return value;
}

/** A page of buckets, one for each day. */
const pageOf = <Bucket extends z.ZodMiniType>(bucket: Bucket) =>
  z.object({
    data: z.array(bucket),
    has_more: z.nullish(z.boolean()),
    next_page: z.nullish(z.string().check(z.maxLength(1_000))),
  });
const nextOf = ({ has_more, next_page }: z.output<ReturnType<typeof pageOf>>): string | undefined =>
  has_more === true && next_page ? next_page : undefined;

const dayOfSeconds = z.pipe(
  count,
  z.transform((seconds) => Math.floor(seconds / daySeconds)),
);
const dayOfText = z.pipe(
  z.string().check(z.regex(/^\d{4}-\d\d-\d\d(?:[T ].{1,30})?$/)),
  z.transform((text) => Math.floor(Date.parse(`${text.slice(0, 10)}T00:00:00Z`) / dayMs)),
);

/** Buckets of one page: Anthropic allows 31, OpenAI 31 of usage and 180 of costs. */
const daysPerPage = "31";

const openAiUsage = pageOf(
  z.object({
    start_time: dayOfSeconds,
    results: z.array(
      z.object({
        model: optionalName,
        num_model_requests: optionalCount,
        /** With cached and cache-write tokens. */
        input_tokens: optionalCount,
        output_tokens: optionalCount,
      }),
    ),
  }),
);
const openAiCosts = pageOf(
  z.object({
    start_time: dayOfSeconds,
    results: z.array(z.object({ line_item: optionalName, amount: z.object({ value: amount, currency: z.string() }) })),
  }),
);

const readOpenAiUsage = (reply: unknown): CostReportPage => {
  const page = parse(openAiUsage, reply);
  const lines = page.data.flatMap(({ start_time: day, results }) =>
    results.map(({ model, num_model_requests, input_tokens, output_tokens }) => ({
      day,
      model: cleanName(model),
      requests: num_model_requests ?? 0,
      promptTokens: input_tokens ?? 0,
      completionTokens: output_tokens ?? 0,
    })),
  );
  return { lines, next: nextOf(page) };
};

/** A line item is a model and what was counted, "gpt-4o-2024-08-06, cached input", or a fee without a model. */
const readOpenAiCosts = (reply: unknown): CostReportPage => {
  const page = parse(openAiCosts, reply);
  const lines = page.data.flatMap(({ start_time: day, results }) =>
    results.map(({ line_item, amount: { value, currency } }) => ({
      day,
      model: cleanName(line_item?.split(", ")[0]),
      dollars: dollarsOf(value, currency),
    })),
  );
  return { lines, next: nextOf(page) };
};

const openAi: CostReportApi = {
  hasToday: true,
  headers: (key) => ({ authorization: `Bearer ${key}` }),
  questions({ firstDay, lastDay }, scope) {
    const limits = scope === "" ? [] : [[scope.startsWith("key_") ? "api_key_ids" : "project_ids", scope] as const];
    const ask = (subject: string, group: string, read: CostReportQuestion["read"]): CostReportQuestion => ({
      path: `/v1/organization/${subject}`,
      query: [
        ["start_time", String(firstDay * daySeconds)],
        ["end_time", String((lastDay + 1) * daySeconds)],
        ["bucket_width", "1d"],
        ["limit", daysPerPage],
        ["group_by", group],
        ...limits,
      ],
      read,
    });
    return [
      ask("usage/completions", "model", readOpenAiUsage),
      ask("usage/embeddings", "model", readOpenAiUsage),
      ask("costs", "line_item", readOpenAiCosts),
    ];
  },
};

const anthropicUsage = pageOf(
  z.object({
    starting_at: dayOfText,
    results: z.array(
      z.object({
        model: optionalName,
        uncached_input_tokens: optionalCount,
        cache_read_input_tokens: optionalCount,
        cache_creation: z.nullish(
          z.object({ ephemeral_5m_input_tokens: optionalCount, ephemeral_1h_input_tokens: optionalCount }),
        ),
        output_tokens: optionalCount,
      }),
    ),
  }),
);
const anthropicCosts = pageOf(
  z.object({
    starting_at: dayOfText,
    results: z.array(
      z.object({
        amount,
        currency: z.string(),
        model: optionalName,
        description: optionalName,
        workspace_id: optionalName,
      }),
    ),
  }),
);

const readAnthropicUsage = (reply: unknown): CostReportPage => {
  const page = parse(anthropicUsage, reply);
  const lines = page.data.flatMap(({ starting_at: day, results }) =>
    results.map(({ model, uncached_input_tokens, cache_read_input_tokens, cache_creation, output_tokens }) => ({
      day,
      model: cleanName(model),
      promptTokens:
        (uncached_input_tokens ?? 0) +
        (cache_read_input_tokens ?? 0) +
        (cache_creation?.ephemeral_5m_input_tokens ?? 0) +
        (cache_creation?.ephemeral_1h_input_tokens ?? 0),
      completionTokens: output_tokens ?? 0,
    })),
  );
  return { lines, next: nextOf(page) };
};

/** Amounts are cents. The API cannot be asked for one workspace, so the others are left out here. */
const readAnthropicCosts =
  (workspace: string) =>
  (reply: unknown): CostReportPage => {
    const page = parse(anthropicCosts, reply);
    const lines = page.data.flatMap(({ starting_at: day, results }) =>
      results
        .filter(({ workspace_id }) => workspace === "" || workspace_id === workspace)
        .map((result) => ({
          day,
          model: cleanName(result.model || result.description),
          dollars: dollarsOf(result.amount / 100, result.currency),
        })),
    );
    return { lines, next: nextOf(page) };
  };

const anthropic: CostReportApi = {
  hasToday: true,
  headers: (key) => ({ "x-api-key": key, "anthropic-version": "2023-06-01" }),
  questions({ firstDay, lastDay }, scope) {
    const isOfKey = scope.startsWith("apikey_");
    const span = [
      ["starting_at", startOf(firstDay)],
      ["ending_at", startOf(lastDay + 1)],
      ["bucket_width", "1d"],
      ["limit", daysPerPage],
    ] as const;
    const limits = scope === "" ? [] : [[isOfKey ? "api_key_ids[]" : "workspace_ids[]", scope] as const];
    const usage: CostReportQuestion = {
      path: "/v1/organizations/usage_report/messages",
      query: [...span, ["group_by[]", "model"], ...limits],
      read: readAnthropicUsage,
    };
    const costs: CostReportQuestion = {
      path: "/v1/organizations/cost_report",
      query: [
        ...span,
        ["group_by[]", "description"],
        ...(scope === "" ? [] : [["group_by[]", "workspace_id"] as const]),
      ],
      read: readAnthropicCosts(scope),
    };
    // Costs are not known by API key: such a report compares tokens.
    return isOfKey ? [usage] : [usage, costs];
  },
};

const startOf = (day: number): string => new Date(day * dayMs).toISOString();

const openRouterActivity = z.object({
  data: z.array(
    z.object({
      date: dayOfText,
      model: optionalName,
      /** Dollars of credit. */
      usage: amount,
      requests: optionalCount,
      prompt_tokens: optionalCount,
      completion_tokens: optionalCount,
    }),
  ),
});

const openRouter: CostReportApi = {
  hasToday: false,
  headers: (key) => ({ authorization: `Bearer ${key}` }),
  // One answer has the last 30 finished days.
  questions: ({ firstDay, lastDay }, scope) => [
    {
      path: "/v1/activity",
      query: scope === "" ? [] : [["api_key_hash", scope]],
      read: (reply) => {
        const lines = parse(openRouterActivity, reply).data.map(
          ({ date, model, usage, requests, prompt_tokens, completion_tokens }) => ({
            day: date,
            model: cleanName(model),
            requests: requests ?? 0,
            promptTokens: prompt_tokens ?? 0,
            completionTokens: completion_tokens ?? 0,
            dollars: dollarsOf(usage, "usd"),
          }),
        );
        return { lines: lines.filter(({ day }) => day >= firstDay && day <= lastDay), next: undefined };
      },
    },
  ],
};

/** By channel type: the types of `hasCostReport`. */
const apis: Readonly<Record<number, CostReportApi>> = { 1: openAi, 14: anthropic, 20: openRouter };

export const costReportApi = (type: number): CostReportApi | undefined => apis[type];
