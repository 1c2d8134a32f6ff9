/** Replies of chat completions as Anthropic's Messages. */

import { computeWrittenTokens } from "../../money/prices/price.ts";
import type { AskedModel } from "../formats/call-parts.ts";
import { parseEventUsage, parseOpenAiUsage } from "../formats/usage/openai-usage.ts";
import type { ReportedUsage } from "../formats/usage/reported-usage.ts";
import { CallIds } from "../value-rules/unique-call-ids.ts";
import { buildEventJson } from "../wire/event-text.ts";
import { type JsonRecord, record, text } from "../wire/json-parts.ts";
import {
  buildFirstChoice,
  ChoiceDeltas,
  findWholeArguments,
  formatReasoningText,
  listToolCalls,
  ownCallId,
  readAnswerText,
  readCalledTool,
  readChoiceEnd,
  refusedEnd,
  writeNamedSse,
} from "./chat-parts.ts";
import { callSignatureBlock, isSigned, stripIndex } from "./encrypted-reasoning.ts";
import { RepeatedDeltas } from "./repeated-deltas.ts";
import { isOpenRouters, listThinkingBlocks } from "./returned-thoughts.ts";
import { SequentialToolCalls, type ToolCallPiece } from "./sequential-tool-calls.ts";
import type { ReplyTranslator } from "./translation.ts";

const stopReasons: Readonly<Record<string, string>> = {
  length: "max_tokens",
  tool_calls: "tool_use",
  function_call: "tool_use",
  content_filter: "refusal",
};
/**
 * `stopReason` looks at the calls too: some servers say that an answer ended as any other although
 * it calls tools, and agents run those only behind `tool_use`. Behind that word without any call
 * they would wait.
 */
function stopReason(ended: string, hasCalls: boolean): string {
  const reason = stopReasons[ended] ?? "end_turn";
  if (reason !== "end_turn" && reason !== "tool_use") return reason;
  return hasCalls ? "tool_use" : "end_turn";
}

function buildMessagesUsage(read: ReportedUsage | undefined): JsonRecord {
  const { input = 0, cache_read = 0, output = 0 } = read?.usage ?? {};
  return {
    input_tokens: input,
    cache_creation_input_tokens: read ? computeWrittenTokens(read.usage) : 0,
    cache_read_input_tokens: cache_read,
    output_tokens: output,
  };
}

function translateReply(call: AskedModel, reply: JsonRecord): JsonRecord {
  const choice = buildFirstChoice(reply);
  const message = record(choice.message);
  const reasoningText = formatReasoningText(message);
  const answerText = readAnswerText(message);
  const signed = listThinkingBlocks(message).filter(isSigned);
  const unsigned =
    reasoningText === "" ? [] : [{ type: "thinking", thinking: reasoningText, signature: "" }];
  const ids = new CallIds();
  const calls = listToolCalls(message);
  const content = [
    // What OpenRouter packs holds no words.
    ...(signed.every(isOpenRouters) ? [...unsigned, ...signed] : signed),
    ...(answerText === "" ? [] : [{ type: "text", text: answerText }]),
    ...(text(message.refusal) === "" ? [] : [{ type: "text", text: text(message.refusal) }]),
    ...calls.flatMap((call, at) => {
      const tool = readCalledTool(call);
      const input = findWholeArguments(tool);
      const signature = callSignatureBlock(call);
      if (!input || tool.name === "") return [];
      const id = ids.take(text(call.id) || ownCallId(reply.id, at));
      return [...(signature ? [signature] : []), { type: "tool_use", id, name: tool.name, input }];
    }),
  ];
  // Calls that were cut off, or have no name, are left out: an answer that ends with them did not
  // end by itself.
  const hasCalls = content.some(({ type }) => type === "tool_use");
  return {
    id: `msg_${text(reply.id)}`,
    type: "message",
    role: "assistant",
    model: call.model,
    content,
    ...stopped(
      hasCalls || calls.length === 0 ? (readChoiceEnd(choice, message) ?? "") : "length",
      hasCalls,
      text(choice.stop_reason),
    ),
    usage: buildMessagesUsage(parseOpenAiUsage(reply.usage)),
  };
}

/** vLLM tells at which of the client's words the model stopped. */
function stopped(reason: string, hasCalls: boolean, sequence: string): JsonRecord {
  if (reason === "stop" && !hasCalls && sequence !== "")
    return { stop_reason: "stop_sequence", stop_sequence: sequence };
  return { stop_reason: stopReason(reason, hasCalls), stop_sequence: null };
}

type MessageBlockKind = "text" | "thinking" | "tool_use";

/**
 * `ChatAsMessages` are one reply. Chat completions mixes text, reasoning and tool calls; in
 * Messages one block ends before the next.
 */
export class ChatAsMessages implements ReplyTranslator {
  readonly #deltas = new ChoiceDeltas();
  readonly #call: AskedModel;
  #hasStarted = false;
  #index = -1;
  /** The open block: its kind, and for a tool call its index in chat completions. */
  #open: { kind: MessageBlockKind; call: number } | undefined;
  readonly #calls = new SequentialToolCalls();
  #ended = "";
  #stopSequence = "";
  #replyId = "";
  #hasCalls = false;
  #usage: ReportedUsage | undefined;
  readonly #repeated = new RepeatedDeltas();
  /** What came between the pieces of a call, and waits until the call is whole. */
  #held: (() => string)[] = [];

  constructor(call: AskedModel) {
    this.#call = call;
  }

  translateReply(json: JsonRecord): JsonRecord {
    return translateReply(this.#call, json);
  }

  translateEvent(event: string): string {
    const deltaText = this.#repeated.in(event);
    if (deltaText !== undefined && this.#held.length === 0) return this.#repeatedDelta(deltaText);
    const data = buildEventJson(event);
    this.#repeated.learn(event, data);
    return this.#translateChunk(data);
  }

  /** Equals `#translateChunk` for text that needs no escape and continues the open block. */
  #repeatedDelta(deltaText: string): string {
    return `event: content_block_delta\ndata: {"type":"content_block_delta","index":${this.#index},"delta":{"type":"text_delta","text":"${deltaText}"}}\n\n`;
  }

  #translateChunk(data: JsonRecord): string {
    if (data.choices === undefined && data.usage === undefined) return "";
    const choice = buildFirstChoice(data);
    const delta = this.#deltas.read(choice);
    this.#usage = parseEventUsage(data) ?? this.#usage;
    const ended = readChoiceEnd(choice, delta);
    if (ended !== undefined && this.#ended !== refusedEnd) this.#ended = ended;
    this.#stopSequence ||= text(choice.stop_reason);
    const reasoningText = formatReasoningText(delta);
    const deltaText = readAnswerText(delta) + text(delta.refusal);
    return [
      this.#start(text(data.id)),
      reasoningText === "" ? "" : this.#say(() => this.#reasoning(reasoningText)),
      ...listThinkingBlocks(delta)
        .filter(isSigned)
        .map((block) => this.#say(() => this.#signedReasoning(block))),
      deltaText === "" ? "" : this.#say(() => this.#text(deltaText)),
      ...listToolCalls(delta).map((part) => this.#toolCalls(this.#calls.push(part))),
      this.#release(),
    ].join("");
  }

  /** What is no call ends the calls before it, as soon as they are whole. */
  #say(write: () => string): string {
    this.#held.push(write);
    return this.#release();
  }

  #release(): string {
    return this.#held.length === 0 || this.#calls.isOpen ? "" : this.#endCalls();
  }

  #endCalls(): string {
    const ended = this.#toolCalls(this.#calls.end());
    const held = this.#held;
    this.#held = [];
    return ended + held.map((write) => write()).join("");
  }

  #reasoning(thinking: string): string {
    return this.#block("thinking", 0) + this.#delta({ type: "thinking_delta", thinking });
  }

  #text(said: string): string {
    return this.#block("text", 0) + this.#delta({ type: "text_delta", text: said });
  }

  finish(): string {
    const begun = this.#start("") + this.#endCalls() + this.#close();
    const isLost = this.#calls.hasNameless && !this.#hasCalls;
    const delta = stopped(isLost ? "length" : this.#ended, this.#hasCalls, this.#stopSequence);
    return [
      begun,
      writeNamedSse({ type: "message_delta", delta, usage: buildMessagesUsage(this.#usage) }),
      writeNamedSse({ type: "message_stop" }),
    ].join("");
  }

  #start(id: string): string {
    if (this.#hasStarted) return "";
    this.#hasStarted = true;
    this.#replyId = id;
    const message = {
      id: `msg_${id}`,
      type: "message",
      role: "assistant",
      model: this.#call.model,
      content: [],
      stop_reason: null,
      stop_sequence: null,
      usage: buildMessagesUsage(undefined),
    };
    return writeNamedSse({ type: "message_start", message });
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
        writeNamedSse({ type: "content_block_start", index, content_block: stripIndex(block) }) +
        writeNamedSse({ type: "content_block_stop", index })
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
        const block =
          signed +
          this.#block("tool_use", callIndex, {
            id: id || ownCallId(this.#replyId, callIndex),
            name,
            input: {},
          });
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
      writeNamedSse({
        type: "content_block_start",
        index: this.#index,
        content_block: { type: kind, ...more },
      })
    );
  }

  #delta(delta: JsonRecord): string {
    return writeNamedSse({ type: "content_block_delta", index: this.#index, delta });
  }

  #close(): string {
    if (!this.#open) return "";
    this.#open = undefined;
    return writeNamedSse({ type: "content_block_stop", index: this.#index });
  }
}
