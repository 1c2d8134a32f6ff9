/** What a channel of chat completions answers, told in the grammar of Responses. */
import { eventJson } from "../event-text.ts";
import type { Json } from "../json-parts.ts";
import { parsedObject, record, records, text } from "../json-parts.ts";
import { usageFrom } from "../shapes/open-ai-usage.ts";
import { doneEvent } from "../shapes/open-ai-wording.ts";
import type { Call } from "../shapes/shape.ts";
import type { ReadUsage } from "../usage.ts";
import { RepeatedWords } from "./repeated-words.ts";
import { responseOf, responseUsage, type Status } from "./response-object.ts";
import { sealedThoughts } from "./sealed-thoughts.ts";
import type { AnswerTranslator } from "./translation.ts";
import { namedSse, thoughtIn } from "./wire-parts.ts";

/** The last event repeats the whole answer; past this it repeats its beginning. */
const repeatedMax = 16 * 1024 * 1024;

const incompleteReasons: Readonly<Record<string, string>> = {
  length: "max_output_tokens",
  content_filter: "content_filter",
};

type ItemKind = "reasoning" | "output_text" | "refusal" | "function_call";

/** One item of the output while it is said. */
interface Item {
  kind: ItemKind;
  index: number;
  id: string;
  said: string;
  thoughts: Json[];
  callId: string;
  name: string;
  /** How an event with more of its words begins. */
  again: string;
}

const idPrefixes: Readonly<Record<ItemKind, string>> = {
  reasoning: "rs",
  output_text: "msg",
  refusal: "msg",
  function_call: "fc",
};

/** One answer; a whole one is read as a stream of one event. */
export class ResponseEvents implements AnswerTranslator {
  readonly #call: Call;
  readonly #asked: Json;
  readonly #sealsThoughts: boolean;
  readonly #createdAt = Math.floor(Date.now() / 1000);
  #id = "";
  #sequence = 0;
  #hasBegun = false;
  #reason: string | undefined;
  #usage: ReadUsage | undefined;
  /** Items that are complete, where they stand in the output. */
  readonly #output: Json[] = [];
  #items = 0;
  /** Words or thoughts that are being said. */
  #open: Item | undefined;
  /** Tool calls by their number over there: they may be written in turns. */
  readonly #calls = new Map<number, Item>();
  readonly #repeated = new RepeatedWords();

  constructor(call: Call) {
    this.#call = call;
    this.#asked = parsedObject(call.body.toString("utf8"));
    const { include } = this.#asked;
    this.#sealsThoughts = Array.isArray(include) && include.includes("reasoning.encrypted_content");
  }

  whole(json: Json): Json {
    const [choice = {}] = records(json.choices);
    const tool_calls = records(record(choice.message).tool_calls).map((call, index) => ({ ...call, index }));
    const delta = { ...record(choice.message), tool_calls };
    this.#said({ ...json, choices: [{ ...choice, delta }] });
    this.#closeAll();
    return this.#response(this.#lastStatus());
  }

  event(event: string): string {
    const words = this.#repeated.in(event);
    if (words !== undefined) return this.#again(words);
    const data = eventJson(event);
    this.#repeated.learn(event, data);
    return data.choices === undefined && data.usage === undefined ? "" : this.#said(data);
  }

  end(): string {
    const begun = this.#begin("") + this.#closeAll();
    const status = this.#lastStatus();
    return begun + this.#tell(`response.${status}`, { response: this.#response(status) }) + doneEvent;
  }

  #said(data: Json): string {
    const [choice = {}] = records(data.choices);
    const delta = record(choice.delta);
    this.#usage = usageFrom(data.usage) ?? this.#usage;
    if (typeof choice.finish_reason === "string") this.#reason = incompleteReasons[choice.finish_reason];
    return [
      this.#begin(text(data.id)),
      this.#thought(thoughtIn(delta), records(delta.thinking_blocks)),
      this.#words("output_text", text(delta.content)),
      this.#words("refusal", text(delta.refusal)),
      ...records(delta.tool_calls).map((part) => this.#toolCall(part)),
    ].join("");
  }

  #begin(id: string): string {
    if (this.#hasBegun) return "";
    this.#hasBegun = true;
    this.#id = id.replace(/^chatcmpl-/, "");
    const response = this.#response("in_progress");
    return this.#tell("response.created", { response }) + this.#tell("response.in_progress", { response });
  }

  #thought(words: string, blocks: readonly Json[]): string {
    if (words === "" && blocks.length === 0) return "";
    const opened = this.#opened("reasoning");
    this.#open?.thoughts.push(...blocks);
    return opened + this.#delta(this.#open, words);
  }

  #words(kind: "output_text" | "refusal", words: string): string {
    return words === "" ? "" : this.#opened(kind) + this.#delta(this.#open, words);
  }

  #toolCall(part: Json): string {
    const index = Number(part.index ?? 0);
    const called = record(part.function);
    const callId = text(part.id);
    const before = this.#calls.get(index);
    // Some providers give every call the same number: another id is another call.
    const isNew = !before || (callId !== "" && callId !== before.callId);
    const item = isNew ? this.#item("function_call", callId, text(called.name)) : before;
    this.#calls.set(index, item);
    const opened = isNew ? this.#close(this.#open) + (before ? this.#close(before) : "") + this.#added(item) : "";
    return opened + this.#delta(item, text(called.arguments));
  }

  #opened(kind: Exclude<ItemKind, "function_call">): string {
    if (this.#open?.kind === kind) return "";
    const closed = this.#close(this.#open);
    const item = this.#item(kind);
    this.#open = item;
    return closed + this.#added(item) + this.#tellOf(item, "part.added", { part: this.#partOf(item) });
  }

  #item(kind: ItemKind, callId = "", name = ""): Item {
    const index = this.#items;
    this.#items += 1;
    const id = `${idPrefixes[kind]}_${this.#id}_${index}`;
    return { kind, index, id, said: "", thoughts: [], callId: callId || id, name, again: "" };
  }

  #added(item: Item): string {
    const empty = { ...this.#wireItem(item, "in_progress"), ...emptyMembers[item.kind] };
    return this.#tell("response.output_item.added", { output_index: item.index, item: empty });
  }

  #delta(item: Item | undefined, delta: string): string {
    if (!item || delta === "") return "";
    if (item.said.length < repeatedMax) item.said += delta;
    return this.#tellOf(item, "delta", item.kind === "output_text" ? { delta, logprobs: [] } : { delta });
  }

  /** What `#words` makes of words that need no escape, behind others of the same item. */
  #again(words: string): string {
    const item = this.#open;
    if (!item) return "";
    if (item.said.length < repeatedMax) item.said += words;
    const type = "response.output_text.delta";
    item.again ||= `event: ${type}\ndata: {"type":"${type}","item_id":${JSON.stringify(item.id)},"output_index":${item.index},"content_index":0,"logprobs":[],"sequence_number":`;
    const told = `${item.again}${this.#sequence},"delta":"${words}"}\n\n`;
    this.#sequence += 1;
    return told;
  }

  #closeAll(): string {
    const left = [...(this.#open ? [this.#open] : []), ...this.#calls.values()];
    const [last] = left.toSorted((a, b) => b.index - a.index);
    return left.map((item) => this.#close(item, item === last ? this.#lastStatus() : "completed")).join("");
  }

  #close(item: Item | undefined, status: Status = "completed"): string {
    if (!item) return "";
    if (item === this.#open) this.#open = undefined;
    const wire = this.#wireItem(item, status);
    this.#output[item.index] = wire;
    return (
      this.#tellOf(item, "done", doneMembers(item)) +
      (item.kind === "function_call" ? "" : this.#tellOf(item, "part.done", { part: this.#partOf(item) })) +
      this.#tell("response.output_item.done", { output_index: item.index, item: wire })
    );
  }

  #lastStatus(): Status {
    return this.#reason === undefined ? "completed" : "incomplete";
  }

  #partOf({ kind, said }: Item): Json {
    if (kind === "reasoning") return { type: "summary_text", text: said };
    if (kind === "refusal") return { type: kind, refusal: said };
    return { type: kind, text: said, annotations: [], logprobs: [] };
  }

  #wireItem(item: Item, status: Status): Json {
    const { kind, id, said, thoughts, callId, name } = item;
    if (kind === "function_call") return { type: kind, id, status, call_id: callId, name, arguments: said };
    if (kind !== "reasoning") return { type: "message", id, status, role: "assistant", content: [this.#partOf(item)] };
    const sealed = this.#sealsThoughts && thoughts.length > 0 ? { encrypted_content: sealedThoughts(thoughts) } : {};
    return { type: kind, id, summary: said === "" ? [] : [this.#partOf(item)], ...sealed };
  }

  /** An event of one item, by what happens to it. */
  #tellOf({ kind, id, index }: Item, what: "delta" | "done" | "part.added" | "part.done", more: Json): string {
    const where = { item_id: id, output_index: index };
    if (kind === "function_call") return this.#tell(`response.function_call_arguments.${what}`, { ...where, ...more });
    const part = kind === "reasoning" ? "reasoning_summary" : "content";
    const name = kind === "reasoning" ? "reasoning_summary_text" : kind;
    const type = what.startsWith("part") ? `response.${part}_${what}` : `response.${name}.${what}`;
    return this.#tell(type, { ...where, [kind === "reasoning" ? "summary_index" : "content_index"]: 0, ...more });
  }

  #tell(type: string, members: Json): string {
    const sequence_number = this.#sequence;
    this.#sequence += 1;
    return namedSse({ type, sequence_number, ...members });
  }

  #response(status: Status): Json {
    const isOver = status !== "in_progress";
    const { keeping, model } = this.#call;
    return responseOf(this.#asked, {
      id: keeping?.id ?? `resp_${this.#id}`,
      created_at: this.#createdAt,
      status,
      incomplete_details: isOver && this.#reason !== undefined ? { reason: this.#reason } : null,
      model,
      output: isOver ? this.#output : [],
      usage: isOver ? responseUsage(this.#usage) : null,
      previous_response_id: keeping?.previousId ?? null,
      store: keeping !== undefined,
    });
  }
}

/** Where an item begins it has no part yet. */
const emptyMembers: Readonly<Record<ItemKind, Json>> = {
  reasoning: { summary: [] },
  output_text: { content: [] },
  refusal: { content: [] },
  function_call: {},
};

function doneMembers({ kind, said, name }: Item): Json {
  if (kind === "function_call") return { name, arguments: said };
  if (kind === "refusal") return { refusal: said };
  return kind === "reasoning" ? { text: said } : { text: said, logprobs: [] };
}
