/** Callers of chat completions, served by a channel that speaks Anthropic's Messages. */

import { anthropicMessages, parseMessagesUsage } from "../formats/anthropic-messages.ts";
import type { RelayCall } from "../formats/api-format.ts";
import { doneEvent } from "../formats/openai-errors.ts";
import type { ReportedUsage } from "../formats/reported-usage.ts";
import { eventJson } from "../wire/event-text.ts";
import type { JsonRecord } from "../wire/json-parts.ts";
import { parsedObject, present, record, records, text } from "../wire/json-parts.ts";
import { chatUsageFrom, dataUrl, sse } from "./chat-parts.ts";
import { isResponsesReasoning } from "./encrypted-reasoning.ts";
import { droppedFieldsOf } from "./supported-fields.ts";
import { supportedByMessages } from "./supported-from-chat.ts";
import type { ReplyTranslator, Translation } from "./translation.ts";

/** Anthropic wants a limit; this is one where the caller gives none. */
const defaultMaxTokens = 8_192;
/** Thinking tokens for an effort; the answer itself comes on top of them. */
const thinkingBudgets: Readonly<Record<string, number>> = { minimal: 1_024, low: 1_024, medium: 4_096, high: 16_384 };
const maxTemperature = 1;

function body(json: JsonRecord): JsonRecord {
  const messages = records(json.messages);
  const isSystem = ({ role }: JsonRecord) => role === "system" || role === "developer";
  const system = messages.filter(isSystem).flatMap(({ content }) => contentBlocks(content));
  const budget = lacksReasoning(messages) ? undefined : thinkingBudgets[text(json.reasoning_effort)];
  const thinking = json.thinking ?? (budget === undefined ? undefined : { type: "enabled", budget_tokens: budget });
  const limit = Number(json.max_completion_tokens ?? json.max_tokens ?? defaultMaxTokens);
  const schema = record(record(json.response_format).json_schema).schema;
  return present({
    model: json.model,
    max_tokens: json.thinking === undefined && budget !== undefined ? Math.max(limit, 1) + budget : Math.max(limit, 1),
    messages: conversation(messages.filter((message) => !isSystem(message))),
    system: system.length > 0 ? system : undefined,
    stream: json.stream,
    // While it thinks, the provider takes no other temperature than its own.
    temperature:
      thinking === undefined && typeof json.temperature === "number"
        ? Math.min(json.temperature, maxTemperature)
        : undefined,
    top_p: thinking === undefined ? json.top_p : undefined,
    top_k: json.top_k,
    stop_sequences: typeof json.stop === "string" ? [json.stop] : json.stop,
    tools: Array.isArray(json.tools) ? records(json.tools).flatMap(tool) : undefined,
    tool_choice: toolChoice(json),
    thinking,
    output_config: schema === undefined ? undefined : { format: { type: "json_schema", schema } },
    metadata: typeof json.user === "string" ? { user_id: json.user } : undefined,
  });
}

/** A model that thinks wants back, with its calls of tools, what it thought before them; many callers keep no thoughts. */
function lacksReasoning(messages: readonly JsonRecord[]): boolean {
  const last = messages.findLast(({ role }) => role === "assistant");
  return records(last?.tool_calls).length > 0 && reasoningBlocksOf(last ?? {}).length === 0;
}

/** Those that another provider sealed are refused there. */
const reasoningBlocksOf = (message: JsonRecord): JsonRecord[] =>
  records(message.thinking_blocks).filter((block) => !isResponsesReasoning(block));

/** Neighbours of one role become one message: the roles must alternate, and tool results are said by the user. */
function conversation(messages: readonly JsonRecord[]): JsonRecord[] {
  const turns: { role: string; content: JsonRecord[] }[] = [];
  for (const message of messages) {
    const role = message.role === "assistant" ? "assistant" : "user";
    const content = blocksOf(message);
    const last = turns.at(-1);
    if (last?.role === role) last.content.push(...content);
    else if (content.length > 0) turns.push({ role, content });
  }
  return turns;
}

function blocksOf(message: JsonRecord): JsonRecord[] {
  if (message.role === "tool") {
    const content = contentBlocks(message.content);
    return [{ type: "tool_result", tool_use_id: message.tool_call_id, content }];
  }
  if (message.role !== "assistant") return contentBlocks(message.content);
  const calls = records(message.tool_calls).map(({ id, function: calledFunction }) => ({
    type: "tool_use",
    id,
    name: record(calledFunction).name,
    input: parsedObject(text(record(calledFunction).arguments)),
  }));
  return [...reasoningBlocksOf(message), ...contentBlocks(message.content), ...calls];
}

function contentBlocks(content: unknown): JsonRecord[] {
  if (typeof content === "string") return content === "" ? [] : [{ type: "text", text: content }];
  return records(content).flatMap((part) => {
    const block = contentBlock(part);
    // A mark for the prompt cache means the same in both interfaces.
    return block ? [present({ ...block, cache_control: part.cache_control })] : [];
  });
}

function contentBlock(part: JsonRecord): JsonRecord | undefined {
  if (part.type === "text" && text(part.text) !== "") return { type: "text", text: part.text };
  if (part.type === "refusal") return { type: "text", text: text(part.refusal) };
  if (part.type === "image_url") return { type: "image", source: sourceOf(text(record(part.image_url).url)) };
  if (part.type === "file") {
    const { file_data, filename } = record(part.file);
    return present({ type: "document", source: sourceOf(text(file_data)), title: filename });
  }
  return undefined;
}

function sourceOf(url: string): JsonRecord {
  const inline = dataUrl(url);
  return inline ? { type: "base64", media_type: inline.mediaType, data: inline.data } : { type: "url", url };
}

function tool({ type, function: definition }: JsonRecord): JsonRecord[] {
  if (type !== "function") return [];
  const { name, description, parameters, cache_control } = record(definition);
  return [
    present({ name, description, input_schema: parameters ?? { type: "object", properties: {} }, cache_control }),
  ];
}

function toolChoice({ tool_choice: choice, parallel_tool_calls, tools }: JsonRecord): JsonRecord | undefined {
  if (!Array.isArray(tools) || tools.length === 0) return undefined;
  const parallelOption = parallel_tool_calls === false ? { disable_parallel_tool_use: true } : {};
  if (choice === "none") return { type: "none" };
  if (choice === "required") return { type: "any", ...parallelOption };
  const name = record(record(choice).function).name;
  if (name !== undefined) return { type: "tool", name, ...parallelOption };
  return parallel_tool_calls === false ? { type: "auto", ...parallelOption } : undefined;
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
    // With their signatures: whoever sends them back keeps the model's train of thought.
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

/** One stream, event by event. */
class MessagesAsChat implements ReplyTranslator {
  readonly #call: RelayCall;
  readonly #created = Math.floor(Date.now() / 1000);
  #id = "";
  #usage: ReportedUsage | undefined;
  #calls = -1;
  /** The block of thoughts that is being said. */
  #thinking: { type: unknown; thinking: string; signature: string } | undefined;

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
      const calledFunction = { name: block.name, arguments: "" };
      return this.#chunk({
        tool_calls: [{ index: this.#calls, id: block.id, type: "function", function: calledFunction }],
      });
    }
    if (block.type === "redacted_thinking") return this.#chunk({ thinking_blocks: [block] });
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
        return this.#chunk({ tool_calls: [{ index: this.#calls, function: { arguments: text(delta.partial_json) } }] });
      default:
        return "";
    }
  }

  #blockStopped(): string {
    const block = this.#thinking;
    this.#thinking = undefined;
    return block && block.signature !== "" ? this.#chunk({ thinking_blocks: [block] }) : "";
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
  translateRequest: body,
  createReplyTranslator: (call) => new MessagesAsChat(call),
  droppedFields: (json) => {
    const efforts = lacksReasoning(records(json.messages)) ? [] : Object.keys(thinkingBudgets);
    return droppedFieldsOf(json, supportedByMessages(json, efforts));
  },
};
