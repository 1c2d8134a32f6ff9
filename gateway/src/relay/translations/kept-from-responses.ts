/** What of a body of Responses chat completions keep, and what it is called there. */
import { record } from "../json-parts.ts";
import { byType, type Kept, type KeptMembers, only, whole } from "./kept.ts";
import { thoughtsIn } from "./sealed-thoughts.ts";
import { isThinker } from "./wire-parts.ts";

const parts: Kept = byType({
  input_text: whole("text"),
  output_text: whole("text"),
  text: whole("text"),
  refusal: whole("refusal"),
  input_image: whole("image_url", "detail"),
  input_file: whole("filename", "file_data", "file_url"),
  input_audio: whole("input_audio"),
});

const message: KeptMembers = { ...whole("type", "role", "id", "status"), content: parts };
const items = byType({
  message,
  function_call: whole("id", "call_id", "name", "arguments", "status"),
  function_call_output: { ...whole("id", "call_id", "status"), output: parts },
});

function item(value: unknown): boolean | KeptMembers | string {
  const { type, role, encrypted_content } = record(value);
  if (type === "reasoning") return thoughtsIn(encrypted_content).length > 0 || type;
  // A message needs no type.
  if (type === undefined && typeof role === "string") return message;
  return typeof items === "function" ? items(value) : items;
}

export const keptByChat = (model: string): KeptMembers => ({
  ...whole("model", "instructions", "max_output_tokens", "stream", "temperature", "top_p", "parallel_tool_calls"),
  ...whole("user", "metadata"),
  input: item,
  stream_options: { include_obfuscation: only(false) },
  tools: byType({ function: whole("name", "description", "parameters", "strict") }),
  tool_choice: byType({ function: whole("name"), allowed_tools: whole("mode") }),
  // Thoughts that are told are told as a summary.
  reasoning: whole("effort", "summary"),
  text: {
    verbosity: isThinker(model),
    format: byType({ text: true, json_object: true, json_schema: whole("name", "description", "schema", "strict") }),
  },
  background: only(false),
  store: only(false),
  truncation: only("disabled"),
  include: only("reasoning.encrypted_content"),
});

/** Where a member of the chat comes from. */
export const writtenInResponses: Readonly<Record<string, string | null>> = {
  messages: "input",
  max_tokens: "max_output_tokens",
  max_completion_tokens: "max_output_tokens",
  stream_options: null,
  "messages.content.image_url": "input.content",
  "messages.content.file": "input.content",
  "messages.thinking_blocks": "input.reasoning",
  "messages.tool_calls": "input",
  "tools.function": "tools",
  reasoning_effort: "reasoning.effort",
  verbosity: "text.verbosity",
  response_format: "text.format",
  "response_format.json_schema": "text.format",
};
