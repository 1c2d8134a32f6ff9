/** What of a body of chat completions the interfaces keep that it is turned into. */
import { type Json, record, text } from "../json-parts.ts";
import { byType, type Kept, type KeptMembers, only, whole } from "./kept.ts";
import { isSealedThere } from "./sealed-thoughts.ts";

/** What every translation does something with. */
const common: KeptMembers = {
  ...whole("model", "max_tokens", "max_completion_tokens", "stream"),
  stream_options: { include_usage: true },
  // Nothing is stored, and nothing told of likelihoods, where nobody asked for it.
  store: only(false),
  logprobs: only(false),
};
/** A tool is chosen by a word, or one function by its name. */
const toolChoice: Kept = byType({ function: true });
const picture: KeptMembers = { image_url: { url: true, detail: only("auto") } };

const marked = (members: KeptMembers): KeptMembers => ({ ...members, cache_control: true });

/** `efforts` are those that there is a budget for in this conversation. */
export function keptByMessages(json: Json, efforts: readonly string[]): KeptMembers {
  const thinks = json.thinking !== undefined || efforts.includes(text(json.reasoning_effort));
  return {
    ...common,
    ...whole("top_k", "stop", "parallel_tool_calls", "thinking", "user"),
    messages: {
      ...whole("role", "tool_call_id"),
      thinking_blocks: (block) => !isSealedThere(record(block)),
      content: byType({
        text: marked(whole("text")),
        refusal: whole("refusal"),
        image_url: marked(picture),
        file: marked({ file: whole("filename", "file_data") }),
      }),
      tool_calls: byType({ function: { ...whole("id"), function: whole("name", "arguments") } }),
    },
    n: only(1),
    temperature: !thinks,
    top_p: !thinks,
    reasoning_effort: only(...efforts, "none"),
    response_format: byType({ text: true, json_schema: { json_schema: whole("schema") } }),
    tools: byType({ function: { function: whole("name", "description", "parameters", "cache_control") } }),
    tool_choice: toolChoice,
  };
}

const geminiMessage: KeptMembers = {
  ...whole("role", "tool_call_id"),
  content: byType({
    text: whole("text"),
    refusal: whole("refusal"),
    image_url: picture,
    // A file has no name there; these are what translations call one that has none.
    file: { file: { file_data: true, filename: only("document", "document.pdf") } },
    input_audio: whole("input_audio"),
  }),
  // A result finds its call by the id, which goes no further.
  tool_calls: byType({ function: { ...whole("id", "extra_content"), function: whole("name", "arguments") } }),
};
/** One whose call is not in the conversation has its function's name from here. */
const geminiResult: KeptMembers = { ...geminiMessage, name: true };

/** `efforts` are those that there is a budget for. */
export const keptByGemini = (efforts: readonly string[]): KeptMembers => ({
  ...common,
  ...whole("temperature", "top_p", "top_k", "seed", "presence_penalty", "frequency_penalty", "stop", "n"),
  messages: (message) => (record(message).role === "tool" ? geminiResult : geminiMessage),
  parallel_tool_calls: only(true),
  reasoning_effort: only(...efforts),
  response_format: byType({ text: true, json_object: true, json_schema: { json_schema: whole("schema") } }),
  tools: byType({ function: { function: whole("name", "description", "parameters") } }),
  tool_choice: toolChoice,
});

/** `takesEffort` and `takesThoughts` depend on the model there. */
export const keptByConverse = (takesEffort: boolean, takesThoughts: boolean): KeptMembers => ({
  ...common,
  ...whole("temperature", "top_p", "stop"),
  n: only(1),
  messages: {
    ...whole("role", "tool_call_id"),
    thinking_blocks: takesThoughts,
    content: byType({
      text: marked(whole("text")),
      refusal: whole("refusal"),
      image_url: marked(picture),
      file: marked({ file: whole("filename", "file_data") }),
    }),
    tool_calls: byType({ function: { ...whole("id"), function: whole("name", "arguments") } }),
  },
  parallel_tool_calls: only(true),
  reasoning_effort: takesEffort,
  response_format: byType({ text: true, json_schema: { json_schema: whole("schema", "name", "description") } }),
  tools: byType({ function: { function: whole("name", "description", "parameters", "cache_control") } }),
  tool_choice: toolChoice,
});

/** Gemini's interface embeds texts alone. */
export const keptByGeminiEmbeddings: KeptMembers = {
  ...whole("model", "dimensions", "encoding_format"),
  input: (value) => typeof value === "string",
};

const called: Kept = byType({
  function: { ...whole("id"), function: whole("name", "arguments") },
  custom: { ...whole("id"), custom: whole("name", "input") },
});

export const keptByResponses: KeptMembers = {
  ...common,
  ...whole("temperature", "top_p", "parallel_tool_calls", "user", "metadata", "service_tier", "store", "verbosity"),
  ...whole("prompt_cache_key", "prompt_cache_retention", "safety_identifier", "reasoning_effort"),
  ...whole("logprobs", "top_logprobs"),
  messages: {
    ...whole("role", "tool_call_id", "refusal"),
    thinking_blocks: (block) => isSealedThere(record(block)),
    content: byType({
      text: whole("text"),
      refusal: whole("refusal"),
      image_url: { image_url: whole("url", "detail") },
      file: { file: whole("filename", "file_data", "file_id") },
      input_audio: whole("input_audio"),
    }),
    tool_calls: called,
  },
  n: only(1),
  reasoning: whole("summary"),
  response_format: byType({
    text: true,
    json_object: true,
    json_schema: { json_schema: whole("name", "description", "schema", "strict") },
  }),
  tools: byType({
    function: { function: whole("name", "description", "parameters", "strict") },
    custom: { custom: whole("name", "description", "format") },
  }),
  tool_choice: byType({ function: true, custom: true, allowed_tools: true }),
};
