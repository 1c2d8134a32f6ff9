/** Anthropic's usage and cost API of an organisation. */
import * as z from "zod/mini";
import {
  amount,
  buildPageShape,
  type CostReportApi,
  type CostReportPage,
  type CostReportQuestion,
  cleanName,
  dayMs,
  dayOfText,
  daysPerPage,
  findNext,
  formatDollars,
  optionalCount,
  optionalName,
  parse,
} from "./cost-report-question.ts";

const formatStart = (day: number): string => new Date(day * dayMs).toISOString();

const anthropicUsage = buildPageShape(
  z.object({
    starting_at: dayOfText,
    results: z.array(
      z.object({
        model: optionalName,
        uncached_input_tokens: optionalCount,
        cache_read_input_tokens: optionalCount,
        cache_creation: z.nullish(
          z.object({
            ephemeral_5m_input_tokens: optionalCount,
            ephemeral_1h_input_tokens: optionalCount,
          }),
        ),
        output_tokens: optionalCount,
      }),
    ),
  }),
);

const anthropicCosts = buildPageShape(
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
    results.map(
      ({
        model,
        uncached_input_tokens,
        cache_read_input_tokens,
        cache_creation,
        output_tokens,
      }) => ({
        day,
        model: cleanName(model),
        promptTokens:
          (uncached_input_tokens ?? 0) +
          (cache_read_input_tokens ?? 0) +
          (cache_creation?.ephemeral_5m_input_tokens ?? 0) +
          (cache_creation?.ephemeral_1h_input_tokens ?? 0),
        completionTokens: output_tokens ?? 0,
      }),
    ),
  );
  return { lines, next: findNext(page) };
};

/**
 * Amounts are cents. The API cannot be asked for one workspace, so the others are left out here.
 */
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
          dollars: formatDollars(result.amount / 100, result.currency),
        })),
    );
    return { lines, next: findNext(page) };
  };

export const anthropic: CostReportApi = {
  hasToday: true,
  headers: (key) => ({ "x-api-key": key, "anthropic-version": "2023-06-01" }),
  questions({ firstDay, lastDay }, scope) {
    const isOfKey = scope.startsWith("apikey_");
    const span = [
      ["starting_at", formatStart(firstDay)],
      ["ending_at", formatStart(lastDay + 1)],
      ["bucket_width", "1d"],
      ["limit", daysPerPage],
    ] as const;
    const limits =
      scope === "" ? [] : [[isOfKey ? "api_key_ids[]" : "workspace_ids[]", scope] as const];
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
