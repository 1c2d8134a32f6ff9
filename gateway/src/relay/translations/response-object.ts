/** The object that an answer of Responses is: what the caller asked for, repeated, and what the model made of it. */

import { cachedTokens, completionTokens, promptTokens } from "../../money/price.ts";
import type { Json } from "../json-parts.ts";
import { record, records } from "../json-parts.ts";
import type { ReadUsage } from "../usage.ts";
import { thoughtTokens } from "./wire-parts.ts";

export type Status = "in_progress" | "completed" | "incomplete";

interface Answered {
  id: string;
  created_at: number;
  status: Status;
  incomplete_details: { reason: string } | null;
  model: string;
  output: readonly Json[];
  usage: Json | null;
  previous_response_id: string | null;
  /** Where it is not, the next call has to bring the conversation with it. */
  store: boolean;
}

export const responseOf = (asked: Json, answered: Answered): Json => ({
  ...answered,
  object: "response",
  background: false,
  error: null,
  instructions: asked.instructions ?? null,
  max_output_tokens: asked.max_output_tokens ?? null,
  metadata: record(asked.metadata),
  parallel_tool_calls: asked.parallel_tool_calls ?? true,
  reasoning: { effort: null, summary: null, ...record(asked.reasoning) },
  temperature: asked.temperature ?? null,
  text: { format: { type: "text" }, ...record(asked.text) },
  tool_choice: asked.tool_choice ?? "auto",
  tools: records(asked.tools),
  top_p: asked.top_p ?? null,
  truncation: "disabled",
  user: asked.user ?? null,
});

export function responseUsage(read: ReadUsage | undefined): Json | null {
  if (!read) return null;
  const { usage, hidden } = read;
  const input_tokens = promptTokens(usage);
  const output_tokens = completionTokens(usage);
  return {
    input_tokens,
    input_tokens_details: { cached_tokens: cachedTokens(usage) },
    output_tokens,
    output_tokens_details: { reasoning_tokens: thoughtTokens(usage, hidden) },
    total_tokens: input_tokens + output_tokens,
  };
}
