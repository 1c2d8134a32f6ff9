/** Requests of chat completions for a channel, or a model, that speaks only Responses. */

import { responses } from "../formats/responses.ts";
import { reasonsUnasked } from "../value-rules/openai-value-rules.ts";
import { type JsonRecord, present, record, records, text } from "../wire/json-parts.ts";
import { fitPictureUrl, formatArgumentsText, noArguments } from "./chat-parts.ts";
import { pairedMessages, readContent, readResponseFormat, readTokenLimit } from "./chat-request.ts";
import { isResponsesReasoning, listReasoningItem } from "./encrypted-reasoning.ts";
import type { FieldReader } from "./request-reader.ts";
import { ResponsesAsChat } from "./responses-as-chat.ts";
import type { Translation } from "./translation.ts";

function translateRequest(request: FieldReader, model: string): JsonRecord {
  request.read("model", "stream");
  request.object("stream_options").read("include_usage");
  request.allow("n", 1);
  const limit = readTokenLimit(request);
  const tools = request.objects("tools").flatMap(translateTool);
  const choice = toolChoice(request);
  const { verbosity, reasoning_effort, parallel_tool_calls, logprobs, top_logprobs, store } =
    request.read(
      "verbosity",
      "reasoning_effort",
      "parallel_tool_calls",
      "logprobs",
      "top_logprobs",
      "store",
    );
  const textSettings = present({ format: translateTextFormat(request), verbosity });
  const isReasoning =
    typeof reasoning_effort === "string" ? reasoning_effort !== "none" : reasonsUnasked(model);
  const include = [
    ...(logprobs === true ? ["message.output_text.logprobs"] : []),
    // OpenAI stores nothing, so the reasoning is sent encrypted, to be sent back. Other models
    // refuse this.
    ...(isReasoning ? ["reasoning.encrypted_content"] : []),
  ];
  const reasoning = present({
    effort: reasoning_effort,
    summary: request.object("reasoning").get("summary"),
  });
  return present({
    model: request.json.model,
    input: translateConversation(request),
    max_output_tokens: limit,
    stream: request.json.stream,
    // Responses stores by default, chat completions does not.
    store: store ?? false,
    tools: tools.length > 0 ? tools : undefined,
    tool_choice: tools.length > 0 ? choice : undefined,
    parallel_tool_calls: tools.length > 0 ? parallel_tool_calls : undefined,
    reasoning: Object.keys(reasoning).length > 0 ? reasoning : undefined,
    text: Object.keys(textSettings).length > 0 ? textSettings : undefined,
    include: include.length > 0 ? include : undefined,
    top_logprobs: logprobs === true ? top_logprobs : undefined,
    ...request.pick(
      "temperature",
      "top_p",
      "user",
      "metadata",
      "service_tier",
      "prompt_cache_key",
      "prompt_cache_retention",
      "prompt_cache_options",
      "safety_identifier",
    ),
  });
}

/** The content of one message becomes several items: its text, and each tool call. */
function translateConversation(request: FieldReader): JsonRecord[] {
  /** The ids of calls of custom tools: a result does not name the type of its tool. */
  const custom = new Set<unknown>();
  return pairedMessages(request.objects("messages")).flatMap((message): JsonRecord[] => {
    const role = message.get("role");
    if (role === "tool") {
      const call_id = message.get("tool_call_id");
      const type = custom.has(call_id) ? "custom_tool_call_output" : "function_call_output";
      return [{ type, call_id, output: translateInputContent(message) }];
    }
    if (role !== "assistant") return [{ role, content: translateInputContent(message) }];
    const outputContent = [
      ...translateOutputParts(message),
      ...translateRefusalPart(message.get("refusal")),
    ];
    const calls = message.objects("tool_calls").flatMap((call) => translateToolCall(call, custom));
    const reasoningItems = message.objects("thinking_blocks").flatMap(translateReasoningItem);
    return [
      ...reasoningItems,
      ...(outputContent.length > 0 ? [{ role, content: outputContent }] : []),
      ...calls,
    ];
  });
}

/** Only reasoning that came from Responses can be sent back there. */
function translateReasoningItem(block: FieldReader): JsonRecord[] {
  if (isResponsesReasoning(block.json)) return listReasoningItem(block.readAll());
  block.drop("");
  return [];
}

function translateInputContent(message: FieldReader): string | JsonRecord[] {
  const content = readContent(message);
  return typeof content === "string" ? content : content.flatMap(translateInputPart);
}

function translateInputPart(part: FieldReader): JsonRecord[] {
  switch (part.get("type")) {
    case "text":
      return [{ type: "input_text", text: text(part.get("text")) }];
    case "image_url": {
      const { url, detail } = part.object("image_url").read("url", "detail");
      const image_url = fitPictureUrl(text(url));
      return [{ type: "input_image", image_url, detail: detail ?? "auto" }];
    }
    case "file": {
      const { filename, file_data, file_id } = part
        .object("file")
        .read("filename", "file_data", "file_id");
      return /^https?:\/\//i.test(text(file_data))
        ? [{ type: "input_file", file_url: file_data }]
        : [present({ type: "input_file", filename, file_data, file_id })];
    }
    case "input_audio":
      return [{ type: "input_audio", input_audio: part.get("input_audio") }];
    default:
      part.drop();
      return [];
  }
}

function translateOutputParts(message: FieldReader): JsonRecord[] {
  const content = readContent(message);
  if (typeof content === "string") return translateTextPart(content);
  return content.flatMap((part) => {
    const type = part.get("type");
    if (type === "refusal") return translateRefusalPart(part.get("refusal"));
    if (type !== "text") part.drop();
    return translateTextPart(part.get("text"));
  });
}

const translateTextPart = (content: unknown): JsonRecord[] =>
  text(content) === "" ? [] : [{ type: "output_text", text: content }];

const translateRefusalPart = (refusal: unknown): JsonRecord[] =>
  text(refusal) === "" ? [] : [{ type: "refusal", refusal }];

function translateToolCall(call: FieldReader, custom: Set<unknown>): JsonRecord[] {
  const { id, type } = call.read("id", "type");
  if (type === "custom") {
    custom.add(id);
    const { name, input } = call.object("custom").read("name", "input");
    return [{ type: "custom_tool_call", call_id: id, name, input: text(input) }];
  }
  if (type !== "function") call.drop();
  const { name, arguments: argumentsText } = call.object("function").read("name", "arguments");
  return [
    {
      type: "function_call",
      call_id: id,
      name,
      arguments: formatArgumentsText(argumentsText) || noArguments,
    },
  ];
}

function translateTool(tool: FieldReader): JsonRecord[] {
  const type = tool.get("type");
  if (type === "function") {
    const definition = tool.object("function").read("name", "description", "parameters", "strict");
    const { name, description, strict } = definition;
    // The defaults differ: parameters are required, and a tool is strict unless it says otherwise.
    const parameters = definition.parameters ?? { type: "object", properties: {} };
    return [present({ type, name, description, parameters, strict: strict ?? false })];
  }
  if (type !== "custom") {
    tool.drop();
    return [];
  }
  const {
    name,
    description,
    format: inputFormat,
  } = tool.object("custom").read("name", "description", "format");
  const { type: kind, grammar } = record(inputFormat);
  const format = kind === "grammar" ? { type: kind, ...record(grammar) } : inputFormat;
  return [present({ type, name, description, format })];
}

function toolChoice(request: FieldReader): unknown {
  const isKnown = request.readTyped("tool_choice", "function", "custom", "allowed_tools");
  return isKnown ? translateToolChoice(request.json.tool_choice) : undefined;
}

function translateToolChoice(choice: unknown): unknown {
  if (typeof choice === "string") return choice;
  const { type, allowed_tools } = record(choice);
  if (type === "function" || type === "custom")
    return { type, name: record(record(choice)[type]).name };
  if (type !== "allowed_tools") return undefined;
  const { mode, tools } = record(allowed_tools);
  return { type, mode, tools: records(tools).map(translateToolChoice) };
}

function translateTextFormat(request: FieldReader): JsonRecord | undefined {
  const { type, schema: definition } = readResponseFormat(
    request,
    "text",
    "json_object",
    "json_schema",
  );
  if (type === "json_object" || type === "text") return { type };
  if (type !== "json_schema") return undefined;
  const { name, description, schema, strict } = definition.read(
    "name",
    "description",
    "schema",
    "strict",
  );
  return present({ type, name, description, schema, strict });
}

/** Names of fields of the translated request, as the client sent them. */
const sourceFields: Translation["sourceFields"] = {
  include: "logprobs",
  "tools.strict": "tools.function.strict",
  "text.format": "response_format",
  "text.format.strict": "response_format.json_schema.strict",
  "reasoning.effort": "reasoning_effort",
  "reasoning.summary": "reasoning.summary",
};

export const chatToResponses: Translation = {
  target: responses.upstream,
  translateRequest,
  sourceFields,
  createReplyTranslator: (call) => new ResponsesAsChat(call),
};
