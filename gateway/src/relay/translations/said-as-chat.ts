/** What a provider with a protocol of its own answers, as chat completions. */
import { randomUUID } from "node:crypto";
import { type Json, present, record, text } from "../json-parts.ts";
import { doneEvent } from "../shapes/open-ai-wording.ts";
import type { OwnShape, ReadSaid, Said } from "../shapes/own-shape.ts";
import type { Call } from "../shapes/shape.ts";
import type { ReadUsage } from "../usage.ts";
import type { AnswerTranslator } from "./translation.ts";
import { chatUsage, sse } from "./wire-parts.ts";

const idMax = 48;

export class SaidAsChat implements AnswerTranslator {
  readonly #call: Call;
  readonly #shape: OwnShape;
  readonly #read: ReadSaid;
  /** For a provider that does not count: what the answer is charged for. */
  readonly #estimate: ((answer: string) => ReadUsage) | undefined;
  readonly #created = Math.floor(Date.now() / 1000);
  #id = randomUUID().replaceAll("-", "").slice(0, 24);
  #usage: ReadUsage | undefined;
  #hasBegun = false;
  #hasFinished = false;
  /** By their names over there, the numbers of tool calls that a stream has begun. */
  readonly #numbers = new Map<unknown, number>();

  constructor(call: Call, shape: OwnShape, estimate?: (answer: string) => ReadUsage) {
    this.#call = call;
    this.#shape = shape;
    this.#read = shape.reader();
    this.#estimate = estimate;
  }

  whole(json: Json): Json {
    const said = this.#see(json) ?? {};
    const calls = (said.toolCalls ?? []).map(({ index: _, ...call }) => this.#named(call));
    const message = present({
      role: "assistant",
      reasoning_content: said.reasoning || undefined,
      tool_calls: calls.length > 0 ? calls : undefined,
    });
    const content = calls.length > 0 ? said.content || null : (said.content ?? "");
    const choice = { index: 0, message: { ...message, content }, logprobs: null, finish_reason: said.finish ?? "stop" };
    return present({ ...this.#head("chat.completion"), choices: [choice], usage: chatUsage(this.#usage) });
  }

  event(event: string): string {
    const opened = this.#shape.open(event);
    const said = typeof opened === "string" ? undefined : this.#see(opened);
    if (!said) return "";
    const delta = this.#delta(said);
    const finish_reason = said.finish ?? null;
    if (finish_reason !== null) this.#hasFinished = true;
    if (Object.keys(delta).length === 0 && finish_reason === null) return "";
    return this.#begin() + this.#chunk(delta, finish_reason);
  }

  end(): string {
    const finish = this.#hasFinished ? "" : this.#chunk({}, this.#numbers.size > 0 ? "tool_calls" : "stop");
    const usage = this.#call.wantsUsage ? chatUsage(this.#usage) : undefined;
    const last = usage ? sse({ ...this.#head("chat.completion.chunk"), choices: [], usage }) : "";
    return this.#begin() + finish + last + doneEvent;
  }

  #see(json: Json): Said | undefined {
    const said = this.#read(json);
    const id = (said?.id ?? "").replaceAll(/[^\w-]/g, "");
    if (id !== "") this.#id = id.slice(0, idMax);
    this.#usage = said?.usage ?? this.#estimate?.(said?.content ?? "") ?? this.#usage;
    return said;
  }

  #begin(): string {
    if (this.#hasBegun) return "";
    this.#hasBegun = true;
    return this.#chunk({ role: "assistant", content: "" }, null);
  }

  #delta({ content, reasoning, toolCalls = [] }: Said): Json {
    return present({
      content: content || undefined,
      reasoning_content: reasoning || undefined,
      tool_calls: toolCalls.length > 0 ? toolCalls.map((call) => this.#numbered(call)) : undefined,
    });
  }

  /** Callers join the pieces of a call, so that its name must come once. */
  #numbered({ index: said, ...call }: Json): Json {
    const key = text(call.id) || said;
    const known = this.#numbers.get(key);
    if (known !== undefined) return { index: known, function: { arguments: text(record(call.function).arguments) } };
    const index = this.#numbers.size;
    this.#numbers.set(key, index);
    return { index, ...this.#named(call) };
  }

  /** Callers answer a call by its id, which not every provider gives. */
  #named(call: Json): Json {
    return { ...call, id: text(call.id) || `call_${randomUUID().replaceAll("-", "").slice(0, 24)}`, type: "function" };
  }

  #head(object: string): Json {
    return { id: `chatcmpl-${this.#id}`, object, created: this.#created, model: this.#call.model };
  }

  #chunk(delta: Json, finish_reason: string | null): string {
    const choices = [{ index: 0, delta, logprobs: null, finish_reason }];
    return sse({ ...this.#head("chat.completion.chunk"), choices });
  }
}
