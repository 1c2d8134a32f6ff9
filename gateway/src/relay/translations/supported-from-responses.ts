/** What of a body of Responses chat completions keep, and what it is called there. */
import { record } from "../wire/json-parts.ts";
import { isReasoningModel } from "./chat-parts.ts";
import { decodeReasoning } from "./encrypted-reasoning.ts";
import { byType, type FieldSupport, onlyValues, type SupportedFields, wholeFields } from "./supported-fields.ts";

const parts: FieldSupport = byType({
  input_text: wholeFields("text"),
  output_text: wholeFields("text"),
  text: wholeFields("text"),
  refusal: wholeFields("refusal"),
  input_image: wholeFields("image_url", "detail"),
  input_file: wholeFields("filename", "file_data", "file_url"),
  input_audio: wholeFields("input_audio"),
});

const message: SupportedFields = { ...wholeFields("type", "role", "id", "status"), content: parts };
const items = byType({
  message,
  function_call: wholeFields("id", "call_id", "name", "arguments", "status"),
  function_call_output: { ...wholeFields("id", "call_id", "status"), output: parts },
});

function item(value: unknown): boolean | SupportedFields | string {
  const { type, role, encrypted_content } = record(value);
  if (type === "reasoning") return decodeReasoning(encrypted_content).length > 0 || type;
  // A message needs no type.
  if (type === undefined && typeof role === "string") return message;
  return typeof items === "function" ? items(value) : items;
}

export const responsesFieldsSupportedByChat = (model: string): SupportedFields => ({
  ...wholeFields("model", "instructions", "max_output_tokens", "stream", "temperature", "top_p", "parallel_tool_calls"),
  ...wholeFields("user", "metadata"),
  input: item,
  stream_options: { include_obfuscation: onlyValues(false) },
  tools: byType({ function: wholeFields("name", "description", "parameters", "strict") }),
  tool_choice: byType({ function: wholeFields("name"), allowed_tools: wholeFields("mode") }),
  // Thoughts that are told are told as a summary.
  reasoning: wholeFields("effort", "summary"),
  text: {
    verbosity: isReasoningModel(model),
    format: byType({
      text: true,
      json_object: true,
      json_schema: wholeFields("name", "description", "schema", "strict"),
    }),
  },
  background: onlyValues(false),
  store: onlyValues(false),
  truncation: onlyValues("disabled"),
  include: onlyValues("reasoning.encrypted_content"),
});

/** Where a member of the chat comes from. */
export const responsesSourceFields: Readonly<Record<string, string | null>> = {
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
