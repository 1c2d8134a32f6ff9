/** Anthropic's Messages, which coding agents speak, over chat completions. */

import type { RelayCall } from "../formats/api-format.ts";
import { chatCompletions } from "../formats/chat-completions.ts";
import { parseOpenAiUsage } from "../formats/openai-usage.ts";
import type { ReportedUsage } from "../formats/reported-usage.ts";
import { eventJson } from "../wire/event-text.ts";
import { type JsonRecord, parsedObject, present, record, records, text } from "../wire/json-parts.ts";
import {
  acceptsReasoningEffort,
  chatContent,
  isReasoningModel,
  namedSse,
  reasoningTextIn,
  tokenLimitField,
} from "./chat-parts.ts";
import { readContent } from "./chat-request.ts";
import { RepeatedDeltas } from "./repeated-deltas.ts";
import type { RequestReader } from "./request-reader.ts";
import { SequentialToolCalls, type ToolCallPiece } from "./sequential-tool-calls.ts";
import type { ReplyTranslator, Translation } from "./translation.ts";

const mediumFrom = 2_048;
const highFrom = 8_192;

function translateRequest(request: RequestReader, model: string, keepsReasoning: boolean): JsonRecord {
  const isReasoning = isReasoningModel(model);
  const system = readSystem(request);
  const tools = request.objects("tools").flatMap(tool);
  const choice = request.object("tool_choice").read("type", "name", "disable_parallel_tool_use");
  const format = readFormat(request);
  const { stream, max_tokens, stop_sequences } = request.read("model", "stream", "max_tokens", "stop_sequences");
  const { temperature, top_p } = isReasoning ? {} : request.read("temperature", "top_p");
  return present({
    model: request.json.model,
    messages: [
      ...(system === "" ? [] : [{ role: "system", content: system }]),
      ...request.objects("messages").flatMap((message) => translateMessage(message, keepsReasoning)),
    ],
    [tokenLimitField(model)]: max_tokens,
    stream,
    stream_options: stream === true ? { include_usage: true } : undefined,
    temperature,
    top_p,
    stop: stop_sequences,
    tools: tools.length > 0 ? tools : undefined,
    tool_choice: tools.length > 0 ? toolChoice(choice) : undefined,
    parallel_tool_calls: choice.disable_parallel_tool_use === true ? false : undefined,
    reasoning_effort: readEffort(request, model),
    response_format: format,
    user: request.object("metadata").get("user_id"),
  });
}

function readSystem(request: RequestReader): string {
  const system = readContent(request, "system");
  return typeof system === "string" ? system : system.flatMap(readTextBlock).join("\n\n");
}

/** The text of a block; blocks of other types are left out. */
function readTextBlock(block: RequestReader): string[] {
  if (block.get("type") === "text") return [text(block.get("text"))];
  block.drop();
  return [];
}

function translateMessage(message: RequestReader, keepsReasoning: boolean): JsonRecord[] {
  const role = message.get("role");
  const content = readContent(message);
  if (typeof content === "string") return [{ role, content }];
  return role === "assistant" ? assistantMessage(content, keepsReasoning) : userMessages(content);
}

function assistantMessage(blocks: readonly RequestReader[], keepsReasoning: boolean): JsonRecord[] {
  const texts: string[] = [];
  const calls: JsonRecord[] = [];
  const reasoningBlocks: JsonRecord[] = [];
  for (const block of blocks) {
    if (block.json.type === "tool_use") calls.push(toolCall(block));
    else if (keepsReasoning && isSigned(block.json)) reasoningBlocks.push(block.readAll());
    else texts.push(...readTextBlock(block));
  }
  const content = texts.join("\n\n");
  if (content === "" && calls.length === 0) return [];
  return [
    present({
      role: "assistant",
      content: content === "" ? undefined : content,
      thinking_blocks: reasoningBlocks.length > 0 ? reasoningBlocks : undefined,
      tool_calls: calls.length > 0 ? calls : undefined,
    }),
  ];
}

/**
 * A message may hold tool results beside its content: each of them becomes a message. Chat completions has no images in
 * results, so the user sends them right after.
 */
function userMessages(blocks: readonly RequestReader[]): JsonRecord[] {
  const results: JsonRecord[] = [];
  const toolImages: JsonRecord[] = [];
  const parts: JsonRecord[] = [];
  for (const block of blocks) {
    if (block.json.type === "tool_result") results.push(toolResult(block, toolImages));
    else parts.push(...contentPart(block));
  }
  const content = [...toolImages, ...parts];
  return [...results, ...(content.length === 0 ? [] : [{ role: "user", content: chatContent(content) }])];
}

function toolResult(block: RequestReader, images: JsonRecord[]): JsonRecord {
  const { tool_use_id } = block.read("type", "tool_use_id");
  block.allow("is_error", false);
  const content = readContent(block);
  const texts = typeof content === "string" ? [content] : [];
  for (const item of typeof content === "string" ? [] : content) {
    if (item.json.type === "image") images.push(...contentPart(item));
    else texts.push(...readTextBlock(item));
  }
  return { role: "tool", tool_call_id: tool_use_id, content: texts.join("\n\n") };
}

function contentPart(block: RequestReader): JsonRecord[] {
  const type = block.get("type");
  if (type === "image") return [{ type: "image_url", image_url: { url: readSource(block, "base64", "url").address } }];
  if (type !== "document") return readTextBlock(block).map((content) => ({ type: "text", text: content }));
  const title = block.get("title");
  const { address, content } = readSource(block, "base64", "url", "text");
  if (content !== undefined) return [{ type: "text", text: content }];
  return [{ type: "file", file: { filename: text(title) || "document.pdf", file_data: address } }];
}

/** The address of an image or a document, or its text. */
function readSource(block: RequestReader, ...types: string[]): { address: string; content?: string } {
  const source = block.object("source");
  const type = text(source.get("type"));
  if (!types.includes(type)) source.drop();
  if (type === "url") return { address: text(source.get("url")) };
  const { media_type, data } = source.read("media_type", "data");
  if (type === "base64") return { address: `data:${text(media_type)};base64,${text(data)}` };
  return type === "text" && types.includes(type) ? { address: "", content: text(data) } : { address: "" };
}

function toolCall(block: RequestReader): JsonRecord {
  const { id, name, input } = block.read("type", "id", "name", "input");
  return { id, type: "function", function: { name, arguments: JSON.stringify(input ?? {}) } };
}

/** Tools that Anthropic runs itself have no `input_schema`; no other provider could run them. */
function tool(definition: RequestReader): JsonRecord[] {
  if (definition.json.input_schema === undefined) {
    definition.drop();
    return [];
  }
  const { name, description, input_schema } = definition.read("type", "name", "description", "input_schema");
  return [{ type: "function", function: present({ name, description, parameters: input_schema }) }];
}

function toolChoice({ type, name }: JsonRecord): unknown {
  if (type === "tool") return { type: "function", function: { name } };
  return type === "any" ? "required" : type === "none" ? "none" : undefined;
}

/** `output_format` is the older name of `output_config.format`. */
function readFormat(request: RequestReader): JsonRecord | undefined {
  const config = request.object("output_config");
  const isOld = config.json.format === undefined || config.json.format === null;
  const format = isOld ? request.object("output_format") : config.object("format");
  if (format.get("type") !== "json_schema") {
    format.drop();
    return undefined;
  }
  return { type: "json_schema", json_schema: { name: "answer", schema: format.get("schema"), strict: true } };
}

function readEffort(request: RequestReader, model: string): string | undefined {
  if (record(request.json.thinking).type === "disabled") request.read("thinking");
  return acceptsReasoningEffort(model) ? effortOf(request.object("thinking").read("type", "budget_tokens")) : undefined;
}

function effortOf({ type, budget_tokens }: JsonRecord): string | undefined {
  if (type === "adaptive") return "medium";
  if (type !== "enabled") return undefined;
  const budget = Number(budget_tokens);
  return budget >= highFrom ? "high" : budget >= mediumFrom ? "medium" : "low";
}

/** The provider does not accept reasoning back without its signature. */
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

/** One reply. Chat completions mixes text, reasoning and tool calls; in Messages one block ends before the next. */
class ChatAsMessages implements ReplyTranslator {
  readonly #call: RelayCall;
  #hasStarted = false;
  #index = -1;
  /** The open block: its kind, and for a tool call its index in chat completions. */
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

  /** Equals `#translateChunk` for text that needs no escape and continues the open block. */
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

  /** A signed block arrives whole, after its text. */
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

/** Names of fields of the translated request, as the client sent them. */
const sourceFields: Translation["sourceFields"] = {
  max_completion_tokens: "max_tokens",
  stop: "stop_sequences",
  stream_options: null,
  "messages.content.image_url": "messages.content.image",
  "messages.content.file": "messages.content.document",
  "messages.content.file.filename": "messages.content.title",
  "messages.tool_calls": "messages.content.tool_use",
  "messages.thinking_blocks": "messages.content.thinking",
  reasoning_effort: "thinking",
  response_format: "output_config.format",
  "response_format.json_schema.name": null,
  "response_format.json_schema.strict": null,
  parallel_tool_calls: "tool_choice.disable_parallel_tool_use",
  user: "metadata.user_id",
};

const translation = (keepsReasoning: boolean): Translation => ({
  target: chatCompletions.upstream,
  translateRequest: (request, model) => translateRequest(request, model, keepsReasoning),
  createReplyTranslator: (call) => new ChatAsMessages(call),
  sourceFields,
});

/** For providers of chat completions, which refuse reasoning in messages: their API has no field for it. */
export const messagesToChat = translation(false);
/** For a second translation, whose provider may accept reasoning. */
export const messagesThroughChat = translation(true);
