/** The object that an answer of Responses is: what the caller asked for, repeated, and what the model made of it. */

import type { Json } from "../json-parts.ts";
import { record, records } from "../json-parts.ts";
import { promptTokens, type ReadUsage } from "../usage.ts";

export type Status = "in_progress" | "completed" | "incomplete";

interface Answered {
  id: string;
  created_at: number;
  status: Status;
  incomplete_details: { reason: string } | null;
  model: string;
  output: readonly Json[];
  usage: Json | null;
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
  previous_response_id: null,
  reasoning: { effort: null, summary: null, ...record(asked.reasoning) },
  // Nothing is kept: the next call has to bring the conversation with it.
  store: false,
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
  return {
    input_tokens,
    input_tokens_details: { cached_tokens: usage.cache_read },
    output_tokens: usage.output,
    output_tokens_details: { reasoning_tokens: hidden },
    total_tokens: input_tokens + usage.output,
  };
}
