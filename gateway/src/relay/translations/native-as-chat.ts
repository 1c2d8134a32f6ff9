/** Replies of native protocols as chat completions. */

import { randomUUID } from "node:crypto";
import type { AskedModel, AskedReply } from "../formats/call-parts.ts";
import type { NativeProtocol, ReplyDelta, ReplyDeltaReader } from "../formats/native-protocol.ts";
import { doneEvent } from "../formats/openai-errors.ts";
import type { ReportedUsage } from "../formats/usage/reported-usage.ts";
import { type JsonRecord, present, record, text } from "../wire/json-parts.ts";
import { findChatUsage, writeSse } from "./chat-parts.ts";
import type { ReplyTranslator } from "./translation.ts";

const idMax = 48;

export class NativeAsChat implements ReplyTranslator {
  readonly #call: AskedModel & AskedReply;
  readonly #protocol: NativeProtocol;
  readonly #read: ReplyDeltaReader;
  /** The usage of a reply whose provider reports none. */
  readonly #estimate: ((answer: string) => ReportedUsage) | undefined;
  readonly #created = Math.floor(Date.now() / 1000);
  #id = randomUUID().replaceAll("-", "").slice(0, 24);
  #usage: ReportedUsage | undefined;
  #hasStarted = false;
  #hasFinished = false;
  /** Tool-call index by the provider's id or index. */
  readonly #toolCallIndexes = new Map<unknown, number>();

  constructor(
    call: AskedModel & AskedReply,
    protocol: NativeProtocol,
    estimate?: (answer: string) => ReportedUsage,
  ) {
    this.#call = call;
    this.#protocol = protocol;
    this.#read = protocol.createReader();
    this.#estimate = estimate;
  }

  translateReply(json: JsonRecord): JsonRecord {
    const replyDelta = this.#readReply(json) ?? {};
    const calls = (replyDelta.toolCalls ?? []).map(({ index: _, ...call }) =>
      this.#toolCallWithId(call),
    );
    const message = present({
      role: "assistant",
      reasoning_content: replyDelta.reasoning || undefined,
      tool_calls: calls.length > 0 ? calls : undefined,
    });
    const content = calls.length > 0 ? replyDelta.content || null : (replyDelta.content ?? "");
    const choice = {
      index: 0,
      message: { ...message, content },
      logprobs: null,
      finish_reason: replyDelta.finishReason ?? "stop",
    };
    return present({
      ...this.#head("chat.completion"),
      choices: [choice],
      usage: findChatUsage(this.#usage),
    });
  }

  translateEvent(event: string): string {
    const parsedEvent = this.#protocol.parseEvent(event);
    const replyDelta = typeof parsedEvent === "string" ? undefined : this.#readReply(parsedEvent);
    if (!replyDelta) return "";
    const delta = this.#delta(replyDelta);
    const finish_reason = replyDelta.finishReason ?? null;
    if (finish_reason !== null) this.#hasFinished = true;
    if (Object.keys(delta).length === 0 && finish_reason === null) return "";
    return this.#start() + this.#chunk(delta, finish_reason);
  }

  finish(): string {
    const finishChunk = this.#hasFinished
      ? ""
      : this.#chunk({}, this.#toolCallIndexes.size > 0 ? "tool_calls" : "stop");
    const usage = this.#call.wantsUsage ? findChatUsage(this.#usage) : undefined;
    const last = usage
      ? writeSse({ ...this.#head("chat.completion.chunk"), choices: [], usage })
      : "";
    return this.#start() + finishChunk + last + doneEvent;
  }

  #readReply(json: JsonRecord): ReplyDelta | undefined {
    const replyDelta = this.#read(json);
    const id = (replyDelta?.id ?? "").replaceAll(/[^\w-]/g, "");
    if (id !== "") this.#id = id.slice(0, idMax);
    this.#usage = replyDelta?.usage ?? this.#estimate?.(replyDelta?.content ?? "") ?? this.#usage;
    return replyDelta;
  }

  #start(): string {
    if (this.#hasStarted) return "";
    this.#hasStarted = true;
    return this.#chunk({ role: "assistant", content: "" }, null);
  }

  #delta({ content, reasoning, toolCalls = [] }: ReplyDelta): JsonRecord {
    return present({
      content: content || undefined,
      reasoning_content: reasoning || undefined,
      tool_calls:
        toolCalls.length > 0 ? toolCalls.map((call) => this.#indexedToolCall(call)) : undefined,
    });
  }

  /** Clients join the pieces of a call, so its name must be sent once. */
  #indexedToolCall({ index: replyDelta, ...call }: JsonRecord): JsonRecord {
    const key = text(call.id) || replyDelta;
    const knownIndex = this.#toolCallIndexes.get(key);
    if (knownIndex !== undefined)
      return { index: knownIndex, function: { arguments: text(record(call.function).arguments) } };
    const index = this.#toolCallIndexes.size;
    this.#toolCallIndexes.set(key, index);
    return { index, ...this.#toolCallWithId(call) };
  }

  /** Clients send a call's result by its id, which not every provider gives. */
  #toolCallWithId(call: JsonRecord): JsonRecord {
    return {
      ...call,
      id: text(call.id) || `call_${randomUUID().replaceAll("-", "").slice(0, 24)}`,
      type: "function",
    };
  }

  #head(object: string): JsonRecord {
    return { id: `chatcmpl-${this.#id}`, object, created: this.#created, model: this.#call.model };
  }

  #chunk(delta: JsonRecord, finish_reason: string | null): string {
    const choices = [{ index: 0, delta, logprobs: null, finish_reason }];
    return writeSse({ ...this.#head("chat.completion.chunk"), choices });
  }
}
