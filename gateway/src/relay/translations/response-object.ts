/** The response object of Responses: the fields of the request, repeated, and the output. */

import {
  computeCachedTokens,
  computeCompletionTokens,
  computeWrittenTokens,
  promptTokens,
} from "../../money/prices/price.ts";
import type { ReportedUsage } from "../formats/usage/reported-usage.ts";
import { type JsonRecord, record, records } from "../wire/json-parts.ts";
import { computeReasoningTokens } from "./chat-parts.ts";

export type ResponseStatus = "in_progress" | "completed" | "incomplete";

interface ResponseFields {
  id: string;
  created_at: number;
  status: ResponseStatus;
  incomplete_details: { reason: string } | null;
  model: string;
  output: readonly JsonRecord[];
  usage: JsonRecord | null;
  previous_response_id: string | null;
  /** `store` is when false, the next call must send the conversation again. */
  store: boolean;
}

export const buildResponseObject = (request: JsonRecord, fields: ResponseFields): JsonRecord => ({
  ...fields,
  object: "response",
  background: false,
  error: null,
  instructions: request.instructions ?? null,
  max_output_tokens: request.max_output_tokens ?? null,
  metadata: record(request.metadata),
  parallel_tool_calls: request.parallel_tool_calls ?? true,
  reasoning: { effort: null, summary: null, ...record(request.reasoning) },
  temperature: request.temperature ?? null,
  text: { format: { type: "text" }, ...record(request.text) },
  tool_choice: request.tool_choice ?? "auto",
  tools: records(request.tools),
  top_p: request.top_p ?? null,
  truncation: "disabled",
  user: request.user ?? null,
});

export function buildResponseUsage(read: ReportedUsage | undefined): JsonRecord | null {
  if (!read) return null;
  const { usage, hiddenOutput } = read;
  const input_tokens = promptTokens(usage);
  const output_tokens = computeCompletionTokens(usage);
  return {
    input_tokens,
    input_tokens_details: {
      cached_tokens: computeCachedTokens(usage),
      ...(computeWrittenTokens(usage) > 0 && { cache_write_tokens: computeWrittenTokens(usage) }),
    },
    output_tokens,
    output_tokens_details: { reasoning_tokens: computeReasoningTokens(usage, hiddenOutput) },
    total_tokens: input_tokens + output_tokens,
  };
}
