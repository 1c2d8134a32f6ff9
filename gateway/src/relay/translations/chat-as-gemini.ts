/** Chat completions as Gemini's answers. */

import { cachedTokens, completionTokens, promptTokens } from "../../money/price.ts";
import { eventJson } from "../event-text.ts";
import type { Json } from "../json-parts.ts";
import { parsedObject, present, record, records, text } from "../json-parts.ts";
import { usageFrom } from "../shapes/open-ai-usage.ts";
import type { Call } from "../shapes/shape.ts";
import type { ReadUsage } from "../usage.ts";
import type { AnswerTranslator } from "./translation.ts";
import { sse, thoughtIn, thoughtTokens } from "./wire-parts.ts";

const finishReasons: Readonly<Record<string, string>> = { length: "MAX_TOKENS", content_filter: "SAFETY" };
const finishReason = (reason: unknown): string => finishReasons[text(reason)] ?? "STOP";

/** Calls come whole over there, so a stream's are collected until it ends. */
interface CollectedCall {
  number: number;
  id: string;
  name: string;
  written: string;
}

export class ChatAsGemini implements AnswerTranslator {
  readonly #call: Call;
  #id = "";
  #usage: ReadUsage | undefined;
  /** By choice, in the order in which they began. */
  readonly #calls = new Map<number, CollectedCall[]>();
  readonly #reasons = new Map<number, string>();

  constructor(call: Call) {
    this.#call = call;
  }

  whole(json: Json): Json {
    this.#see(json);
    return this.#answer(
      records(json.choices).map(({ message, finish_reason }, index) => {
        const said = record(message);
        const calls = records(said.tool_calls).map((call) => {
          const { name, arguments: args } = record(call.function);
          return callPart({ number: 0, id: text(call.id), name: text(name), written: text(args) });
        });
        return candidate(index, [...wordParts(said), ...calls], finishReason(finish_reason));
      }),
      this.#usage,
    );
  }

  event(event: string): string {
    const json = eventJson(event);
    this.#see(json);
    return records(json.choices)
      .map(({ index, delta, finish_reason }) => {
        const choice = Number(index ?? 0);
        for (const part of records(record(delta).tool_calls)) this.#collect(choice, part);
        if (typeof finish_reason === "string") this.#reasons.set(choice, finishReason(finish_reason));
        const parts = wordParts(record(delta));
        return parts.length === 0 ? "" : sse(this.#answer([candidate(choice, parts)]));
      })
      .join("");
  }

  end(): string {
    const choices = new Set([...this.#reasons.keys(), ...this.#calls.keys()]);
    if (choices.size === 0) choices.add(0);
    const candidates = [...choices].map((choice) => {
      const calls = (this.#calls.get(choice) ?? []).map(callPart);
      return candidate(choice, calls.length > 0 ? calls : [{ text: "" }], this.#reasons.get(choice) ?? "STOP");
    });
    return sse(this.#answer(candidates, this.#usage));
  }

  #see(json: Json): void {
    this.#id ||= text(json.id);
    this.#usage = usageFrom(json.usage) ?? this.#usage;
  }

  #collect(choice: number, part: Json): void {
    const calls = this.#calls.get(choice) ?? [];
    this.#calls.set(choice, calls);
    const number = Number(part.index ?? 0);
    const id = text(part.id);
    const known = calls.findLast((call) => call.number === number);
    // Some servers give every call the same number: another id is another call.
    const isSame = known !== undefined && (id === "" || known.id === "" || id === known.id);
    const call = isSame ? known : { number, id: "", name: "", written: "" };
    if (!isSame) calls.push(call);
    const { name, arguments: written } = record(part.function);
    call.id ||= id;
    call.name ||= text(name);
    call.written += text(written);
  }

  #answer(candidates: readonly Json[], read?: ReadUsage): Json {
    const usageMetadata = read && usageOf(read);
    return present({ candidates, usageMetadata, modelVersion: this.#call.model, responseId: this.#id });
  }
}

const candidate = (index: number, parts: readonly Json[], finishReason?: string): Json =>
  present({ content: { role: "model", parts }, finishReason, index });

function wordParts(said: Json): Json[] {
  const thought = thoughtIn(said);
  const words = text(said.content) || text(said.refusal);
  return [...(thought === "" ? [] : [{ text: thought, thought: true }]), ...(words === "" ? [] : [{ text: words }])];
}

const callPart = ({ id, name, written }: CollectedCall): Json => ({
  functionCall: present({ id: id || undefined, name, args: parsedObject(written) }),
});

function usageOf({ usage, hidden }: ReadUsage): Json {
  const promptTokenCount = promptTokens(usage);
  const answered = completionTokens(usage);
  const thoughts = thoughtTokens(usage, hidden);
  return present({
    promptTokenCount,
    candidatesTokenCount: answered - thoughts,
    totalTokenCount: promptTokenCount + answered,
    cachedContentTokenCount: cachedTokens(usage) || undefined,
    thoughtsTokenCount: thoughts || undefined,
  });
}
