/** Replies of chat completions as Anthropic's Messages. */

import { writtenTokens } from "../../money/price.ts";
import type { RelayCall } from "../formats/api-format.ts";
import { endReasonIn } from "../formats/chat-end-reasons.ts";
import { parseOpenAiUsage } from "../formats/openai-usage.ts";
import type { ReportedUsage } from "../formats/reported-usage.ts";
import { eventJson } from "../wire/event-text.ts";
import { type JsonRecord, record, text } from "../wire/json-parts.ts";
import {
  answerTextIn,
  calledTool,
  firstChoiceIn,
  namedSse,
  reasoningTextIn,
  toolCallsIn,
  wholeArguments,
} from "./chat-parts.ts";
import { callSignatureBlock, isSigned, withoutIndex } from "./encrypted-reasoning.ts";
import { RepeatedDeltas } from "./repeated-deltas.ts";
import { isOpenRouters, thinkingBlocksIn } from "./returned-thoughts.ts";
import { SequentialToolCalls, type ToolCallPiece } from "./sequential-tool-calls.ts";
import type { ReplyTranslator } from "./translation.ts";

const stopReasons: Readonly<Record<string, string>> = {
  length: "max_tokens",
  tool_calls: "tool_use",
  function_call: "tool_use",
  content_filter: "refusal",
};
/** Some servers say that an answer ended as any other although it calls tools; agents run those only behind `tool_use`. */
function stopReason(ended: string, hasCalls: boolean): string {
  const reason = stopReasons[ended] ?? "end_turn";
  return reason === "end_turn" && hasCalls ? "tool_use" : reason;
}

function messagesUsageFrom(read: ReportedUsage | undefined): JsonRecord {
  const { input = 0, cache_read = 0, output = 0 } = read?.usage ?? {};
  return {
    input_tokens: input,
    cache_creation_input_tokens: read ? writtenTokens(read.usage) : 0,
    cache_read_input_tokens: cache_read,
    output_tokens: output,
  };
}

function translateReply(call: RelayCall, reply: JsonRecord): JsonRecord {
  const choice = firstChoiceIn(reply);
  const message = record(choice.message);
  const reasoningText = reasoningTextIn(message);
  const answerText = answerTextIn(message);
  const signed = thinkingBlocksIn(message).filter(isSigned);
  const unsigned = reasoningText === "" ? [] : [{ type: "thinking", thinking: reasoningText, signature: "" }];
  const content = [
    // What OpenRouter packs holds no words.
    ...(signed.every(isOpenRouters) ? [...unsigned, ...signed] : signed),
    ...(answerText === "" ? [] : [{ type: "text", text: answerText }]),
    ...(text(message.refusal) === "" ? [] : [{ type: "text", text: text(message.refusal) }]),
    ...toolCallsIn(message).flatMap((call) => {
      const tool = calledTool(call);
      const input = wholeArguments(tool);
      const signature = callSignatureBlock(call);
      if (!input) return [];
      return [...(signature ? [signature] : []), { type: "tool_use", id: call.id, name: tool.name, input }];
    }),
  ];
  return {
    id: `msg_${text(reply.id)}`,
    type: "message",
    role: "assistant",
    model: call.model,
    content,
    stop_reason: stopReason(
      endReasonIn(choice) ?? "",
      content.some(({ type }) => type === "tool_use"),
    ),
    stop_sequence: null,
    usage: messagesUsageFrom(parseOpenAiUsage(reply.usage)),
  };
}

type MessageBlockKind = "text" | "thinking" | "tool_use";

/** One reply. Chat completions mixes text, reasoning and tool calls; in Messages one block ends before the next. */
export class ChatAsMessages implements ReplyTranslator {
  readonly #call: RelayCall;
  #hasStarted = false;
  #index = -1;
  /** The open block: its kind, and for a tool call its index in chat completions. */
  #open: { kind: MessageBlockKind; call: number } | undefined;
  readonly #calls = new SequentialToolCalls();
  #ended = "";
  #hasCalls = false;
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
    const choice = firstChoiceIn(data);
    const delta = record(choice.delta);
    this.#usage = parseOpenAiUsage(data.usage) ?? this.#usage;
    const ended = endReasonIn(choice);
    if (ended !== undefined) this.#ended = ended;
    const reasoningText = reasoningTextIn(delta);
    const deltaText = answerTextIn(delta) + text(delta.refusal);
    return [
      this.#start(text(data.id)),
      reasoningText === "" && deltaText === "" ? "" : this.#toolCalls(this.#calls.end()),
      ...(reasoningText === ""
        ? []
        : [this.#block("thinking", 0), this.#delta({ type: "thinking_delta", thinking: reasoningText })]),
      ...thinkingBlocksIn(delta).map((block) => this.#signedReasoning(block)),
      ...(deltaText === "" ? [] : [this.#block("text", 0), this.#delta({ type: "text_delta", text: deltaText })]),
      ...toolCallsIn(delta).map((part) => this.#toolCalls(this.#calls.push(part))),
    ].join("");
  }

  finish(): string {
    const begun = this.#start("") + this.#toolCalls(this.#calls.end()) + this.#close();
    const delta = { stop_reason: stopReason(this.#ended, this.#hasCalls), stop_sequence: null };
    return [
      begun,
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
        namedSse({ type: "content_block_start", index, content_block: withoutIndex(block) }) +
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
      .map(({ callIndex, id, name, argumentsText, signature }) => {
        this.#hasCalls = true;
        const signed = signature ? this.#signedReasoning(signature) : "";
        const block = signed + this.#block("tool_use", callIndex, { id, name, input: {} });
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
