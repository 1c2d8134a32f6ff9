/** Replies of chat completions as Gemini's. */

import { cachedTokens, completionTokens, promptTokens } from "../../money/price.ts";
import type { RelayCall } from "../formats/api-format.ts";
import { parseOpenAiUsage } from "../formats/openai-usage.ts";
import type { ReportedUsage } from "../formats/reported-usage.ts";
import { eventJson } from "../wire/event-text.ts";
import { type JsonRecord, present, record, records, text } from "../wire/json-parts.ts";
import { answerTextIn, calledTool, reasoningTextIn, reasoningTokensOf, sse, wholeArguments } from "./chat-parts.ts";
import type { ReplyTranslator } from "./translation.ts";

const finishReasons: Readonly<Record<string, string>> = { length: "MAX_TOKENS", content_filter: "SAFETY" };
const finishReason = (reason: unknown): string => finishReasons[text(reason)] ?? "STOP";

/** Gemini's calls are whole, so those of a stream are collected until it ends. */
interface CollectedToolCall {
  number: number;
  id: string;
  name: string;
  written: string;
  isCustom: boolean;
}

export class ChatAsGemini implements ReplyTranslator {
  readonly #call: RelayCall;
  #id = "";
  #usage: ReportedUsage | undefined;
  /** By choice, in the order in which they began. */
  readonly #calls = new Map<number, CollectedToolCall[]>();
  readonly #reasons = new Map<number, string>();

  constructor(call: RelayCall) {
    this.#call = call;
  }

  translateReply(json: JsonRecord): JsonRecord {
    this.#recordUsage(json);
    return this.#response(
      records(json.choices).map(({ message, finish_reason }, index) => {
        const reply = record(message);
        const calls = records(reply.tool_calls).flatMap((call) =>
          functionCallPart({ number: 0, id: text(call.id), ...calledTool(call) }),
        );
        return candidate(index, [...textParts(reply), ...calls], finishReason(finish_reason));
      }),
      this.#usage,
    );
  }

  translateEvent(event: string): string {
    const json = eventJson(event);
    this.#recordUsage(json);
    return records(json.choices)
      .map(({ index, delta, finish_reason }) => {
        const choice = Number(index ?? 0);
        for (const part of records(record(delta).tool_calls)) this.#collectToolCall(choice, part);
        if (typeof finish_reason === "string") this.#reasons.set(choice, finishReason(finish_reason));
        const parts = textParts(record(delta));
        return parts.length === 0 ? "" : sse(this.#response([candidate(choice, parts)]));
      })
      .join("");
  }

  finish(): string {
    const choices = new Set([...this.#reasons.keys(), ...this.#calls.keys()]);
    if (choices.size === 0) choices.add(0);
    const candidates = [...choices].map((choice) => {
      const calls = (this.#calls.get(choice) ?? []).flatMap(functionCallPart);
      return candidate(choice, calls.length > 0 ? calls : [{ text: "" }], this.#reasons.get(choice) ?? "STOP");
    });
    return sse(this.#response(candidates, this.#usage));
  }

  #recordUsage(json: JsonRecord): void {
    this.#id ||= text(json.id);
    this.#usage = parseOpenAiUsage(json.usage) ?? this.#usage;
  }

  #collectToolCall(choice: number, part: JsonRecord): void {
    const calls = this.#calls.get(choice) ?? [];
    this.#calls.set(choice, calls);
    const number = Number(part.index ?? 0);
    const id = text(part.id);
    const current = calls.findLast((call) => call.number === number);
    // Some servers give every call the same index: a different id is a different call.
    const isContinued = current !== undefined && (id === "" || current.id === "" || id === current.id);
    const { name, written, isCustom } = calledTool(part);
    const call = isContinued ? current : { number, id: "", name: "", written: "", isCustom };
    if (!isContinued) calls.push(call);
    call.id ||= id;
    call.name ||= name;
    call.written += written;
  }

  #response(candidates: readonly JsonRecord[], read?: ReportedUsage): JsonRecord {
    const usageMetadata = read && geminiUsageFrom(read);
    return present({ candidates, usageMetadata, modelVersion: this.#call.model, responseId: this.#id });
  }
}

const candidate = (index: number, parts: readonly JsonRecord[], finishReason?: string): JsonRecord =>
  present({ content: { role: "model", parts }, finishReason, index });

function textParts(reply: JsonRecord): JsonRecord[] {
  const reasoning = reasoningTextIn(reply);
  const content = answerTextIn(reply) + text(reply.refusal);
  return [
    ...(reasoning === "" ? [] : [{ text: reasoning, thought: true }]),
    ...(content === "" ? [] : [{ text: content }]),
  ];
}

/** A call that was cut off has no part: a program might run the tool with less than the model meant. */
function functionCallPart({ id, name, written, isCustom }: CollectedToolCall): JsonRecord[] {
  const args = wholeArguments({ written, isCustom });
  return args ? [{ functionCall: present({ id: id || undefined, name, args }) }] : [];
}

function geminiUsageFrom({ usage, hiddenOutput }: ReportedUsage): JsonRecord {
  const promptTokenCount = promptTokens(usage);
  const completion = completionTokens(usage);
  const reasoningTokens = reasoningTokensOf(usage, hiddenOutput);
  return present({
    promptTokenCount,
    candidatesTokenCount: completion - reasoningTokens,
    totalTokenCount: promptTokenCount + completion,
    cachedContentTokenCount: cachedTokens(usage) || undefined,
    thoughtsTokenCount: reasoningTokens || undefined,
  });
}
