/** Replies of Bedrock's Converse as chat completions. */

import { randomUUID } from "node:crypto";
import type { AskedModel, AskedReply } from "../formats/call-parts.ts";
import { doneEvent } from "../formats/openai-errors.ts";
import { parseConverseUsage } from "../formats/usage/converse-usage.ts";
import type { ReportedUsage } from "../formats/usage/reported-usage.ts";
import { CallIds } from "../value-rules/unique-call-ids.ts";
import { buildEventJson } from "../wire/event-text.ts";
import { type JsonRecord, present, record, records, text } from "../wire/json-parts.ts";
import { blockPicture, buildChatImage } from "./answer-pictures.ts";
import { findChatUsage, writeSse } from "./chat-parts.ts";
import type { ReplyTranslator } from "./translation.ts";

const finishReasons: Readonly<Record<string, string>> = {
  max_tokens: "length",
  model_context_window_exceeded: "length",
  tool_use: "tool_calls",
  guardrail_intervened: "content_filter",
  content_filtered: "content_filter",
};

/**
 * `finishReason` looks at the calls too: some models report `end_turn` although they called tools.
 */
function finishReason(stopReason: unknown, hasCalls: boolean): string {
  const reason = finishReasons[text(stopReason)] ?? "stop";
  return reason === "stop" && hasCalls ? "tool_calls" : reason;
}

/** Signed or encrypted reasoning: sent back, it lets the model continue its reasoning. */
function translateThinkingBlock({ reasoningText, redactedContent }: JsonRecord): JsonRecord[] {
  if (redactedContent !== undefined) return [{ type: "redacted_thinking", data: redactedContent }];
  const { text: thinking, signature } = record(reasoningText);
  return text(signature) === "" ? [] : [{ type: "thinking", thinking: text(thinking), signature }];
}

/** Replies of Converse have no ids. */
const createReplyId = (): string => `chatcmpl-${randomUUID().replaceAll("-", "")}`;

/** `ConverseAsChat` is one reply, whole or event by event. */
export class ConverseAsChat implements ReplyTranslator {
  readonly #call: AskedModel & AskedReply;
  readonly #created = Math.floor(Date.now() / 1000);
  readonly #id = createReplyId();
  #usage: ReportedUsage | undefined;
  #hasStarted = false;
  #hasStopped = false;
  #calls = -1;
  readonly #ids = new CallIds();
  /** Calls whose arguments arrive, by the place of their block: blocks may alternate. */
  readonly #openCalls = new Map<unknown, { call: number; lacksArguments: boolean }>();
  /** The reasoning since the last block of reasoning ended. */
  #reasoning = "";
  #signature = "";
  #reasoningBlocks = 0;

  constructor(call: AskedModel & AskedReply) {
    this.#call = call;
  }

  translateReply({ output, stopReason, usage }: JsonRecord): JsonRecord {
    const blocks = records(record(record(output).message).content);
    const replyText = blocks.map((block) => text(block.text) + formatCitedText(block)).join("");
    const reasoningBlocks = blocks.map(({ reasoningContent }) => record(reasoningContent));
    const reasoning = reasoningBlocks
      .map(({ reasoningText }) => text(record(reasoningText).text))
      .join("");
    const thinking_blocks = reasoningBlocks.flatMap(translateThinkingBlock);
    const tool_calls = blocks
      .filter(({ toolUse }) => toolUse !== undefined)
      .map(({ toolUse }) => buildToolCall(record(toolUse), this.#ids));
    const hasCalls = tool_calls.length > 0;
    const images = blocks.flatMap(blockPicture).map(buildChatImage);
    const message = present({
      images: images.length > 0 ? images : undefined,
      reasoning_content: reasoning === "" ? undefined : reasoning,
      thinking_blocks: thinking_blocks.length > 0 ? thinking_blocks : undefined,
      tool_calls: hasCalls ? tool_calls : undefined,
    });
    const choice = {
      role: "assistant",
      content: replyText === "" && hasCalls ? null : replyText,
      ...message,
    };
    const finish_reason = finishReason(stopReason, hasCalls);
    return present({
      ...this.#head("chat.completion"),
      choices: [{ index: 0, message: choice, logprobs: null, finish_reason }],
      usage: findChatUsage(parseConverseUsage(usage)),
    });
  }

  translateEvent(event: string): string {
    const data = buildEventJson(event);
    if (data.messageStart !== undefined) return this.#start();
    if (data.contentBlockStart !== undefined)
      return this.#blockStarted(record(data.contentBlockStart));
    if (data.contentBlockDelta !== undefined)
      return this.#blockDelta(record(data.contentBlockDelta));
    if (data.contentBlockStop !== undefined)
      return this.#blockStopped(record(data.contentBlockStop));
    if (data.metadata !== undefined) this.#usage = parseConverseUsage(record(data.metadata).usage);
    return data.messageStop === undefined ? "" : this.#stopped(record(data.messageStop).stopReason);
  }

  finish(): string {
    // Usage is the last that some models report: their streams have no stop.
    const reason = this.#stopped(undefined);
    const usage = this.#call.wantsUsage ? findChatUsage(this.#usage) : undefined;
    return (
      reason +
      (usage ? writeSse({ ...this.#head("chat.completion.chunk"), choices: [], usage }) : "") +
      doneEvent
    );
  }

  #stopped(stopReason: unknown): string {
    if (this.#hasStopped) return "";
    this.#hasStopped = true;
    return this.#chunk({}, finishReason(stopReason, this.#calls >= 0));
  }

  #blockStarted({ contentBlockIndex, start }: JsonRecord): string {
    const { toolUse } = record(start);
    if (toolUse === undefined) return "";
    const { toolUseId, name } = record(toolUse);
    this.#calls += 1;
    this.#openCalls.set(contentBlockIndex, { call: this.#calls, lacksArguments: true });
    const calledFunction = { name, arguments: "" };
    return this.#chunk({
      tool_calls: [
        {
          index: this.#calls,
          id: this.#ids.take(text(toolUseId)),
          type: "function",
          function: calledFunction,
        },
      ],
    });
  }

  #blockDelta({ contentBlockIndex, delta }: JsonRecord): string {
    const { text: deltaText, toolUse, reasoningContent } = record(delta);
    if (typeof deltaText === "string") return this.#chunk({ content: deltaText });
    if (toolUse !== undefined)
      return this.#argumentsDelta(contentBlockIndex, text(record(toolUse).input));
    const { text: thinking, signature, redactedContent } = record(reasoningContent);
    if (redactedContent !== undefined)
      return this.#reasoningBlock(translateThinkingBlock({ redactedContent }));
    this.#reasoning += text(thinking);
    this.#signature += text(signature);
    return text(thinking) === "" ? "" : this.#chunk({ reasoning_content: thinking });
  }

  #argumentsDelta(place: unknown, input: string): string {
    if (input === "") return "";
    const open = this.#openCalls.get(place);
    if (open) open.lacksArguments = false;
    const index = open?.call ?? this.#calls;
    return this.#chunk({ tool_calls: [{ index, function: { arguments: input } }] });
  }

  #blockStopped({ contentBlockIndex }: JsonRecord): string {
    // A call without arguments has no delta, but clients parse its arguments as JSON.
    const isBare = this.#openCalls.get(contentBlockIndex)?.lacksArguments === true;
    const missingArguments = isBare ? this.#argumentsDelta(contentBlockIndex, "{}") : "";
    this.#openCalls.delete(contentBlockIndex);
    const reasoningText = { text: this.#reasoning, signature: this.#signature };
    const block = translateThinkingBlock({ reasoningText });
    this.#reasoning = "";
    this.#signature = "";
    return missingArguments + this.#reasoningBlock(block);
  }

  /** Libraries merge the lists of a stream by the index of each entry. */
  #reasoningBlock([block]: readonly JsonRecord[]): string {
    if (!block) return "";
    const index = this.#reasoningBlocks;
    this.#reasoningBlocks += 1;
    return this.#chunk({ thinking_blocks: [{ index, ...block }] });
  }

  #head(object: string): JsonRecord {
    return { id: this.#id, object, created: this.#created, model: this.#call.model };
  }

  /** The first chunk tells the role, also where the provider's stream begins with content. */
  #start(): string {
    if (this.#hasStarted) return "";
    this.#hasStarted = true;
    return this.#chunk({ role: "assistant", content: "" });
  }

  #chunk(delta: JsonRecord, finish_reason: string | null = null): string {
    const role = this.#start();
    const choices = [{ index: 0, delta, logprobs: null, finish_reason }];
    return role + writeSse({ ...this.#head("chat.completion.chunk"), choices });
  }
}

const formatCitedText = ({ citationsContent }: JsonRecord): string =>
  records(record(citationsContent).content)
    .map((part) => text(part.text))
    .join("");

const buildToolCall = ({ toolUseId, name, input }: JsonRecord, ids: CallIds): JsonRecord => ({
  id: ids.take(text(toolUseId)),
  type: "function",
  function: { name, arguments: JSON.stringify(input ?? {}) },
});
