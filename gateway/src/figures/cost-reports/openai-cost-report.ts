/** OpenAI's usage and cost API of an organisation. */
import * as z from "zod/mini";
import {
  amount,
  buildPageShape,
  type CostReportApi,
  type CostReportPage,
  type CostReportQuestion,
  cleanName,
  dayOfSeconds,
  daySeconds,
  daysPerPage,
  findNext,
  formatDollars,
  optionalCount,
  optionalName,
  parse,
} from "./cost-report-question.ts";

const openAiUsage = buildPageShape(
  z.object({
    start_time: dayOfSeconds,
    results: z.array(
      z.object({
        model: optionalName,
        num_model_requests: optionalCount,
        /** `input_tokens` come with cached and cache-write tokens. */
        input_tokens: optionalCount,
        output_tokens: optionalCount,
      }),
    ),
  }),
);

const openAiCosts = buildPageShape(
  z.object({
    start_time: dayOfSeconds,
    results: z.array(
      z.object({
        line_item: optionalName,
        amount: z.object({ value: amount, currency: z.string() }),
      }),
    ),
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
  return { lines, next: findNext(page) };
};

/**
 * A line item is a model and what was counted, "gpt-4o-2024-08-06, cached input", or a fee without
 * a model.
 */
const readOpenAiCosts = (reply: unknown): CostReportPage => {
  const page = parse(openAiCosts, reply);
  const lines = page.data.flatMap(({ start_time: day, results }) =>
    results.map(({ line_item, amount: { value, currency } }) => ({
      day,
      model: cleanName(line_item?.split(", ")[0]),
      dollars: formatDollars(value, currency),
    })),
  );
  return { lines, next: findNext(page) };
};

export const openAi: CostReportApi = {
  hasToday: true,
  headers: (key) => ({ authorization: `Bearer ${key}` }),
  questions({ firstDay, lastDay }, scope) {
    const limits =
      scope === ""
        ? []
        : [[scope.startsWith("key_") ? "api_key_ids" : "project_ids", scope] as const];
    const ask = (
      subject: string,
      group: string,
      read: CostReportQuestion["read"],
    ): CostReportQuestion => ({
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
