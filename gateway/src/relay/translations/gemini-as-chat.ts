/** Gemini's replies as chat completions. */

import { randomUUID } from "node:crypto";
import type { AskedModel, AskedReply } from "../formats/call-parts.ts";
import { doneEvent } from "../formats/openai-errors.ts";
import { parseGeminiUsage } from "../formats/usage/gemini-usage.ts";
import type { ReportedUsage } from "../formats/usage/reported-usage.ts";
import { buildEventJson } from "../wire/event-text.ts";
import { type JsonRecord, present, record, records, text } from "../wire/json-parts.ts";
import { buildChatImage, listPartPicture } from "./answer-pictures.ts";
import { findChatUsage, writeSse } from "./chat-parts.ts";
import { GeminiPartialCalls } from "./gemini-partial-calls.ts";
import { buildChatLogprobs } from "./token-logprobs.ts";
import type { ReplyTranslator } from "./translation.ts";
import { buildChatAnnotation, findKeptAnswer, listCandidateCitations } from "./url-citations.ts";

/** Every other reason means a filter. */
const finishReasons: Readonly<Record<string, string>> = {
  STOP: "stop",
  MAX_TOKENS: "length",
  FINISH_REASON_UNSPECIFIED: "stop",
  OTHER: "stop",
  MALFORMED_FUNCTION_CALL: "stop",
  UNEXPECTED_TOOL_CALL: "stop",
  TOO_MANY_TOOL_CALLS: "stop",
  MISSING_THOUGHT_SIGNATURE: "stop",
  MALFORMED_RESPONSE: "stop",
  NO_IMAGE: "stop",
  IMAGE_OTHER: "stop",
  CONTINUATION: "length",
};

const idMax = 24;

interface CandidateSoFar {
  text: string;
  images: number;
  annotations: number;
  /** Citations that were told: events may repeat them. */
  cited: Set<string>;
}

const listCitations = (reply: JsonRecord, { text: answer, cited }: CandidateSoFar): JsonRecord[] =>
  listCandidateCitations(reply, answer).filter((citation) => {
    const key = JSON.stringify(citation);
    const isNew = !cited.has(key);
    cited.add(key);
    return isNew;
  });

/** `GeminiAsChat` is one reply, whole or event by event; events have the form of a whole reply. */
export class GeminiAsChat implements ReplyTranslator {
  readonly #call: AskedModel & AskedReply;
  readonly #created = Math.floor(Date.now() / 1000);
  /** Gemini's calls have no ids. */
  #id: string = randomUUID().replaceAll("-", "").slice(0, idMax);
  #hasStarted = false;
  #calls = 0;
  /** Tool calls of each candidate so far, and those whose arguments are being streamed. */
  readonly #callsOf = new Map<number, number>();
  readonly #partialCalls = new Map<number, GeminiPartialCalls>();
  /**
   * `#answers` are those of each candidate: the answer so far, in which its citations count places,
   * and entries of its lists.
   */
  readonly #answers = new Map<number, CandidateSoFar>();
  #usage: ReportedUsage | undefined;

  constructor(call: AskedModel & AskedReply) {
    this.#call = call;
  }

  translateReply(json: JsonRecord): JsonRecord {
    this.#recordReply(json);
    return present({
      ...this.#head("chat.completion"),
      choices: orEmpty(listCandidates(json)).map((candidate, index) => {
        const message = this.#message(candidate, index);
        const content = message.content ?? (message.tool_calls ? null : "");
        const finish_reason = this.#reason(candidate, index) ?? "stop";
        const logprobs = buildChatLogprobs(candidate);
        return {
          index,
          message: { role: "assistant", ...message, content },
          logprobs,
          finish_reason,
        };
      }),
      usage: findChatUsage(this.#usage),
    });
  }

  translateEvent(event: string): string {
    const json = buildEventJson(event);
    this.#recordReply(json);
    return listCandidates(json)
      .map((candidate, at) => {
        const index = typeof candidate.index === "number" ? candidate.index : at;
        const message = this.#message(candidate, index, "index");
        const finish_reason = this.#reason(candidate, index) ?? null;
        if (Object.keys(message).length === 0 && finish_reason === null) return "";
        return (
          this.#start() +
          this.#chunk([
            { index, delta: message, logprobs: buildChatLogprobs(candidate), finish_reason },
          ])
        );
      })
      .join("");
  }

  finish(): string {
    const usage = this.#call.wantsUsage ? findChatUsage(this.#usage) : undefined;
    return this.#start() + (usage ? this.#chunk([], { usage }) : "") + doneEvent;
  }

  #recordReply(json: JsonRecord): void {
    const id = text(json.responseId).replaceAll(/[^\w-]/g, "");
    if (id !== "") this.#id = id.slice(0, idMax);
    this.#usage = parseGeminiUsage(json.usageMetadata) ?? this.#usage;
  }

  #start(): string {
    if (this.#hasStarted) return "";
    this.#hasStarted = true;
    return this.#chunk([
      { index: 0, delta: { role: "assistant", content: "" }, logprobs: null, finish_reason: null },
    ]);
  }

  /** The message of one candidate; in a stream each tool call has an index. */
  #message(reply: JsonRecord, candidate: number, indexField?: "index"): JsonRecord {
    const { finishReason } = reply;
    const parts = records(record(reply.content).parts);
    const joined = (isReasoning: boolean) =>
      parts
        .filter(({ thought }) => (thought === true) === isReasoning)
        .map((part) => text(part.text))
        .join("");
    const isEnd = indexField === undefined || typeof finishReason === "string";
    const calls = this.#wholeCalls(parts, candidate, isEnd).map((part) =>
      this.#toolCall(part, candidate, indexField),
    );
    const content = joined(false);
    const answer = this.#answers.get(candidate) ?? {
      text: "",
      images: 0,
      annotations: 0,
      cited: new Set<string>(),
    };
    this.#answers.set(candidate, answer);
    answer.text = findKeptAnswer(answer.text, content);
    /** Libraries merge the lists of a stream by the index of each entry. */
    const entries = (list: "images" | "annotations", added: readonly JsonRecord[]) => {
      const from = answer[list];
      answer[list] += added.length;
      return added.length > 0
        ? added.map((entry, at) => (indexField ? { [indexField]: from + at, ...entry } : entry))
        : undefined;
    };
    return present({
      content: content || undefined,
      reasoning_content: joined(true) || undefined,
      images: entries("images", parts.flatMap(listPartPicture).map(buildChatImage)),
      annotations: entries("annotations", listCitations(reply, answer).map(buildChatAnnotation)),
      tool_calls: calls.length > 0 ? calls : undefined,
    });
  }

  #wholeCalls(parts: readonly JsonRecord[], candidate: number, isEnd: boolean): JsonRecord[] {
    const partial = this.#partialCalls.get(candidate) ?? new GeminiPartialCalls();
    this.#partialCalls.set(candidate, partial);
    const calls = parts
      .filter(({ functionCall }) => functionCall !== undefined)
      .flatMap((part) => partial.push(part));
    return isEnd ? [...calls, ...partial.end()] : calls;
  }

  #toolCall(
    { functionCall, thoughtSignature }: JsonRecord,
    candidate: number,
    indexField?: "index",
  ): JsonRecord {
    const { name, args } = record(functionCall);
    const index = this.#callsOf.get(candidate) ?? 0;
    this.#callsOf.set(candidate, index + 1);
    this.#calls += 1;
    return present({
      index: indexField && index,
      id: `call_${this.#id}_${this.#calls}`,
      type: "function",
      function: { name: text(name), arguments: JSON.stringify(record(args)) },
      // As in Google's own endpoint for chat completions: sent back, it lets the model continue its
      // reasoning.
      extra_content:
        typeof thoughtSignature === "string"
          ? { google: { thought_signature: thoughtSignature } }
          : undefined,
    });
  }

  #reason({ finishReason }: JsonRecord, candidate: number): string | undefined {
    if (typeof finishReason !== "string") return undefined;
    const reason = finishReasons[finishReason] ?? "content_filter";
    return reason === "stop" && this.#callsOf.has(candidate) ? "tool_calls" : reason;
  }

  #head(object: string): JsonRecord {
    return { id: `chatcmpl-${this.#id}`, object, created: this.#created, model: this.#call.model };
  }

  #chunk(choices: readonly JsonRecord[], more: JsonRecord = {}): string {
    return writeSse({ ...this.#head("chat.completion.chunk"), choices, ...more });
  }
}

/** Libraries read the first choice of an answer without asking whether there is one. */
const orEmpty = (candidates: readonly JsonRecord[]): readonly JsonRecord[] =>
  candidates.length === 0 ? [{ index: 0 }] : candidates;

/** A blocked prompt has no candidate; the client still needs a choice with the finish reason. */
function listCandidates({ candidates, promptFeedback }: JsonRecord): JsonRecord[] {
  const isBlocked = record(promptFeedback).blockReason !== undefined;
  return isBlocked ? [{ index: 0, finishReason: "SAFETY" }] : records(candidates);
}
