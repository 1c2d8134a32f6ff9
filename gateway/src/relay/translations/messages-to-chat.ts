/** Callers of Anthropic's Messages, such as coding agents, served by a channel that speaks chat completions. */

import type { RelayCall } from "../formats/api-format.ts";
import { chatCompletions } from "../formats/chat-completions.ts";
import { parseOpenAiUsage } from "../formats/openai-usage.ts";
import type { ReportedUsage } from "../formats/reported-usage.ts";
import { eventJson } from "../wire/event-text.ts";
import type { JsonRecord } from "../wire/json-parts.ts";
import { parsedObject, present, record, records, text } from "../wire/json-parts.ts";
import {
  acceptsReasoningEffort,
  chatContent,
  isReasoningModel,
  namedSse,
  reasoningTextIn,
  tokenLimitField,
} from "./chat-parts.ts";
import { RepeatedDeltas } from "./repeated-deltas.ts";
import { SequentialToolCalls, type ToolCallPiece } from "./sequential-tool-calls.ts";
import { droppedFieldsOf } from "./supported-fields.ts";
import { messagesFieldsSupportedByChat, messagesSourceFields } from "./supported-from-messages.ts";
import type { ReplyTranslator, Translation } from "./translation.ts";

const mediumFrom = 2_048;
const highFrom = 8_192;

function body(json: JsonRecord, model: string, keepsReasoning: boolean): JsonRecord {
  const isReasoning = isReasoningModel(model);
  const system = blocksText(json.system);
  const format = record(record(json.output_config).format ?? json.output_format);
  const tools = records(json.tools).flatMap(tool);
  return present({
    model: json.model,
    messages: [
      ...(system === "" ? [] : [{ role: "system", content: system }]),
      ...records(json.messages).flatMap((message) => translateMessage(message, keepsReasoning)),
    ],
    [tokenLimitField(model)]: json.max_tokens,
    stream: json.stream,
    stream_options: json.stream === true ? { include_usage: true } : undefined,
    temperature: isReasoning ? undefined : json.temperature,
    top_p: isReasoning ? undefined : json.top_p,
    stop: json.stop_sequences,
    tools: tools.length > 0 ? tools : undefined,
    tool_choice: tools.length > 0 ? toolChoice(record(json.tool_choice)) : undefined,
    parallel_tool_calls: record(json.tool_choice).disable_parallel_tool_use === true ? false : undefined,
    reasoning_effort: acceptsReasoningEffort(model) ? effortOf(record(json.thinking)) : undefined,
    response_format:
      format.type === "json_schema"
        ? { type: "json_schema", json_schema: { name: "answer", schema: format.schema, strict: true } }
        : undefined,
    user: record(json.metadata).user_id,
  });
}

/** One message may hold results of tools besides words: each of them is a message of its own over there. */
function translateMessage({ role, content }: JsonRecord, keepsReasoning: boolean): JsonRecord[] {
  if (typeof content === "string") return [{ role, content }];
  const blocks = records(content);
  if (role === "assistant") {
    const calls = blocks.filter(({ type }) => type === "tool_use").map(toolCall);
    const said = blocksText(blocks);
    if (said === "" && calls.length === 0) return [];
    const reasoningBlocks = keepsReasoning ? blocks.filter(isSigned) : [];
    return [
      present({
        role,
        content: said === "" ? undefined : said,
        thinking_blocks: reasoningBlocks.length > 0 ? reasoningBlocks : undefined,
        tool_calls: calls.length > 0 ? calls : undefined,
      }),
    ];
  }
  const results = blocks.filter(({ type }) => type === "tool_result");
  const parts = blocks.flatMap(part);
  // What a tool shows cannot stand in its result over there: the user shows it right after.
  const toolImages = results.flatMap((result) =>
    records(result.content)
      .filter(({ type }) => type === "image")
      .flatMap(part),
  );
  const userContent = [...toolImages, ...parts];
  return [
    ...results.map((result) => ({
      role: "tool",
      tool_call_id: result.tool_use_id,
      content: blocksText(result.content),
    })),
    ...(userContent.length === 0 ? [] : [{ role: "user", content: chatContent(userContent) }]),
  ];
}

const isText = ({ type }: JsonRecord): boolean => type === "text";

function blocksText(content: unknown): string {
  if (typeof content === "string") return content;
  return records(content)
    .filter(isText)
    .map((block) => text(block.text))
    .join("\n\n");
}

function part(block: JsonRecord): JsonRecord[] {
  if (isText(block)) return [{ type: "text", text: text(block.text) }];
  const { type, media_type, data, url } = record(block.source);
  const address = type === "base64" ? `data:${text(media_type)};base64,${text(data)}` : text(url);
  if (block.type === "image") return [{ type: "image_url", image_url: { url: address } }];
  if (block.type !== "document") return [];
  if (type === "text") return [{ type: "text", text: text(data) }];
  return [{ type: "file", file: { filename: text(block.title) || "document.pdf", file_data: address } }];
}

function toolCall({ id, name, input }: JsonRecord): JsonRecord {
  return { id, type: "function", function: { name, arguments: JSON.stringify(input ?? {}) } };
}

/** Tools that the provider runs itself have no `input_schema`, and nobody over there who could run them. */
function tool({ name, description, input_schema }: JsonRecord): JsonRecord[] {
  if (input_schema === undefined) return [];
  return [{ type: "function", function: present({ name, description, parameters: input_schema }) }];
}

function toolChoice({ type, name }: JsonRecord): unknown {
  if (type === "tool") return { type: "function", function: { name } };
  return type === "any" ? "required" : type === "none" ? "none" : undefined;
}

function effortOf({ type, budget_tokens }: JsonRecord): string | undefined {
  if (type === "adaptive") return "medium";
  if (type !== "enabled") return undefined;
  const budget = Number(budget_tokens);
  return budget >= highFrom ? "high" : budget >= mediumFrom ? "medium" : "low";
}

/** Without its signature a thought would not be taken back. */
const isSigned = ({ type, signature, data }: JsonRecord): boolean =>
  (type === "thinking" && text(signature) !== "") || (type === "redacted_thinking" && text(data) !== "");

const stopReasons: Readonly<Record<string, string>> = {
  length: "max_tokens",
  tool_calls: "tool_use",
  function_call: "tool_use",
  content_filter: "refusal",
};
const stopReason = (finishReason: unknown): string => stopReasons[text(finishReason)] ?? "end_turn";

function messagesUsageFrom(read: ReportedUsage | undefined): JsonRecord {
  const { input = 0, cache_read = 0, output = 0 } = read?.usage ?? {};
  return {
    input_tokens: input,
    cache_creation_input_tokens: 0,
    cache_read_input_tokens: cache_read,
    output_tokens: output,
  };
}

function translateReply(call: RelayCall, reply: JsonRecord): JsonRecord {
  const [choice = {}] = records(reply.choices);
  const message = record(choice.message);
  const reasoningText = reasoningTextIn(message);
  const signed = records(message.thinking_blocks).filter(isSigned);
  const unsigned = reasoningText === "" ? [] : [{ type: "thinking", thinking: reasoningText, signature: "" }];
  const content = [
    ...(signed.length > 0 ? signed : unsigned),
    ...(text(message.content) === "" ? [] : [{ type: "text", text: text(message.content) }]),
    ...(text(message.refusal) === "" ? [] : [{ type: "text", text: text(message.refusal) }]),
    ...records(message.tool_calls).map(({ id, function: calledFunction }) => ({
      type: "tool_use",
      id,
      name: record(calledFunction).name,
      input: parsedObject(text(record(calledFunction).arguments)),
    })),
  ];
  return {
    id: `msg_${text(reply.id)}`,
    type: "message",
    role: "assistant",
    model: call.model,
    content,
    stop_reason: stopReason(choice.finish_reason),
    stop_sequence: null,
    usage: messagesUsageFrom(parseOpenAiUsage(reply.usage)),
  };
}

type MessageBlockKind = "text" | "thinking" | "tool_use";

/** One stream. Over there text, thoughts and tool calls mix freely; here one block ends before the next begins. */
class ChatAsMessages implements ReplyTranslator {
  readonly #call: RelayCall;
  #hasStarted = false;
  #index = -1;
  /** The open block: its kind, and for a tool call which one it is over there. */
  #open: { kind: MessageBlockKind; call: number } | undefined;
  readonly #calls = new SequentialToolCalls();
  #stopReason = "end_turn";
  #usage: ReportedUsage | undefined;
  readonly #repeated = new RepeatedDeltas();

  constructor(call: RelayCall) {
    this.#call = call;
  }

  translateReply(json: JsonRecord): JsonRecord {
    return translateReply(this.#call, json);
  }

  translateEvent(event: string): string {
    const deltaText = this.#repeated.in(event);
    if (deltaText !== undefined) return this.#repeatedDelta(deltaText);
    const data = eventJson(event);
    this.#repeated.learn(event, data);
    return this.#translateChunk(data);
  }

  /** What `#said` makes of words that need no escape, behind others of the same block. */
  #repeatedDelta(deltaText: string): string {
    return `event: content_block_delta\ndata: {"type":"content_block_delta","index":${this.#index},"delta":{"type":"text_delta","text":"${deltaText}"}}\n\n`;
  }

  #translateChunk(data: JsonRecord): string {
    if (data.choices === undefined && data.usage === undefined) return "";
    const [choice = {}] = records(data.choices);
    const delta = record(choice.delta);
    this.#usage = parseOpenAiUsage(data.usage) ?? this.#usage;
    if (typeof choice.finish_reason === "string") this.#stopReason = stopReason(choice.finish_reason);
    const reasoningText = reasoningTextIn(delta);
    const deltaText = text(delta.content) || text(delta.refusal);
    return [
      this.#start(text(data.id)),
      reasoningText === "" && deltaText === "" ? "" : this.#toolCalls(this.#calls.end()),
      ...(reasoningText === ""
        ? []
        : [this.#block("thinking", 0), this.#delta({ type: "thinking_delta", thinking: reasoningText })]),
      ...records(delta.thinking_blocks).map((block) => this.#signedReasoning(block)),
      ...(deltaText === "" ? [] : [this.#block("text", 0), this.#delta({ type: "text_delta", text: deltaText })]),
      ...records(delta.tool_calls).map((part) => this.#toolCalls(this.#calls.push(part))),
    ].join("");
  }

  finish(): string {
    const delta = { stop_reason: this.#stopReason, stop_sequence: null };
    return [
      this.#start(""),
      this.#toolCalls(this.#calls.end()),
      this.#close(),
      namedSse({ type: "message_delta", delta, usage: messagesUsageFrom(this.#usage) }),
      namedSse({ type: "message_stop" }),
    ].join("");
  }

  #start(id: string): string {
    if (this.#hasStarted) return "";
    this.#hasStarted = true;
    const message = {
      id: `msg_${id}`,
      type: "message",
      role: "assistant",
      model: this.#call.model,
      content: [],
      stop_reason: null,
      stop_sequence: null,
      usage: messagesUsageFrom(undefined),
    };
    return namedSse({ type: "message_start", message });
  }

  /** A block of thoughts is told whole, behind its words. */
  #signedReasoning(block: JsonRecord): string {
    if (!isSigned(block)) return "";
    if (block.type === "redacted_thinking") {
      const closeEvents = this.#close();
      this.#index += 1;
      const index = this.#index;
      return (
        closeEvents +
        namedSse({ type: "content_block_start", index, content_block: block }) +
        namedSse({ type: "content_block_stop", index })
      );
    }
    const isReasoningDelivered = this.#open?.kind === "thinking" || text(block.thinking) === "";
    return [
      this.#block("thinking", 0),
      isReasoningDelivered ? "" : this.#delta({ type: "thinking_delta", thinking: block.thinking }),
      this.#delta({ type: "signature_delta", signature: block.signature }),
      this.#close(),
    ].join("");
  }

  #toolCalls(pieces: readonly ToolCallPiece[]): string {
    return pieces
      .map(({ callIndex, id, name, argumentsText }) => {
        const block = this.#block("tool_use", callIndex, { id, name, input: {} });
        return argumentsText === ""
          ? block
          : block + this.#delta({ type: "input_json_delta", partial_json: argumentsText });
      })
      .join("");
  }

  #block(
    kind: MessageBlockKind,
    call: number,
    more: JsonRecord = kind === "text" ? { text: "" } : { thinking: "", signature: "" },
  ): string {
    if (this.#open?.kind === kind && this.#open.call === call) return "";
    const closeEvents = this.#close();
    this.#index += 1;
    this.#open = { kind, call };
    return (
      closeEvents +
      namedSse({ type: "content_block_start", index: this.#index, content_block: { type: kind, ...more } })
    );
  }

  #delta(delta: JsonRecord): string {
    return namedSse({ type: "content_block_delta", index: this.#index, delta });
  }

  #close(): string {
    if (!this.#open) return "";
    this.#open = undefined;
    return namedSse({ type: "content_block_stop", index: this.#index });
  }
}

const translation = (keepsReasoning: boolean): Translation => ({
  target: chatCompletions.upstream,
  translateRequest: (json, model) => body(json, model, keepsReasoning),
  createReplyTranslator: (call) => new ChatAsMessages(call),
  droppedFields: (json, model) => droppedFieldsOf(json, messagesFieldsSupportedByChat(json, model, keepsReasoning)),
  sourceFields: messagesSourceFields,
});

/** Thoughts stay behind: providers refuse what their interface has no word for. */
export const messagesToChat = translation(false);
/** On the way to somebody who may take them. */
export const messagesThroughChat = translation(true);
