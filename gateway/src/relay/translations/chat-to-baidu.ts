/** Callers of chat completions, served by Baidu's first interface. */

import { baiduChat } from "../formats/baidu-chat.ts";
import { type JsonRecord, present, record, records, text } from "../wire/json-parts.ts";
import { NativeAsChat } from "./native-as-chat.ts";
import { mergeNeighbours, plainText, splitSystem } from "./plain-messages.ts";
import { byType, droppedFieldsOf, onlyValues, type SupportedFields, wholeFields } from "./supported-fields.ts";
import type { Translation } from "./translation.ts";

/** Baidu refuses 0, and more than 1. */
const minTemperature = 0.01;

function body(json: JsonRecord, _model: string, isStream?: boolean): JsonRecord {
  const { system, rest: otherMessages } = splitSystem(json.messages);
  const functions = json.tool_choice === "none" ? [] : records(json.tools).flatMap(functionFrom);
  const { type } = record(json.response_format);
  return present({
    messages: conversation(otherMessages),
    system: system || undefined,
    stream: isStream ? true : undefined,
    temperature:
      typeof json.temperature === "number" ? Math.min(Math.max(json.temperature, minTemperature), 1) : undefined,
    top_p: json.top_p,
    stop: typeof json.stop === "string" ? [json.stop] : json.stop,
    max_output_tokens: json.max_completion_tokens ?? json.max_tokens,
    response_format: type === "json_object" || type === "json_schema" ? "json_object" : undefined,
    user_id: json.user,
    functions: functions.length > 0 ? functions : undefined,
    tool_choice: functions.length > 0 ? namedToolChoice(json.tool_choice) : undefined,
  });
}

function functionFrom({ type, function: definition }: JsonRecord): JsonRecord[] {
  if (type !== "function") return [];
  const { name, description, parameters } = record(definition);
  // Both are required there.
  return [{ name, description: description ?? name, parameters: parameters ?? { type: "object", properties: {} } }];
}

function namedToolChoice(choice: unknown): JsonRecord | undefined {
  const { name } = record(record(choice).function);
  return typeof name === "string" ? { type: "function", function: { name } } : undefined;
}

/** Users, or the results of functions, and the model take turns; a call of a function stands alone. */
function conversation(messages: readonly JsonRecord[]): JsonRecord[] {
  const functionNames = new Map<string, string>();
  const translated = messages.map((message): JsonRecord => {
    const content = plainText(message.content);
    if (message.role === "tool") {
      return { role: "function", name: functionNames.get(text(message.tool_call_id)) ?? text(message.name), content };
    }
    if (message.role !== "assistant") return { role: "user", content };
    for (const call of records(message.tool_calls)) functionNames.set(text(call.id), text(record(call.function).name));
    const [call] = records(message.tool_calls);
    if (!call) return { role: "assistant", content };
    const { name, arguments: args } = record(call.function);
    return { role: "assistant", content, function_call: { name, arguments: args } };
  });
  return mergeNeighbours(translated, (first, second) => {
    const isPlain = first.role === second.role && first.role !== "function" && !first.function_call;
    if (!isPlain) return undefined;
    return { ...first, ...second, content: [first.content, second.content].filter((one) => one !== "").join("\n\n") };
  });
}

const supportedFields: SupportedFields = {
  ...wholeFields("model", "max_tokens", "max_completion_tokens", "stream", "temperature", "top_p", "stop", "user"),
  stream_options: { include_usage: true },
  store: onlyValues(false),
  logprobs: onlyValues(false),
  n: onlyValues(1),
  messages: {
    ...wholeFields("role", "tool_call_id"),
    content: byType({ text: wholeFields("text"), refusal: wholeFields("refusal") }),
    tool_calls: byType({ function: { ...wholeFields("id"), function: wholeFields("name", "arguments") } }),
  },
  response_format: byType({ text: true, json_object: true }),
  tools: byType({ function: { function: wholeFields("name", "description", "parameters") } }),
  tool_choice: (value) => value !== "required",
};

export const chatToBaidu: Translation = {
  target: baiduChat,
  translateRequest: body,
  createReplyTranslator: (call) => new NativeAsChat(call, baiduChat),
  droppedFields: (json) => droppedFieldsOf(json, supportedFields),
};
