/** Chat completions over Anthropic's Messages. */

import { anthropicMessages } from "../formats/anthropic-messages.ts";
import { takesEffort, thinksUnasked } from "../value-rules/claude-families.ts";
import { type Effort, efforts, isEffort } from "../value-rules/thinking-effort.ts";
import {
  type JsonRecord,
  parseObject,
  present,
  readNumber,
  records,
  text,
} from "../wire/json-parts.ts";
import { composeDataUrl } from "./chat-parts.ts";
import {
  readCallFields,
  readContent,
  readFunctionCalls,
  readFunctions,
  readImageUrl,
  readMessages,
  readResponseFormat,
  readStop,
  readTokenLimit,
  readToolChoice,
} from "./chat-request.ts";
import { isForeignReasoning, isSigned, stripIndex } from "./encrypted-reasoning.ts";
import { MessagesAsChat } from "./messages-as-chat.ts";
import type { FieldReader } from "./request-reader.ts";
import type { Translation } from "./translation.ts";

/** Anthropic requires a limit; this one applies where the client sets none. */
const defaultMaxTokens = 8_192;
/**
 * Thinking tokens by the effort of a chat completion; the output is counted on top of them, and
 * both must fit the longest answer.
 */
const thinkingBudgets: Readonly<Record<Effort, number>> = {
  none: 0,
  minimal: 1_024,
  low: 1_024,
  medium: 4_096,
  high: 16_384,
  xhigh: 16_384,
  max: 16_384,
};
// The thoughts of an adaptive model would otherwise be signed and not told.
const adaptiveThinking: JsonRecord = { type: "adaptive", display: "summarized" };

function translateRequest(request: FieldReader, model: string): JsonRecord {
  readCallFields(request);
  request.allow("n", 1);
  const { system, messages } = readMessages(request);
  const systemBlocks = system.flatMap((message) => translateContentBlocks(message));
  const effort = readEffort(request);
  const { thinking: given, user } = request.read("thinking", "user");
  const isAdaptive = takesEffort.test(model);
  const thinking = given ?? chooseThinking(effort, model);
  const { temperature, top_p, top_k } = request.read("temperature", "top_p", "top_k");
  const limit = Math.max(readNumber(readTokenLimit(request), defaultMaxTokens), 1);
  const schema = readResponseFormat(request, "text", "json_schema").schema.get("schema");
  return present({
    model: request.json.model,
    max_tokens: given === undefined && effort ? limit + thinkingBudgets[effort] : limit,
    messages: translateConversation(messages),
    system: systemBlocks.length > 0 ? systemBlocks : undefined,
    stream: request.json.stream,
    temperature,
    top_p,
    top_k,
    stop_sequences: readStop(request),
    tools: Array.isArray(request.json.tools)
      ? readFunctions(request).map(translateTool)
      : undefined,
    tool_choice: translateToolChoice(request),
    thinking,
    output_config: translateOutputConfig(
      schema,
      given === undefined && isAdaptive && effort !== "none" ? effort : undefined,
    ),
    metadata: typeof user === "string" ? { user_id: user } : undefined,
  });
}

function translateOutputConfig(
  schema: unknown,
  effort: string | undefined,
): JsonRecord | undefined {
  if (schema === undefined && effort === undefined) return undefined;
  return present({
    effort,
    format: schema === undefined ? undefined : { type: "json_schema", schema },
  });
}

/**
 * Undefined where nothing is said; `none` also where the model must not think, for want of its
 * earlier thoughts.
 */
function readEffort(request: FieldReader): Effort | undefined {
  request.allow("reasoning_effort", "none");
  if (lacksReasoning(records(request.json.messages))) return "none";
  request.allow("reasoning_effort", ...efforts);
  const { reasoning_effort } = request.json;
  return isEffort(reasoning_effort) ? reasoning_effort : undefined;
}

function chooseThinking(effort: Effort | undefined, model: string): JsonRecord | undefined {
  if (effort === undefined) return undefined;
  if (effort === "none") return thinksUnasked.test(model) ? { type: "disabled" } : undefined;
  return takesEffort.test(model)
    ? adaptiveThinking
    : { type: "enabled", budget_tokens: thinkingBudgets[effort] };
}

/**
 * A model that reasons requires, with its tool calls, the reasoning before them. Many clients do
 * not send it back; then the model must not be asked to reason.
 */
function lacksReasoning(messages: readonly JsonRecord[]): boolean {
  const last = messages.findLast(({ role }) => role === "assistant");
  if (records(last?.tool_calls).length === 0) return false;
  return records(last?.thinking_blocks).every(
    (block) => isForeignReasoning(block) || !isSigned(block),
  );
}

/**
 * Consecutive messages of one role become one message: roles must alternate, and the user sends
 * tool results.
 */
function translateConversation(messages: readonly FieldReader[]): JsonRecord[] {
  const turns: { role: string; content: JsonRecord[] }[] = [];
  for (const message of messages) {
    const role = message.json.role === "assistant" ? "assistant" : "user";
    const content = listBlocks(message);
    const last = turns.at(-1);
    if (last?.role === role) last.content.push(...content);
    else if (content.length > 0) turns.push({ role, content });
  }
  return turns;
}

function listBlocks(message: FieldReader): JsonRecord[] {
  const content = translateContentBlocks(message);
  const { role } = message.json;
  if (role === "tool") {
    const { tool_call_id, is_error } = message.read("tool_call_id", "is_error");
    return [
      present({
        ...{ type: "tool_result", tool_use_id: tool_call_id, content },
        is_error: is_error === true ? true : undefined,
      }),
    ];
  }
  if (role !== "assistant") return content;
  const calls = readFunctionCalls(message).map(({ id, name, argumentsText }) => ({
    type: "tool_use",
    id,
    name,
    input: parseObject(text(argumentsText)),
  }));
  return [
    ...message.objects("thinking_blocks").flatMap(translateReasoningBlock),
    ...content,
    ...calls,
  ];
}

/** Anthropic refuses a block that another provider encrypted. */
function translateReasoningBlock(block: FieldReader): JsonRecord[] {
  if (!isForeignReasoning(block.json)) return [stripIndex(block.readAll())];
  block.drop("");
  return [];
}

function translateContentBlocks(message: FieldReader): JsonRecord[] {
  const content = readContent(message);
  if (typeof content === "string") return content === "" ? [] : [{ type: "text", text: content }];
  return content.flatMap((part) => {
    const block = translateContentBlock(part);
    // A mark for the prompt cache means the same in both APIs.
    return block ? [present({ ...block, cache_control: part.get("cache_control") })] : [];
  });
}

function translateContentBlock(part: FieldReader): JsonRecord | undefined {
  switch (part.get("type")) {
    case "text": {
      const content = part.get("text");
      if (text(content) !== "") return { type: "text", text: content };
      part.read("cache_control");
      return undefined;
    }
    case "refusal":
      return { type: "text", text: text(part.get("refusal")) };
    case "image_url":
      return { type: "image", source: chooseSource(readImageUrl(part)) };
    case "file": {
      const { file_data, filename } = part.object("file").read("file_data", "filename");
      const data = text(file_data);
      // A file that its provider knows by an id is known to no other.
      if (data === "") return undefined;
      const source = documentSource(data);
      return text(source.media_type).startsWith("image/")
        ? { type: "image", source }
        : present({ type: "document", source, title: filename });
    }
    default:
      part.drop();
      return undefined;
  }
}

function chooseSource(url: string): JsonRecord {
  const inline = composeDataUrl(url);
  return inline
    ? { type: "base64", media_type: inline.mediaType, data: inline.data }
    : { type: "url", url };
}

/** Anthropic reads PDF and plain text: other texts, such as tables and pages, are text. */
function documentSource(url: string): JsonRecord {
  const inline = composeDataUrl(url);
  if (!inline || !/^text\/|^application\/(?:json|xml|x-yaml)$/.test(inline.mediaType))
    return chooseSource(url);
  return {
    type: "text",
    media_type: "text/plain",
    data: Buffer.from(inline.data, "base64").toString("utf8"),
  };
}

function translateTool(definition: FieldReader): JsonRecord {
  const { name, description, parameters, cache_control } = definition.read(
    "name",
    "description",
    "parameters",
    "cache_control",
  );
  return present({
    name,
    description,
    input_schema: parameters ?? { type: "object", properties: {} },
    cache_control,
  });
}

function translateToolChoice(request: FieldReader): JsonRecord | undefined {
  const { choice, name } = readToolChoice(request);
  const parallel = request.get("parallel_tool_calls");
  const { tools } = request.json;
  if (!Array.isArray(tools) || tools.length === 0) return undefined;
  const parallelOption = parallel === false ? { disable_parallel_tool_use: true } : {};
  if (choice === "none") return { type: "none" };
  if (choice === "required") return { type: "any", ...parallelOption };
  if (name !== undefined) return { type: "tool", name, ...parallelOption };
  return parallel === false ? { type: "auto", ...parallelOption } : undefined;
}

/** Names of fields of the translated request, as the client sent them. */
const sourceFields: Translation["sourceFields"] = {
  stop_sequences: "stop",
  thinking: "reasoning_effort",
  "output_config.effort": "reasoning_effort",
  "metadata.user_id": "user",
};

export const chatToMessages: Translation = {
  target: anthropicMessages.upstream,
  translateRequest,
  sourceFields,
  createReplyTranslator: (call) => new MessagesAsChat(call),
};
