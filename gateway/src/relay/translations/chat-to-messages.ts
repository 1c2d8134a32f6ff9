/** Chat completions over Anthropic's Messages. */

import { anthropicMessages, parseMessagesUsage } from "../formats/anthropic-messages.ts";
import type { RelayCall } from "../formats/api-format.ts";
import { doneEvent } from "../formats/openai-errors.ts";
import type { ReportedUsage } from "../formats/reported-usage.ts";
import { eventJson } from "../wire/event-text.ts";
import { type JsonRecord, parsedObject, present, record, records, text } from "../wire/json-parts.ts";
import { chatUsageFrom, dataUrl, sse } from "./chat-parts.ts";
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
import { isResponsesReasoning, withoutIndex } from "./encrypted-reasoning.ts";
import type { RequestReader } from "./request-reader.ts";
import type { ReplyTranslator, Translation } from "./translation.ts";

/** Anthropic requires a limit; this one applies where the client sets none. */
const defaultMaxTokens = 8_192;
/** Thinking tokens for an effort; the output is counted on top of them. */
const thinkingBudgets: Readonly<Record<string, number>> = { minimal: 1_024, low: 1_024, medium: 4_096, high: 16_384 };
const maxTemperature = 1;

function translateRequest(request: RequestReader): JsonRecord {
  readCallFields(request);
  request.allow("n", 1);
  const { system, messages } = readMessages(request);
  const systemBlocks = system.flatMap((message) => contentBlocks(message));
  const budget = readReasoningBudget(request);
  const { thinking: given, top_k, user } = request.read("thinking", "top_k", "user");
  const thinking = given ?? (budget === undefined ? undefined : { type: "enabled", budget_tokens: budget });
  // The provider refuses any temperature but its own while the model reasons.
  const { temperature, top_p } = thinking === undefined ? request.read("temperature", "top_p") : {};
  const limit = Math.max(Number(readTokenLimit(request) ?? defaultMaxTokens), 1);
  const schema = readResponseFormat(request, "text", "json_schema").schema.get("schema");
  return present({
    model: request.json.model,
    max_tokens: given === undefined && budget !== undefined ? limit + budget : limit,
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
    output_config: schema === undefined ? undefined : { format: { type: "json_schema", schema } },
    metadata: typeof user === "string" ? { user_id: user } : undefined,
  });
}

/** The tokens for an effort; `none` asks for none. */
function readReasoningBudget(request: RequestReader): number | undefined {
  request.allow("reasoning_effort", "none");
  if (lacksReasoning(records(request.json.messages))) return undefined;
  request.allow("reasoning_effort", ...Object.keys(thinkingBudgets));
  return thinkingBudgets[text(request.json.reasoning_effort)];
}

/**
 * A model that reasons requires, with its tool calls, the reasoning before them. Many clients do not send it back; then
 * the model must not be asked to reason.
 */
function lacksReasoning(messages: readonly JsonRecord[]): boolean {
  const last = messages.findLast(({ role }) => role === "assistant");
  if (records(last?.tool_calls).length === 0) return false;
  return records(last?.thinking_blocks).every(isResponsesReasoning);
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
  if (!isResponsesReasoning(block.json)) return [withoutIndex(block.readAll())];
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

const finishReasons: Readonly<Record<string, string>> = {
  max_tokens: "length",
  model_context_window_exceeded: "length",
  tool_use: "tool_calls",
  refusal: "content_filter",
};
const finishReason = (stopReason: unknown): string => finishReasons[text(stopReason)] ?? "stop";

const isReasoningBlock = ({ type }: JsonRecord): boolean => type === "thinking" || type === "redacted_thinking";

function translateReply(call: RelayCall, created: number, reply: JsonRecord): JsonRecord {
  const blocks = records(reply.content);
  const joined = (type: string, member: string) =>
    blocks
      .filter((block) => block.type === type)
      .map((block) => text(block[member]))
      .join("");
  const calls = blocks.filter(({ type }) => type === "tool_use");
  const thinking = blocks.filter(isReasoningBlock);
  const content = joined("text", "text");
  const message = present({
    reasoning_content: thinking.length > 0 ? joined("thinking", "thinking") : undefined,
    // With their signatures: sent back, they let the model continue its reasoning.
    thinking_blocks: thinking.length > 0 ? thinking : undefined,
    tool_calls:
      calls.length > 0
        ? calls.map(({ id, name, input }) => ({
            id,
            type: "function",
            function: { name, arguments: JSON.stringify(input ?? {}) },
          }))
        : undefined,
  });
  const choice = { role: "assistant", content: content === "" && calls.length > 0 ? null : content, ...message };
  return present({
    id: `chatcmpl-${text(reply.id)}`,
    object: "chat.completion",
    created,
    model: call.model,
    choices: [{ index: 0, message: choice, logprobs: null, finish_reason: finishReason(reply.stop_reason) }],
    usage: chatUsageFrom(parseMessagesUsage(reply.usage)),
  });
}

/** One reply, whole or event by event. */
class MessagesAsChat implements ReplyTranslator {
  readonly #call: RelayCall;
  readonly #created = Math.floor(Date.now() / 1000);
  #id = "";
  #usage: ReportedUsage | undefined;
  #calls = -1;
  #reasoningBlocks = 0;
  /** The open block of reasoning. */
  #thinking: { type: unknown; thinking: string; signature: string } | undefined;
  /** The open call of a tool, with arguments that began as a whole; the provider's own calls are not for the client. */
  #openCall: { input: unknown; hasDeltas: boolean } | undefined;

  constructor(call: RelayCall) {
    this.#call = call;
  }

  translateReply(json: JsonRecord): JsonRecord {
    return translateReply(this.#call, this.#created, json);
  }

  translateEvent(event: string): string {
    const data = eventJson(event);
    switch (data.type) {
      case "message_start": {
        const message = record(data.message);
        this.#id = text(message.id);
        this.#usage = parseMessagesUsage(message.usage);
        return this.#chunk({ role: "assistant", content: "" });
      }
      case "content_block_start":
        return this.#blockStarted(record(data.content_block));
      case "content_block_delta":
        return this.#blockDelta(record(data.delta));
      case "content_block_stop":
        return this.#blockStopped();
      case "message_delta": {
        this.#usage = parseMessagesUsage(data.usage, this.#usage?.usage) ?? this.#usage;
        const { stop_reason } = record(data.delta);
        return typeof stop_reason === "string" ? this.#chunk({}, finishReason(stop_reason)) : "";
      }
      default:
        return "";
    }
  }

  finish(): string {
    const usage = this.#call.wantsUsage ? chatUsageFrom(this.#usage) : undefined;
    return (usage ? sse({ ...this.#head(), choices: [], usage }) : "") + doneEvent;
  }

  #blockStarted(block: JsonRecord): string {
    if (block.type === "tool_use") {
      this.#calls += 1;
      this.#openCall = { input: block.input, hasDeltas: false };
      const calledFunction = { name: block.name, arguments: "" };
      return this.#chunk({
        tool_calls: [{ index: this.#calls, id: block.id, type: "function", function: calledFunction }],
      });
    }
    if (block.type === "redacted_thinking") return this.#reasoningBlock(block);
    if (block.type === "thinking") this.#thinking = { type: "thinking", thinking: text(block.thinking), signature: "" };
    return "";
  }

  #blockDelta(delta: JsonRecord): string {
    switch (delta.type) {
      case "text_delta":
        return this.#chunk({ content: text(delta.text) });
      case "thinking_delta":
        if (this.#thinking) this.#thinking.thinking += text(delta.thinking);
        return this.#chunk({ reasoning_content: text(delta.thinking) });
      case "signature_delta":
        if (this.#thinking) this.#thinking.signature += text(delta.signature);
        return "";
      case "input_json_delta":
        return this.#argumentsDelta(text(delta.partial_json));
      default:
        return "";
    }
  }

  #blockStopped(): string {
    const { input, hasDeltas } = this.#openCall ?? { hasDeltas: true };
    // Clients parse the arguments as JSON; a call without any has no delta, and some providers send them at its start.
    const missingArguments = hasDeltas ? "" : this.#argumentsDelta(JSON.stringify(input ?? {}));
    this.#openCall = undefined;
    const block = this.#thinking;
    this.#thinking = undefined;
    return missingArguments + (block && block.signature !== "" ? this.#reasoningBlock(block) : "");
  }

  #argumentsDelta(written: string): string {
    if (!this.#openCall || written === "") return "";
    this.#openCall.hasDeltas = true;
    return this.#chunk({ tool_calls: [{ index: this.#calls, function: { arguments: written } }] });
  }

  /** Libraries merge the lists of a stream by the index of each entry. */
  #reasoningBlock(block: JsonRecord): string {
    const index = this.#reasoningBlocks;
    this.#reasoningBlocks += 1;
    return this.#chunk({ thinking_blocks: [{ index, ...block }] });
  }

  #head(): JsonRecord {
    const { model } = this.#call;
    return { id: `chatcmpl-${this.#id}`, object: "chat.completion.chunk", created: this.#created, model };
  }

  #chunk(delta: JsonRecord, finish_reason: string | null = null): string {
    return sse({ ...this.#head(), choices: [{ index: 0, delta, logprobs: null, finish_reason }] });
  }
}

export const chatToMessages: Translation = {
  target: anthropicMessages.upstream,
  translateRequest,
  createReplyTranslator: (call) => new MessagesAsChat(call),
};
