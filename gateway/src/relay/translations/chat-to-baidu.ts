/** Requests of chat completions for Baidu's first API. */

import { baiduChat } from "../formats/baidu-chat.ts";
import { type JsonRecord, present, record, text } from "../wire/json-parts.ts";
import {
  readCallFields,
  readFunctionCalls,
  readFunctions,
  readResponseFormat,
  readStop,
  readTokenLimit,
} from "./chat-request.ts";
import { NativeAsChat } from "./native-as-chat.ts";
import { mergeNeighbours, readSystemText, readText } from "./plain-messages.ts";
import type { FieldReader } from "./request-reader.ts";
import type { Translation } from "./translation.ts";

/** Baidu refuses 0, and more than 1. */
const minTemperature = 0.01;

function translateRequest(request: FieldReader, _model: string, isStream?: boolean): JsonRecord {
  readCallFields(request);
  request.allow("n", 1);
  const { system, messages } = readSystemText(request);
  const tools = readFunctions(request).map(buildFunction);
  if (request.json.tool_choice !== "required") request.read("tool_choice");
  const functions = request.json.tool_choice === "none" ? [] : tools;
  const { type } = readResponseFormat(request, "text", "json_object");
  const { temperature, top_p, user } = request.read("temperature", "top_p", "user");
  return present({
    messages: translateConversation(messages),
    system: system || undefined,
    stream: isStream ? true : undefined,
    temperature:
      typeof temperature === "number"
        ? Math.min(Math.max(temperature, minTemperature), 1)
        : undefined,
    top_p,
    stop: readStop(request),
    max_output_tokens: readTokenLimit(request),
    response_format: type === "json_object" || type === "json_schema" ? "json_object" : undefined,
    user_id: user,
    functions: functions.length > 0 ? functions : undefined,
    tool_choice:
      functions.length > 0 ? translateNamedToolChoice(request.json.tool_choice) : undefined,
  });
}

function buildFunction(definition: FieldReader): JsonRecord {
  const { name, description, parameters } = definition.read("name", "description", "parameters");
  // Baidu requires both.
  return {
    name,
    description: description ?? name,
    parameters: parameters ?? { type: "object", properties: {} },
  };
}

function translateNamedToolChoice(choice: unknown): JsonRecord | undefined {
  const { name } = record(record(choice).function);
  return typeof name === "string" ? { type: "function", function: { name } } : undefined;
}

/** Users, or the results of functions, and the model take turns; a function call stands alone. */
function translateConversation(messages: readonly FieldReader[]): JsonRecord[] {
  const functionNames = new Map<string, string>();
  const translated = messages.map((message): JsonRecord => {
    const content = readText(message);
    const { role } = message.json;
    if (role === "tool") {
      const name = functionNames.get(text(message.get("tool_call_id"))) ?? text(message.json.name);
      return { role: "function", name, content };
    }
    if (role !== "assistant") return { role: "user", content };
    const calls = readFunctionCalls(message);
    for (const { id, name } of calls) functionNames.set(text(id), text(name));
    const [call] = calls;
    if (!call) return { role: "assistant", content };
    return {
      role: "assistant",
      content,
      function_call: { name: call.name, arguments: call.argumentsText },
    };
  });
  return mergeNeighbours(translated, (first, second) => {
    const isPlain = first.role === second.role && first.role !== "function" && !first.function_call;
    if (!isPlain) return undefined;
    return {
      ...first,
      ...second,
      content: [first.content, second.content].filter((one) => one !== "").join("\n\n"),
    };
  });
}

export const chatToBaidu: Translation = {
  target: baiduChat,
  translateRequest,
  createReplyTranslator: (call) => new NativeAsChat(call, baiduChat),
};
