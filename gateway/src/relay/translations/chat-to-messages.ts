/** Chat completions over Anthropic's Messages. */

import { anthropicMessages } from "../formats/anthropic-messages.ts";
import { type JsonRecord, numberOf, parsedObject, present, records, text } from "../wire/json-parts.ts";
import { dataUrl } from "./chat-parts.ts";
import {
  readCallFields,
  readContent,
  readFunctionCalls,
  readFunctions,
  readImageUrl,
  readMessages,
  readResponseFormat,
  readSampling,
  readStop,
  readTokenLimit,
  readToolChoice,
} from "./chat-request.ts";
import { isForeignReasoning, withoutIndex } from "./encrypted-reasoning.ts";
import { MessagesAsChat } from "./messages-as-chat.ts";
import type { RequestReader } from "./request-reader.ts";
import { type Effort, efforts, fitAnthropicEffort, isEffort } from "./thinking-effort.ts";
import type { Translation } from "./translation.ts";

/** Anthropic requires a limit; this one applies where the client sets none. */
const defaultMaxTokens = 8_192;
/** Thinking tokens by the effort of a chat completion; the output is counted on top of them, and both must fit the longest answer. */
const thinkingBudgets: Readonly<Record<Exclude<Effort, "none">, number>> = {
  minimal: 1_024,
  low: 1_024,
  medium: 4_096,
  high: 16_384,
  xhigh: 16_384,
  max: 16_384,
};
const maxTemperature = 1;
/**
 * Opus from 4.7 on and every model from 5 on, in the spellings of Anthropic and of those who host it: they decide by themselves how much
 * they think, and refuse budgets as well as temperatures (https://platform.claude.com/docs/en/build-with-claude/adaptive-thinking).
 */
const thinksAdaptively = (model: string): boolean =>
  /claude-(?:opus-4[-.][7-9]|(?:opus|sonnet|haiku|fable|mythos)-(?:[5-9]|\d\d)(?!\d)|mythos-preview)/.test(model);
// The thoughts of an adaptive model would otherwise be signed and not told.
const adaptiveThinking: JsonRecord = { type: "adaptive", display: "summarized" };

function translateRequest(request: RequestReader, model: string): JsonRecord {
  readCallFields(request);
  request.allow("n", 1);
  const { system, messages } = readMessages(request);
  const systemBlocks = system.flatMap((message) => contentBlocks(message));
  const effort = readEffort(request);
  const { thinking: given, user } = request.read("thinking", "user");
  const isAdaptive = thinksAdaptively(model);
  const asked = effort && (isAdaptive ? adaptiveThinking : { type: "enabled", budget_tokens: thinkingBudgets[effort] });
  const thinking = given ?? asked;
  // The provider refuses any temperature but its own while the model reasons, and newer models any at all.
  const { temperature, top_p } = thinking === undefined && !isAdaptive ? readSampling(request, model) : {};
  const { top_k } = isAdaptive ? {} : request.read("top_k");
  const limit = Math.max(numberOf(readTokenLimit(request), defaultMaxTokens), 1);
  const schema = readResponseFormat(request, "text", "json_schema").schema.get("schema");
  return present({
    model: request.json.model,
    max_tokens: given === undefined && effort ? limit + thinkingBudgets[effort] : limit,
    messages: conversation(messages),
    system: systemBlocks.length > 0 ? systemBlocks : undefined,
    stream: request.json.stream,
    temperature: typeof temperature === "number" ? Math.min(temperature, maxTemperature) : undefined,
    top_p,
    top_k,
    stop_sequences: readStop(request),
    tools: Array.isArray(request.json.tools) ? readFunctions(request).map(tool) : undefined,
    tool_choice: toolChoice(request),
    thinking,
    output_config: outputConfig(
      schema,
      given === undefined && isAdaptive && effort ? fitAnthropicEffort(effort, model) : undefined,
    ),
    metadata: typeof user === "string" ? { user_id: user } : undefined,
  });
}

function outputConfig(schema: unknown, effort: string | undefined): JsonRecord | undefined {
  if (schema === undefined && effort === undefined) return undefined;
  return present({ effort, format: schema === undefined ? undefined : { type: "json_schema", schema } });
}

/** Undefined where none is asked for, as by `none`. */
function readEffort(request: RequestReader): Exclude<Effort, "none"> | undefined {
  request.allow("reasoning_effort", "none");
  if (lacksReasoning(records(request.json.messages))) return undefined;
  request.allow("reasoning_effort", ...efforts);
  const { reasoning_effort } = request.json;
  return isEffort(reasoning_effort) && reasoning_effort !== "none" ? reasoning_effort : undefined;
}

/**
 * A model that reasons requires, with its tool calls, the reasoning before them. Many clients do not send it back; then
 * the model must not be asked to reason.
 */
function lacksReasoning(messages: readonly JsonRecord[]): boolean {
  const last = messages.findLast(({ role }) => role === "assistant");
  if (records(last?.tool_calls).length === 0) return false;
  return records(last?.thinking_blocks).every(isForeignReasoning);
}

/** Consecutive messages of one role become one message: roles must alternate, and the user sends tool results. */
function conversation(messages: readonly RequestReader[]): JsonRecord[] {
  const turns: { role: string; content: JsonRecord[] }[] = [];
  for (const message of messages) {
    const role = message.json.role === "assistant" ? "assistant" : "user";
    const content = blocksOf(message);
    const last = turns.at(-1);
    if (last?.role === role) last.content.push(...content);
    else if (content.length > 0) turns.push({ role, content });
  }
  return turns;
}

function blocksOf(message: RequestReader): JsonRecord[] {
  const content = contentBlocks(message);
  const { role } = message.json;
  if (role === "tool") return [{ type: "tool_result", tool_use_id: message.get("tool_call_id"), content }];
  if (role !== "assistant") return content;
  const calls = readFunctionCalls(message).map(({ id, name, argumentsText }) => ({
    type: "tool_use",
    id,
    name,
    input: parsedObject(text(argumentsText)),
  }));
  return [...message.objects("thinking_blocks").flatMap(reasoningBlock), ...content, ...calls];
}

/** Anthropic refuses a block that another provider encrypted. */
function reasoningBlock(block: RequestReader): JsonRecord[] {
  if (!isForeignReasoning(block.json)) return [withoutIndex(block.readAll())];
  block.drop("");
  return [];
}

function contentBlocks(message: RequestReader): JsonRecord[] {
  const content = readContent(message);
  if (typeof content === "string") return content === "" ? [] : [{ type: "text", text: content }];
  return content.flatMap((part) => {
    const block = contentBlock(part);
    // A mark for the prompt cache means the same in both APIs.
    return block ? [present({ ...block, cache_control: part.get("cache_control") })] : [];
  });
}

function contentBlock(part: RequestReader): JsonRecord | undefined {
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
      return { type: "image", source: sourceOf(readImageUrl(part)) };
    case "file": {
      const { file_data, filename } = part.object("file").read("file_data", "filename");
      return present({ type: "document", source: sourceOf(text(file_data)), title: filename });
    }
    default:
      part.drop();
      return undefined;
  }
}

function sourceOf(url: string): JsonRecord {
  const inline = dataUrl(url);
  return inline ? { type: "base64", media_type: inline.mediaType, data: inline.data } : { type: "url", url };
}

function tool(definition: RequestReader): JsonRecord {
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

function toolChoice(request: RequestReader): JsonRecord | undefined {
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

export const chatToMessages: Translation = {
  target: anthropicMessages.upstream,
  translateRequest,
  createReplyTranslator: (call) => new MessagesAsChat(call),
};
