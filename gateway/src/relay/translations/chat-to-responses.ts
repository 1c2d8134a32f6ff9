/** Callers of chat completions, served by a channel or for a model that speaks Responses alone. */

import { responses } from "../formats/responses.ts";
import type { JsonRecord } from "../wire/json-parts.ts";
import { present, record, records, text } from "../wire/json-parts.ts";
import { reasoningItemFrom } from "./encrypted-reasoning.ts";
import { ResponsesAsChat } from "./responses-as-chat.ts";
import { droppedFieldsOf } from "./supported-fields.ts";
import { supportedByResponses } from "./supported-from-chat.ts";
import type { Translation } from "./translation.ts";

/** OpenAI refuses less there, and takes it in chat completions. */
const outputTokensMin = 16;

function body(json: JsonRecord): JsonRecord {
  const limit = json.max_completion_tokens ?? json.max_tokens;
  const tools = records(json.tools).flatMap(translateTool);
  const settings = present({ format: textFormat(record(json.response_format)), verbosity: json.verbosity });
  const isReasoning = typeof json.reasoning_effort === "string" && json.reasoning_effort !== "none";
  const include = [
    ...(json.logprobs === true ? ["message.output_text.logprobs"] : []),
    // Nothing is stored there, so the thoughts come sealed, to be sent back. Models that do not think refuse this.
    ...(isReasoning ? ["reasoning.encrypted_content"] : []),
  ];
  const reasoning = present({ effort: json.reasoning_effort, summary: record(json.reasoning).summary });
  return present({
    model: json.model,
    input: conversation(records(json.messages)),
    max_output_tokens: typeof limit === "number" ? Math.max(limit, outputTokensMin) : undefined,
    stream: json.stream,
    // There it is stored unless somebody says no; here the other way round.
    store: json.store ?? false,
    temperature: json.temperature,
    top_p: json.top_p,
    tools: tools.length > 0 ? tools : undefined,
    tool_choice: tools.length > 0 ? translateToolChoice(json.tool_choice) : undefined,
    parallel_tool_calls: tools.length > 0 ? json.parallel_tool_calls : undefined,
    reasoning: Object.keys(reasoning).length > 0 ? reasoning : undefined,
    text: Object.keys(settings).length > 0 ? settings : undefined,
    include: include.length > 0 ? include : undefined,
    top_logprobs: json.logprobs === true ? json.top_logprobs : undefined,
    user: json.user,
    metadata: json.metadata,
    service_tier: json.service_tier,
    prompt_cache_key: json.prompt_cache_key,
    prompt_cache_retention: json.prompt_cache_retention,
    safety_identifier: json.safety_identifier,
  });
}

/** What one message says stands in several items over there: its words, and each call of a tool. */
function conversation(messages: readonly JsonRecord[]): JsonRecord[] {
  /** Results do not say of which kind of tool they are. */
  const custom = new Set<unknown>();
  return messages.flatMap((message): JsonRecord[] => {
    const { role, content } = message;
    if (role === "tool") {
      const type = custom.has(message.tool_call_id) ? "custom_tool_call_output" : "function_call_output";
      const output = typeof content === "string" ? content : records(content).flatMap(inputPart);
      return [{ type, call_id: message.tool_call_id, output }];
    }
    if (role !== "assistant") {
      const parts = typeof content === "string" ? content : records(content).flatMap(inputPart);
      return [{ role, content: parts }];
    }
    const outputContent = [...outputParts(content), ...outputParts(message.refusal, "refusal")];
    const calls = records(message.tool_calls);
    for (const { id, type } of calls) if (type === "custom") custom.add(id);
    const reasoningItems = records(message.thinking_blocks).flatMap(reasoningItemFrom);
    return [
      ...reasoningItems,
      ...(outputContent.length > 0 ? [{ role, content: outputContent }] : []),
      ...calls.flatMap(toolCall),
    ];
  });
}

function inputPart(part: JsonRecord): JsonRecord[] {
  switch (part.type) {
    case "text":
      return [{ type: "input_text", text: text(part.text) }];
    case "image_url": {
      const { url, detail } = record(part.image_url);
      return [present({ type: "input_image", image_url: url, detail: detail ?? "auto" })];
    }
    case "file": {
      const { filename, file_data, file_id } = record(part.file);
      return [present({ type: "input_file", filename, file_data, file_id })];
    }
    case "input_audio":
      return [{ type: "input_audio", input_audio: part.input_audio }];
    default:
      return [];
  }
}

function outputParts(content: unknown, kind: "output_text" | "refusal" = "output_text"): JsonRecord[] {
  if (typeof content !== "string") {
    return records(content).flatMap((part) =>
      part.type === "refusal" ? outputParts(part.refusal, "refusal") : outputParts(part.text),
    );
  }
  if (content === "") return [];
  return [kind === "refusal" ? { type: kind, refusal: content } : { type: kind, text: content }];
}

function toolCall({ id, type, function: calledFunction, custom }: JsonRecord): JsonRecord[] {
  if (type === "custom") {
    const { name, input } = record(custom);
    return [{ type: "custom_tool_call", call_id: id, name, input: text(input) }];
  }
  const { name, arguments: written } = record(calledFunction);
  return [{ type: "function_call", call_id: id, name, arguments: text(written) }];
}

function translateTool({ type, function: definition, custom }: JsonRecord): JsonRecord[] {
  if (type === "function") {
    const { name, description, parameters, strict } = record(definition);
    // Without these two a tool is a different one there: its parameters are required, and strict unless it says no.
    const schema = parameters ?? { type: "object", properties: {} };
    return [present({ type, name, description, parameters: schema, strict: strict ?? false })];
  }
  if (type !== "custom") return [];
  const { name, description, format: inputFormat } = record(custom);
  const { type: kind, grammar } = record(inputFormat);
  const written = kind === "grammar" ? { type: kind, ...record(grammar) } : inputFormat;
  return [present({ type, name, description, format: written })];
}

function translateToolChoice(choice: unknown): unknown {
  if (typeof choice === "string") return choice;
  const { type, allowed_tools } = record(choice);
  if (type === "function" || type === "custom") return { type, name: record(record(choice)[type]).name };
  if (type !== "allowed_tools") return undefined;
  const { mode, tools } = record(allowed_tools);
  return { type, mode, tools: records(tools).map(translateToolChoice) };
}

function textFormat({ type, json_schema }: JsonRecord): JsonRecord | undefined {
  if (type === "json_object" || type === "text") return { type };
  if (type !== "json_schema") return undefined;
  const { name, description, schema, strict } = record(json_schema);
  return present({ type, name, description, schema, strict });
}

export const chatToResponses: Translation = {
  target: responses.upstream,
  translateRequest: body,
  createReplyTranslator: (call) => new ResponsesAsChat(call),
  droppedFields: (json) => droppedFieldsOf(json, supportedByResponses),
};
