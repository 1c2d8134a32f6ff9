/** Gemini's answers as chat completions. */
import { randomUUID } from "node:crypto";
import { eventJson } from "../event-text.ts";
import type { Json } from "../json-parts.ts";
import { present, record, records, text } from "../json-parts.ts";
import { geminiUsage } from "../shapes/gemini-usage.ts";
import { doneEvent } from "../shapes/open-ai-wording.ts";
import type { Call } from "../shapes/shape.ts";
import type { ReadUsage } from "../usage.ts";
import type { AnswerTranslator } from "./translation.ts";
import { chatUsage, sse } from "./wire-parts.ts";

/** Every other reason means that a filter stepped in. */
const plainReasons: Readonly<Record<string, string>> = {
  STOP: "stop",
  MAX_TOKENS: "length",
  FINISH_REASON_UNSPECIFIED: "stop",
  OTHER: "stop",
  MALFORMED_FUNCTION_CALL: "stop",
  UNEXPECTED_TOOL_CALL: "stop",
};

const idMax = 24;

/** One answer, whole or event by event; events are answers of the same form with less in them. */
export class GeminiAsChat implements AnswerTranslator {
  readonly #call: Call;
  readonly #created = Math.floor(Date.now() / 1000);
  /** Calls have no ids over there. */
  #id: string = randomUUID().replaceAll("-", "").slice(0, idMax);
  #hasBegun = false;
  #calls = 0;
  /** Tool calls of each candidate so far. */
  readonly #callsOf = new Map<number, number>();
  #usage: ReadUsage | undefined;

  constructor(call: Call) {
    this.#call = call;
  }

  whole(json: Json): Json {
    this.#see(json);
    return present({
      ...this.#head("chat.completion"),
      choices: candidatesIn(json).map((candidate, index) => {
        const said = this.#said(candidate, index);
        const content = said.content ?? (said.tool_calls ? null : "");
        const finish_reason = this.#reason(candidate, index) ?? "stop";
        return { index, message: { role: "assistant", ...said, content }, logprobs: null, finish_reason };
      }),
      usage: chatUsage(this.#usage),
    });
  }

  event(event: string): string {
    const json = eventJson(event);
    this.#see(json);
    return candidatesIn(json)
      .map((candidate, at) => {
        const index = typeof candidate.index === "number" ? candidate.index : at;
        const said = this.#said(candidate, index, "index");
        const finish_reason = this.#reason(candidate, index) ?? null;
        if (Object.keys(said).length === 0 && finish_reason === null) return "";
        return this.#begin() + this.#chunk([{ index, delta: said, logprobs: null, finish_reason }]);
      })
      .join("");
  }

  end(): string {
    const usage = this.#call.wantsUsage ? chatUsage(this.#usage) : undefined;
    return this.#begin() + (usage ? this.#chunk([], { usage }) : "") + doneEvent;
  }

  #see(json: Json): void {
    const id = text(json.responseId).replaceAll(/[^\w-]/g, "");
    if (id !== "") this.#id = id.slice(0, idMax);
    this.#usage = geminiUsage(json.usageMetadata) ?? this.#usage;
  }

  #begin(): string {
    if (this.#hasBegun) return "";
    this.#hasBegun = true;
    return this.#chunk([{ index: 0, delta: { role: "assistant", content: "" }, logprobs: null, finish_reason: null }]);
  }

  /** What one candidate says; in a stream each tool call has its number. */
  #said({ content }: Json, candidate: number, numbered?: "index"): Json {
    const parts = records(record(content).parts);
    const joined = (isThought: boolean) =>
      parts
        .filter(({ thought }) => (thought === true) === isThought)
        .map((part) => text(part.text))
        .join("");
    const calls = parts
      .filter(({ functionCall }) => functionCall !== undefined)
      .map((part) => this.#toolCall(part, candidate, numbered));
    return present({
      content: joined(false) || undefined,
      reasoning_content: joined(true) || undefined,
      tool_calls: calls.length > 0 ? calls : undefined,
    });
  }

  #toolCall({ functionCall, thoughtSignature }: Json, candidate: number, numbered?: "index"): Json {
    const { name, args } = record(functionCall);
    const index = this.#callsOf.get(candidate) ?? 0;
    this.#callsOf.set(candidate, index + 1);
    this.#calls += 1;
    return present({
      index: numbered && index,
      id: `call_${this.#id}_${this.#calls}`,
      type: "function",
      function: { name: text(name), arguments: JSON.stringify(record(args)) },
      // As Google's own interface for chat completions has it: whoever sends it back keeps the model's train of thought.
      extra_content:
        typeof thoughtSignature === "string" ? { google: { thought_signature: thoughtSignature } } : undefined,
    });
  }

  #reason({ finishReason }: Json, candidate: number): string | undefined {
    if (typeof finishReason !== "string") return undefined;
    const reason = plainReasons[finishReason] ?? "content_filter";
    return reason === "stop" && this.#callsOf.has(candidate) ? "tool_calls" : reason;
  }

  #head(object: string): Json {
    return { id: `chatcmpl-${this.#id}`, object, created: this.#created, model: this.#call.model };
  }

  #chunk(choices: readonly Json[], more: Json = {}): string {
    return sse({ ...this.#head("chat.completion.chunk"), choices, ...more });
  }
}

/** A prompt that was refused has no candidate; callers still need to be told why nothing came. */
function candidatesIn({ candidates, promptFeedback }: Json): Json[] {
  const isBlocked = record(promptFeedback).blockReason !== undefined;
  return isBlocked ? [{ index: 0, finishReason: "SAFETY" }] : records(candidates);
}
