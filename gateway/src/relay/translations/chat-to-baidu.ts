/** Callers of chat completions, served by Baidu's first interface. */
import { type Json, present, record, records, text } from "../json-parts.ts";
import { baiduChat } from "../shapes/baidu-chat.ts";
import { byType, type KeptMembers, lostOf, only, whole } from "./kept.ts";
import { apartFromSystem, merged, plainText } from "./plain-turns.ts";
import { SaidAsChat } from "./said-as-chat.ts";
import type { Translation } from "./translation.ts";

/** Baidu refuses 0, and more than 1. */
const leastTemperature = 0.01;

function body(json: Json, _model: string, isStream?: boolean): Json {
  const { system, rest } = apartFromSystem(json.messages);
  const functions = json.tool_choice === "none" ? [] : records(json.tools).flatMap(functionOf);
  const { type } = record(json.response_format);
  return present({
    messages: turns(rest),
    system: system || undefined,
    stream: isStream ? true : undefined,
    temperature:
      typeof json.temperature === "number" ? Math.min(Math.max(json.temperature, leastTemperature), 1) : undefined,
    top_p: json.top_p,
    stop: typeof json.stop === "string" ? [json.stop] : json.stop,
    max_output_tokens: json.max_completion_tokens ?? json.max_tokens,
    response_format: type === "json_object" || type === "json_schema" ? "json_object" : undefined,
    user_id: json.user,
    functions: functions.length > 0 ? functions : undefined,
    tool_choice: functions.length > 0 ? chosen(json.tool_choice) : undefined,
  });
}

function functionOf({ type, function: described }: Json): Json[] {
  if (type !== "function") return [];
  const { name, description, parameters } = record(described);
  // Both are required there.
  return [{ name, description: description ?? name, parameters: parameters ?? { type: "object", properties: {} } }];
}

function chosen(choice: unknown): Json | undefined {
  const { name } = record(record(choice).function);
  return typeof name === "string" ? { type: "function", function: { name } } : undefined;
}

/** Users, or the results of functions, and the model take turns; a call of a function stands alone. */
function turns(messages: readonly Json[]): Json[] {
  const called = new Map<string, string>();
  const written = messages.map((message): Json => {
    const content = plainText(message.content);
    if (message.role === "tool") {
      return { role: "function", name: called.get(text(message.tool_call_id)) ?? text(message.name), content };
    }
    if (message.role !== "assistant") return { role: "user", content };
    for (const call of records(message.tool_calls)) called.set(text(call.id), text(record(call.function).name));
    const [call] = records(message.tool_calls);
    if (!call) return { role: "assistant", content };
    const { name, arguments: args } = record(call.function);
    return { role: "assistant", content, function_call: { name, arguments: args } };
  });
  return merged(written, (first, second) => {
    const isPlain = first.role === second.role && first.role !== "function" && !first.function_call;
    if (!isPlain) return undefined;
    return { ...first, ...second, content: [first.content, second.content].filter((one) => one !== "").join("\n\n") };
  });
}

const kept: KeptMembers = {
  ...whole("model", "max_tokens", "max_completion_tokens", "stream", "temperature", "top_p", "stop", "user"),
  stream_options: { include_usage: true },
  store: only(false),
  logprobs: only(false),
  n: only(1),
  messages: {
    ...whole("role", "tool_call_id"),
    content: byType({ text: whole("text"), refusal: whole("refusal") }),
    tool_calls: byType({ function: { ...whole("id"), function: whole("name", "arguments") } }),
  },
  response_format: byType({ text: true, json_object: true }),
  tools: byType({ function: { function: whole("name", "description", "parameters") } }),
  tool_choice: (value) => value !== "required",
};

export const chatToBaidu: Translation = {
  to: baiduChat,
  body,
  answers: (call) => new SaidAsChat(call, baiduChat),
  lost: (json) => lostOf(json, kept),
};
