/** Replies of chat completions as Responses. */

import type { AskedModel, SentBody, StoredReply } from "../formats/call-parts.ts";
import { findEndReason } from "../formats/chat-end-reasons.ts";
import { doneEvent } from "../formats/openai-errors.ts";
import { parseEventUsage } from "../formats/usage/openai-usage.ts";
import type { ReportedUsage } from "../formats/usage/reported-usage.ts";
import { buildEventJson } from "../wire/event-text.ts";
import { type JsonRecord, parseObject, record, text } from "../wire/json-parts.ts";
import { type AnswerPicture, listPictures } from "./answer-pictures.ts";
import {
  buildFirstChoice,
  buildWholeCall,
  ChoiceDeltas,
  formatReasoningText,
  listToolCalls,
  noArguments,
  readAnswerText,
  writeNamedSse,
} from "./chat-parts.ts";
import { unwrapInput } from "./custom-as-functions.ts";
import { stripIndex } from "./encrypted-reasoning.ts";
import { RepeatedDeltas } from "./repeated-deltas.ts";
import {
  buildItemPart,
  buildWireItem,
  emptyMembers,
  type ItemMoment,
  isToolCall,
  itemIdPrefixes,
  locateItemEvent,
  type OpenResponseItem,
  type ResponseItemKind,
  type ToolCallKind,
  translateDoneMembers,
} from "./response-items.ts";
import { buildResponseObject, buildResponseUsage, type ResponseStatus } from "./response-object.ts";
import { SentToolNames } from "./response-tools.ts";
import { listThinkingBlocks } from "./returned-thoughts.ts";
import { type CallPiece, StreamedCalls } from "./streamed-calls.ts";
import { listChoiceTokens } from "./token-logprobs.ts";
import type { ReplyTranslator } from "./translation.ts";
import { findListedSources, listCitations, shifted } from "./url-citations.ts";

/** The last event repeats the whole reply; of an item longer than this, only its beginning. */
const repeatedMax = 16 * 1024 * 1024;

const incompleteReasons: Readonly<Record<string, string>> = {
  length: "max_output_tokens",
  content_filter: "content_filter",
};

/** `ChatAsResponses` are one reply; a whole one is read as a stream of one event. */
export class ChatAsResponses implements ReplyTranslator {
  readonly #deltas = new ChoiceDeltas();
  readonly #call: AskedModel & StoredReply;
  readonly #request: JsonRecord;
  readonly #toolNames: SentToolNames;
  readonly #encryptsReasoning: boolean;
  readonly #createdAt = Math.floor(Date.now() / 1000);
  #id = "";
  #sequence = 0;
  #hasStarted = false;
  #reason: string | undefined;
  #usage: ReportedUsage | undefined;
  /** Complete items, at their index in the output. */
  readonly #output: JsonRecord[] = [];
  #items = 0;
  /** The open item of text or reasoning. */
  #openTextItem: OpenResponseItem | undefined;
  readonly #streamed = new StreamedCalls();
  /** Tool calls by their number: their pieces may alternate. */
  readonly #calls = new Map<number, OpenResponseItem>();
  readonly #repeated = new RepeatedDeltas();
  /** Characters of the answer in items that are closed. */
  #length = 0;
  #hasCitations = false;
  /** `#sources` are those of providers that list what they found beside the choices. */
  #sources: readonly JsonRecord[] = [];

  constructor(call: AskedModel & SentBody & StoredReply) {
    this.#call = call;
    this.#request = parseObject(call.body.toString("utf8"));
    this.#toolNames = new SentToolNames(this.#request);
    const { include } = this.#request;
    this.#encryptsReasoning =
      Array.isArray(include) && include.includes("reasoning.encrypted_content");
  }

  translateReply(json: JsonRecord): JsonRecord {
    const choice = buildFirstChoice(json);
    const tool_calls = listToolCalls(record(choice.message)).map((call, index) => ({
      ...buildWholeCall(call),
      index,
    }));
    const delta = { ...record(choice.message), tool_calls, function_call: undefined };
    this.#translateChunk({ ...json, choices: [{ ...choice, delta }] });
    this.#closeAll();
    return this.#response(this.#finalStatus());
  }

  translateEvent(event: string): string {
    const content = this.#repeated.in(event);
    if (content !== undefined) return this.#repeatedDelta(content);
    const data = buildEventJson(event);
    this.#repeated.learn(event, data);
    return data.choices === undefined && data.usage === undefined ? "" : this.#translateChunk(data);
  }

  finish(): string {
    const started = this.#start("") + this.#closeAll();
    const status = this.#finalStatus();
    return (
      started +
      this.#eventText(`response.${status}`, { response: this.#response(status) }) +
      doneEvent
    );
  }

  #translateChunk(data: JsonRecord): string {
    const choice = buildFirstChoice(data);
    const delta = this.#deltas.read(choice);
    this.#usage = parseEventUsage(data) ?? this.#usage;
    const sources = findListedSources(data);
    if (sources.length > 0) this.#sources = sources;
    const ended = findEndReason(choice);
    if (ended !== undefined) this.#reason = incompleteReasons[ended];
    return [
      this.#start(text(data.id)),
      this.#reasoningDelta(formatReasoningText(delta), listThinkingBlocks(delta)),
      this.#textDelta("output_text", readAnswerText(delta), listChoiceTokens(choice)),
      ...listCitations(delta).map((citation) => this.#citation(citation)),
      this.#textDelta("refusal", text(delta.refusal)),
      ...listPictures(delta).map((picture) => this.#picture(picture)),
      ...listToolCalls(delta)
        .flatMap((part) => this.#streamed.push(part))
        .map((piece) => this.#callPiece(piece)),
    ].join("");
  }

  /** A citation belongs to a text: one that arrives without any is left out. */
  #citation(citation: JsonRecord): string {
    const item = this.#openTextItem;
    if (item?.kind !== "output_text") return "";
    this.#hasCitations = true;
    const annotation = { type: "url_citation", ...shifted(citation, -item.before) };
    const annotation_index = item.annotations.push(annotation) - 1;
    const location = { item_id: item.id, output_index: item.index, content_index: 0 };
    return this.#eventText("response.output_text.annotation.added", {
      ...location,
      annotation_index,
      annotation,
    });
  }

  #picture({ mediaType, data }: AnswerPicture): string {
    const closed = this.#close(this.#openTextItem);
    const index = this.#items;
    this.#items += 1;
    const item_id = `ig_${this.#id}_${index}`;
    const drawn = {
      type: "image_generation_call",
      id: item_id,
      output_format: mediaType.replace(/^image\//, ""),
    };
    const item = { ...drawn, status: "completed", result: data };
    this.#output[index] = item;
    const added = { ...drawn, status: "in_progress", result: null };
    return (
      closed +
      this.#eventText("response.output_item.added", { output_index: index, item: added }) +
      this.#eventText("response.image_generation_call.completed", {
        output_index: index,
        item_id,
      }) +
      this.#eventText("response.output_item.done", { output_index: index, item })
    );
  }

  #start(id: string): string {
    if (this.#hasStarted) return "";
    this.#hasStarted = true;
    // Ids of items name the stored response, so that a later call can refer to them.
    this.#id = this.#call.storeAs?.id.replace(/^resp_/, "") ?? id.replace(/^chatcmpl-/, "");
    const response = this.#response("in_progress");
    return (
      this.#eventText("response.created", { response }) +
      this.#eventText("response.in_progress", { response })
    );
  }

  #reasoningDelta(content: string, blocks: readonly JsonRecord[]): string {
    if (content === "" && blocks.length === 0) return "";
    const openedEvents = this.#openItem("reasoning");
    this.#openTextItem?.reasoningBlocks.push(...blocks.map(stripIndex));
    return openedEvents + this.#itemDelta(this.#openTextItem, content);
  }

  #textDelta(
    kind: "output_text" | "refusal",
    content: string,
    logprobs: readonly JsonRecord[] = [],
  ): string {
    if (content === "") return "";
    const openedEvents = this.#openItem(kind);
    this.#openTextItem?.logprobs.push(...logprobs);
    return openedEvents + this.#itemDelta(this.#openTextItem, content, logprobs);
  }

  #callPiece({ call, isFirst, id, name, isCustom, signature, written }: CallPiece): string {
    const open = this.#calls.get(call);
    if (!isFirst) return open ? this.#argumentsDelta(open, written) : "";
    const signed =
      signature && this.#encryptsReasoning ? this.#reasoningDelta("", [signature]) : "";
    const item = this.#createCall(isCustom, id, name);
    this.#calls.set(call, item);
    const closed = this.#close(this.#openTextItem);
    return signed + closed + this.#itemAdded(item) + this.#argumentsDelta(item, written);
  }

  #createCall(isCustom: boolean, callId: string, sentName: string): OpenResponseItem {
    const { kind, name, namespace } = this.#toolNames.toolCalled(sentName);
    const isWrapped = !isCustom && kind !== "function";
    const item = this.#createItem(
      isCustom ? "custom_tool_call" : `${kind === "custom" ? "custom_tool" : kind}_call`,
    );
    return { ...item, callId: callId || item.id, name, namespace, isWrapped };
  }

  #argumentsDelta(item: OpenResponseItem, written: string): string {
    if (!item.isWrapped) return this.#itemDelta(item, written);
    if (item.text.length < repeatedMax) item.text += written;
    return "";
  }

  #openItem(kind: Exclude<ResponseItemKind, ToolCallKind>): string {
    if (this.#openTextItem?.kind === kind) return "";
    const closed = this.#close(this.#openTextItem);
    const item = this.#createItem(kind);
    this.#openTextItem = item;
    return (
      closed +
      this.#itemAdded(item) +
      this.#itemEvent(item, "part.added", { part: buildItemPart(item) })
    );
  }

  #createItem(kind: ResponseItemKind): OpenResponseItem {
    const index = this.#items;
    this.#items += 1;
    const id = `${itemIdPrefixes[kind]}_${this.#id}_${index}`;
    const empty = {
      text: "",
      before: this.#length,
      annotations: [],
      logprobs: [],
      reasoningBlocks: [],
      deltaPrefix: "",
      callId: "",
      name: "",
      namespace: undefined,
      isWrapped: false,
    };
    return { kind, index, id, ...empty };
  }

  #itemAdded(item: OpenResponseItem): string {
    const empty = {
      ...buildWireItem(item, "in_progress", this.#encryptsReasoning),
      ...emptyMembers[item.kind],
    };
    return this.#eventText("response.output_item.added", { output_index: item.index, item: empty });
  }

  #itemDelta(
    item: OpenResponseItem | undefined,
    delta: string,
    logprobs: readonly JsonRecord[] = [],
  ): string {
    if (!item || delta === "") return "";
    if (item.text.length < repeatedMax) item.text += delta;
    return this.#itemEvent(
      item,
      "delta",
      item.kind === "output_text" ? { delta, logprobs } : { delta },
    );
  }

  /** Equals `#textDelta` for text that needs no escape and continues the open item. */
  #repeatedDelta(content: string): string {
    const item = this.#openTextItem;
    if (!item) return "";
    if (item.text.length < repeatedMax) item.text += content;
    const type = "response.output_text.delta";
    item.deltaPrefix ||= `event: ${type}\ndata: {"type":"${type}","item_id":${JSON.stringify(item.id)},"output_index":${item.index},"content_index":0,"logprobs":[],"sequence_number":`;
    const translated = `${item.deltaPrefix}${this.#sequence},"delta":"${content}"}\n\n`;
    this.#sequence += 1;
    return translated;
  }

  #closeAll(): string {
    const listed = this.#hasCitations
      ? ""
      : this.#sources.map((source) => this.#citation(source)).join("");
    return listed + this.#closeItems();
  }

  #closeItems(): string {
    const remaining = this.#streamed
      .end()
      .map((piece) => this.#callPiece(piece))
      .join("");
    if (this.#streamed.hasNameless && this.#calls.size === 0)
      this.#reason = incompleteReasons.length;
    const openItems = [
      ...(this.#openTextItem ? [this.#openTextItem] : []),
      ...this.#calls.values(),
    ];
    const [last] = openItems.toSorted((a, b) => b.index - a.index);
    const closed = openItems.map((item) =>
      this.#close(item, item === last ? this.#finalStatus() : "completed"),
    );
    return remaining + closed.join("");
  }

  #close(item: OpenResponseItem | undefined, status: ResponseStatus = "completed"): string {
    if (!item) return "";
    if (item === this.#openTextItem) this.#openTextItem = undefined;
    if (item.kind === "output_text") this.#length += item.text.length;
    const isWithoutArguments =
      item.kind === "function_call" && item.text.trim() === "" && status === "completed";
    const missing = isWithoutArguments ? this.#itemDelta(item, noArguments) : this.#unwrap(item);
    const wire = buildWireItem(item, status, this.#encryptsReasoning);
    this.#output[item.index] = wire;
    return (
      missing +
      // A search has no events of its own.
      (item.kind === "tool_search_call"
        ? ""
        : this.#itemEvent(item, "done", translateDoneMembers(item))) +
      (isToolCall(item.kind)
        ? ""
        : this.#itemEvent(item, "part.done", { part: buildItemPart(item) })) +
      this.#eventText("response.output_item.done", { output_index: item.index, item: wire })
    );
  }

  /** The input of a custom tool, now that the arguments of its function are whole. */
  #unwrap(item: OpenResponseItem): string {
    if (!item.isWrapped || item.kind !== "custom_tool_call") return "";
    const input = unwrapInput(item.text);
    item.text = "";
    return this.#itemDelta(item, input);
  }

  #finalStatus(): ResponseStatus {
    return this.#reason === undefined ? "completed" : "incomplete";
  }

  #itemEvent(item: OpenResponseItem, moment: ItemMoment, more: JsonRecord): string {
    const { type, location } = locateItemEvent(item, moment);
    return this.#eventText(type, { ...location, ...more });
  }

  #eventText(type: string, members: JsonRecord): string {
    const sequence_number = this.#sequence;
    this.#sequence += 1;
    return writeNamedSse({ type, sequence_number, ...members });
  }

  #response(status: ResponseStatus): JsonRecord {
    const hasEnded = status !== "in_progress";
    const { storeAs, model } = this.#call;
    return buildResponseObject(this.#request, {
      id: storeAs?.id ?? `resp_${this.#id}`,
      created_at: this.#createdAt,
      status,
      incomplete_details: hasEnded && this.#reason !== undefined ? { reason: this.#reason } : null,
      model,
      output: hasEnded ? this.#output : [],
      usage: hasEnded ? buildResponseUsage(this.#usage) : null,
      previous_response_id: storeAs?.previousId ?? null,
      store: storeAs !== undefined,
    });
  }
}
