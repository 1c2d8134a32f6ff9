/** What of a body of chat completions the interfaces keep that it is turned into. */
import { type JsonRecord, record, text } from "../wire/json-parts.ts";
import { isResponsesReasoning } from "./encrypted-reasoning.ts";
import { byType, type FieldSupport, onlyValues, type SupportedFields, wholeFields } from "./supported-fields.ts";

/** What every translation does something with. */
const commonFields: SupportedFields = {
  ...wholeFields("model", "max_tokens", "max_completion_tokens", "stream"),
  stream_options: { include_usage: true },
  // Nothing is stored, and nothing told of likelihoods, where nobody asked for it.
  store: onlyValues(false),
  logprobs: onlyValues(false),
};
/** A tool is chosen by a word, or one function by its name. */
const toolChoice: FieldSupport = byType({ function: true });
const imageFields: SupportedFields = { image_url: { url: true, detail: onlyValues("auto") } };

const withCacheControl = (members: SupportedFields): SupportedFields => ({ ...members, cache_control: true });

/** `efforts` are those that there is a budget for in this conversation. */
export function supportedByMessages(json: JsonRecord, efforts: readonly string[]): SupportedFields {
  const isReasoning = json.thinking !== undefined || efforts.includes(text(json.reasoning_effort));
  return {
    ...commonFields,
    ...wholeFields("top_k", "stop", "parallel_tool_calls", "thinking", "user"),
    messages: {
      ...wholeFields("role", "tool_call_id"),
      thinking_blocks: (block) => !isResponsesReasoning(record(block)),
      content: byType({
        text: withCacheControl(wholeFields("text")),
        refusal: wholeFields("refusal"),
        image_url: withCacheControl(imageFields),
        file: withCacheControl({ file: wholeFields("filename", "file_data") }),
      }),
      tool_calls: byType({ function: { ...wholeFields("id"), function: wholeFields("name", "arguments") } }),
    },
    n: onlyValues(1),
    temperature: !isReasoning,
    top_p: !isReasoning,
    reasoning_effort: onlyValues(...efforts, "none"),
    response_format: byType({ text: true, json_schema: { json_schema: wholeFields("schema") } }),
    tools: byType({ function: { function: wholeFields("name", "description", "parameters", "cache_control") } }),
    tool_choice: toolChoice,
  };
}

const geminiMessage: SupportedFields = {
  ...wholeFields("role", "tool_call_id"),
  content: byType({
    text: wholeFields("text"),
    refusal: wholeFields("refusal"),
    image_url: imageFields,
    // A file has no name there; these are what translations call one that has none.
    file: { file: { file_data: true, filename: onlyValues("document", "document.pdf") } },
    input_audio: wholeFields("input_audio"),
  }),
  // A result finds its call by the id, which goes no further.
  tool_calls: byType({
    function: { ...wholeFields("id", "extra_content"), function: wholeFields("name", "arguments") },
  }),
};
/** One whose call is not in the conversation has its function's name from here. */
const geminiResult: SupportedFields = { ...geminiMessage, name: true };

/** `efforts` are those that there is a budget for. */
export const supportedByGemini = (efforts: readonly string[]): SupportedFields => ({
  ...commonFields,
  ...wholeFields("temperature", "top_p", "top_k", "seed", "presence_penalty", "frequency_penalty", "stop", "n"),
  messages: (message) => (record(message).role === "tool" ? geminiResult : geminiMessage),
  parallel_tool_calls: onlyValues(true),
  reasoning_effort: onlyValues(...efforts),
  response_format: byType({ text: true, json_object: true, json_schema: { json_schema: wholeFields("schema") } }),
  tools: byType({ function: { function: wholeFields("name", "description", "parameters") } }),
  tool_choice: toolChoice,
});

/** `takesEffort` and `takesThoughts` depend on the model there. */
export const supportedByConverse = (takesEffort: boolean, takesThoughts: boolean): SupportedFields => ({
  ...commonFields,
  ...wholeFields("temperature", "top_p", "stop"),
  n: onlyValues(1),
  messages: {
    ...wholeFields("role", "tool_call_id"),
    thinking_blocks: takesThoughts,
    content: byType({
      text: withCacheControl(wholeFields("text")),
      refusal: wholeFields("refusal"),
      image_url: withCacheControl(imageFields),
      file: withCacheControl({ file: wholeFields("filename", "file_data") }),
    }),
    tool_calls: byType({ function: { ...wholeFields("id"), function: wholeFields("name", "arguments") } }),
  },
  parallel_tool_calls: onlyValues(true),
  reasoning_effort: takesEffort,
  response_format: byType({ text: true, json_schema: { json_schema: wholeFields("schema", "name", "description") } }),
  tools: byType({ function: { function: wholeFields("name", "description", "parameters", "cache_control") } }),
  tool_choice: toolChoice,
});

/** Gemini's interface embeds texts alone. */
export const supportedByGeminiEmbeddings: SupportedFields = {
  ...wholeFields("model", "dimensions", "encoding_format"),
  input: (value) => typeof value === "string",
};

const called: FieldSupport = byType({
  function: { ...wholeFields("id"), function: wholeFields("name", "arguments") },
  custom: { ...wholeFields("id"), custom: wholeFields("name", "input") },
});

export const supportedByResponses: SupportedFields = {
  ...commonFields,
  ...wholeFields(
    "temperature",
    "top_p",
    "parallel_tool_calls",
    "user",
    "metadata",
    "service_tier",
    "store",
    "verbosity",
  ),
  ...wholeFields("prompt_cache_key", "prompt_cache_retention", "safety_identifier", "reasoning_effort"),
  ...wholeFields("logprobs", "top_logprobs"),
  messages: {
    ...wholeFields("role", "tool_call_id", "refusal"),
    thinking_blocks: (block) => isResponsesReasoning(record(block)),
    content: byType({
      text: wholeFields("text"),
      refusal: wholeFields("refusal"),
      image_url: { image_url: wholeFields("url", "detail") },
      file: { file: wholeFields("filename", "file_data", "file_id") },
      input_audio: wholeFields("input_audio"),
    }),
    tool_calls: called,
  },
  n: onlyValues(1),
  reasoning: wholeFields("summary"),
  response_format: byType({
    text: true,
    json_object: true,
    json_schema: { json_schema: wholeFields("name", "description", "schema", "strict") },
  }),
  tools: byType({
    function: { function: wholeFields("name", "description", "parameters", "strict") },
    custom: { custom: wholeFields("name", "description", "format") },
  }),
  tool_choice: byType({ function: true, custom: true, allowed_tools: true }),
};
