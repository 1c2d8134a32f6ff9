import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { findCostReportApi } from "./cost-report-apis.ts";
import { UnreadableReport } from "./cost-report-question.ts";
import { sumLines } from "./fetch-cost-report.ts";

const day = Date.UTC(2026, 10, 20) / 86_400_000;
const span = { firstDay: day, lastDay: day };

/** `readBy` gives what the questions of a type make of one reply each. */
function readBy(type: number, replies: readonly unknown[], scope = "") {
  const questions = findCostReportApi(type)?.questions(span, scope) ?? [];
  expect(questions).toHaveLength(replies.length);
  return questions.map((question, index) => question.read(replies[index]));
}

test("OpenAI: tokens come from the usage of completions and embeddings, costs from line items by their model", () => {
  const bucket = (...results: object[]) => ({
    object: "page",
    data: [{ object: "bucket", start_time: day * 86_400, end_time: (day + 1) * 86_400, results }],
    has_more: false,
    next_page: null,
  });
  const cost = (line_item: string | null, value: number | string) => ({
    amount: { value, currency: "usd" },
    line_item,
  });
  const pages = readBy(1, [
    bucket({
      input_tokens: 1_000,
      input_cached_tokens: 800,
      output_tokens: 500,
      num_model_requests: 5,
      model: "m-1",
    }),
    bucket({ input_tokens: 30, num_model_requests: 2, model: "text-embedding-3-small" }),
    bucket(
      cost("m-1, input", 0.06),
      cost("m-1, output", "0.0000012"),
      cost("web search tool calls", 0.01),
      cost(null, 1),
    ),
  ]);
  expect(sumLines(pages.flatMap(({ lines }) => lines))).toEqual([
    {
      day,
      model: "m-1",
      requests: 5,
      prompt_tokens: 1_000,
      completion_tokens: 500,
      cost_micros: 60_001,
    },
    {
      day,
      model: "text-embedding-3-small",
      requests: 2,
      prompt_tokens: 30,
      completion_tokens: 0,
      cost_micros: null,
    },
    {
      day,
      model: "web search tool calls",
      requests: null,
      prompt_tokens: null,
      completion_tokens: null,
      cost_micros: 10_000,
    },
    {
      day,
      model: "(no model)",
      requests: null,
      prompt_tokens: null,
      completion_tokens: null,
      cost_micros: 1_000_000,
    },
  ]);
});

test("Anthropic: every kind of prompt token is counted, and amounts are cents of one workspace", () => {
  const bucket = (...results: object[]) => ({
    data: [{ starting_at: "2026-11-20T00:00:00Z", ending_at: "2026-11-21T00:00:00Z", results }],
    has_more: true,
    next_page: "page_2",
  });
  const cost = (amount: string, more: object) => ({
    currency: "USD",
    amount,
    description: "Web Search Usage",
    ...more,
  });
  const [usage, costs] = readBy(
    14,
    [
      bucket({
        uncached_input_tokens: 1,
        cache_creation: { ephemeral_5m_input_tokens: 20, ephemeral_1h_input_tokens: 300 },
        cache_read_input_tokens: 4_000,
        output_tokens: 5,
        server_tool_use: { web_search_requests: 1 },
        model: "claude-sonnet-4-20250514",
      }),
      bucket(
        cost("123.45", { model: "claude-sonnet-4-20250514", workspace_id: "wrkspc_1" }),
        cost("7", { model: null, workspace_id: "wrkspc_1" }),
        cost("99", { model: "claude-sonnet-4-20250514", workspace_id: null }),
      ),
    ],
    "wrkspc_1",
  );
  expect(usage).toEqual({
    lines: [{ day, model: "claude-sonnet-4-20250514", promptTokens: 4_321, completionTokens: 5 }],
    next: "page_2",
  });
  expect(costs?.lines).toEqual([
    { day, model: "claude-sonnet-4-20250514", dollars: 1.2345 },
    { day, model: "Web Search Usage", dollars: 0.07 },
  ]);
});

test("OpenRouter: activity has everything, and days outside of the span are left out", () => {
  const item = (date: string) => ({
    date,
    model: "openai/gpt-4.1",
    model_permaslug: "openai/gpt-4.1-2025-04-14",
    usage: 0.015,
    requests: 5,
    prompt_tokens: 50,
    completion_tokens: 125,
    reasoning_tokens: 25,
  });
  const [page] = readBy(20, [{ data: [item("2026-11-20 00:00:00"), item("2026-11-19")] }]);
  expect(page?.lines).toEqual([
    {
      day,
      model: "openai/gpt-4.1",
      requests: 5,
      promptTokens: 50,
      completionTokens: 125,
      dollars: 0.015,
    },
  ]);
});

test("a report is limited to a project, workspace or key in the words of its provider", () => {
  const queries = (type: number, scope: string) =>
    findCostReportApi(type)
      ?.questions(span, scope)
      .map(({ query }) => query.filter(([, value]) => value === scope).map(([name]) => name));
  expect(queries(1, "proj_a")).toEqual([["project_ids"], ["project_ids"], ["project_ids"]]);
  expect(queries(1, "key_a")).toEqual([["api_key_ids"], ["api_key_ids"], ["api_key_ids"]]);
  // The cost report has no filter: its lines are chosen here. By key there are no costs at all.
  expect(queries(14, "wrkspc_a")).toEqual([["workspace_ids[]"], []]);
  expect(queries(14, "apikey_a")).toEqual([["api_key_ids[]"]]);
  expect(queries(20, "ab")).toEqual([["api_key_hash"]]);
});

describe("hostile reports", () => {
  test("another currency, an amount out of range and a negative count are refused", () => {
    const costs = findCostReportApi(1)?.questions(span, "")[2];
    const reply = (amount: object) => ({
      data: [{ start_time: 1, results: [{ line_item: "m", amount }] }],
    });
    for (const amount of [
      { value: 1, currency: "eur" },
      { value: 1e15, currency: "usd" },
      { value: "Infinity", currency: "usd" },
      { value: Number.NaN, currency: "usd" },
      { currency: "usd" },
    ])
      expect(() => costs?.read(reply(amount))).toThrow(UnreadableReport);
    const usage = findCostReportApi(1)?.questions(span, "")[0];
    const counted = (input_tokens: unknown) => ({
      data: [{ start_time: 1, results: [{ model: "m", input_tokens }] }],
    });
    for (const count of [-1, 1.5, "7", 2 ** 60])
      expect(() => usage?.read(counted(count))).toThrow(UnreadableReport);
    expect(() => sumLines([{ day, model: "m", promptTokens: Number.MAX_SAFE_INTEGER }])).toThrow(
      UnreadableReport,
    );
  });

  test("names keep no control characters and no length", () => {
    const { lines } = findCostReportApi(20)
      ?.questions(span, "")[0]
      ?.read({
        data: [{ date: "2026-11-20", model: `a\u0000\nb${"x".repeat(1_000)}\ud800`, usage: 0 }],
      }) ?? { lines: [] };
    expect(lines[0]?.model).toMatch(/^a {2}bx{196}$/);
  });

  test("any JSON gives lines or one typed error", () => {
    const types = [1, 14, 20];
    fc.assert(
      fc.property(fc.constantFrom(...types), fc.jsonValue(), (type, reply) => {
        for (const { read } of findCostReportApi(type)?.questions(span, "") ?? []) {
          try {
            expect(Array.isArray(read(reply).lines)).toBe(true);
          } catch (error) {
            expect(error).toBeInstanceOf(UnreadableReport);
          }
        }
      }),
    );
  });
});
