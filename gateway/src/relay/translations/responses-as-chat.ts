/** Replies of Responses as chat completions. */

import type { AskedModel, AskedReply } from "../formats/call-parts.ts";
import { doneEvent } from "../formats/openai-errors.ts";
import { parseOpenAiUsage } from "../formats/usage/openai-usage.ts";
import type { ReportedUsage } from "../formats/usage/reported-usage.ts";
import { CallIds } from "../value-rules/unique-call-ids.ts";
import { buildEventJson } from "../wire/event-text.ts";
import { type JsonRecord, present, readNumber, record, records, text } from "../wire/json-parts.ts";
import { buildChatImage, listItemPicture } from "./answer-pictures.ts";
import { findChatUsage, findUnquoted, formatArgumentsText, writeSse } from "./chat-parts.ts";
import { listReasoningBlock } from "./encrypted-reasoning.ts";
import type { ReplyTranslator } from "./translation.ts";
import { listAnnotations, readWords, translateCitation } from "./url-citations.ts";

const incompleteReasons: Readonly<Record<string, string>> = {
  max_output_tokens: "length",
  max_messages: "length",
  content_filter: "content_filter",
};

/** The parts of a summary are paragraphs. */
const paragraphBreak = "\n\n";

/** `ResponsesAsChat` is one reply, whole or event by event. */
export class ResponsesAsChat implements ReplyTranslator {
  readonly #call: AskedModel & AskedReply;
  #created = Math.floor(Date.now() / 1000);
  #id = "";
  #usage: ReportedUsage | undefined;
  #serviceTier: unknown;
  #hasStarted = false;
  #hasContent = false;
  /** Tool-call index by the index of its item in the output. */
  readonly #calls = new Map<unknown, number>();
  readonly #ids = new CallIds();
  /** `#callPlaces` are the indexes of items by the ids of their calls. */
  readonly #callPlaces = new Map<unknown, unknown>();
  /** Entries so far of lists in the stream: libraries merge them by an index in each. */
  #reasoningBlocks = 0;
  #annotations = 0;
  #images = 0;
  /**
   * Characters of the answer so far, and before each of its texts by its location: citations count
   * from the beginning of theirs.
   */
  #length = 0;
  readonly #starts = new Map<string, number>();
  /**
   * Delivered length of each text, by its location: some providers send a text only at its end, as
   * a whole.
   */
  readonly #deliveredLengths = new Map<string, number>();
  /** `#deliveredItems` go by their index in the output: items of which a piece was delivered. */
  readonly #deliveredItems = new Set<unknown>();

  constructor(call: AskedModel & AskedReply) {
    this.#call = call;
  }

  translateReply(json: JsonRecord): JsonRecord {
    this.#recordReply(json);
    const output = records(json.output);
    const parts = output
      .filter(({ type }) => type === "message")
      .flatMap(({ content }) => records(content));
    const replyText = parts.map(readWords).join("");
    const refusal = parts.map((part) => text(part.refusal)).join("");
    const reasoning = output.filter(({ type }) => type === "reasoning");
    const reasoningTexts = reasoning.map(formatReasoningText);
    const thinking_blocks = reasoning.flatMap((item) =>
      listReasoningBlock(formatReasoningText(item), item),
    );
    const annotations = listAnnotations(parts);
    const images = output.flatMap(listItemPicture).map(buildChatImage);
    const calls = output.flatMap(translateToolCall).map((call) => this.#identify(call));
    const message = present({
      role: "assistant",
      reasoning_content:
        reasoningTexts.filter((reasoningText) => reasoningText !== "").join(paragraphBreak) ||
        undefined,
      thinking_blocks: thinking_blocks.length > 0 ? thinking_blocks : undefined,
      annotations: annotations.length > 0 ? annotations : undefined,
      images: images.length > 0 ? images : undefined,
      tool_calls: calls.length > 0 ? calls : undefined,
    });
    const content = replyText === "" && (calls.length > 0 || refusal !== "") ? null : replyText;
    const choice = { ...message, content, refusal: refusal === "" ? null : refusal };
    const finish_reason = finishReason(json, calls.length > 0);
    return present({
      ...this.#head("chat.completion"),
      choices: [
        {
          index: 0,
          message: choice,
          logprobs: logprobs(parts.flatMap(listLogprobs)),
          finish_reason,
        },
      ],
      usage: findChatUsage(this.#usage),
    });
  }

  translateEvent(event: string): string {
    const data = buildEventJson(event);
    switch (data.type) {
      case "response.created":
        this.#recordReply(record(data.response));
        return this.#start();
      case "response.output_item.added":
        return this.#itemAdded(data);
      case "response.output_item.done":
        return this.#itemDone(data);
      case "response.output_text.delta":
        return this.#textDelta(data, "content", listLogprobs(data));
      case "response.audio.transcript.delta":
      case "response.output_audio_transcript.delta":
        return this.#textDelta(data, "content");
      case "response.output_text.done":
        return this.#remainingText(data, "content", text(data.text));
      case "response.audio.transcript.done":
      case "response.output_audio_transcript.done":
        return this.#remainingText(data, "content", text(data.transcript));
      case "response.refusal.delta":
        return this.#textDelta(data, "refusal");
      case "response.refusal.done":
        return this.#remainingText(data, "refusal", text(data.refusal));
      case "response.reasoning_summary_part.added":
        return readNumber(data.summary_index) > 0
          ? this.#delta({ reasoning_content: paragraphBreak })
          : "";
      case "response.reasoning_summary_text.delta":
      case "response.reasoning_text.delta":
        return this.#textDelta(data, "reasoning_content");
      case "response.output_text.annotation.added": {
        const before = this.#starts.get(readTextLocation(data)) ?? 0;
        return this.#cited(translateCitation(record(data.annotation), before));
      }
      case "response.function_call_arguments.delta":
      case "response.custom_tool_call_input.delta":
        return this.#argumentsDelta(data, text(data.delta));
      case "response.function_call_arguments.done":
        return this.#argumentsDelta(
          data,
          this.#undelivered(data, formatArgumentsText(data.arguments)),
        );
      case "response.custom_tool_call_input.done":
        return this.#argumentsDelta(data, this.#undelivered(data, text(data.input)));
      case "response.completed":
      case "response.incomplete":
        return this.#responseFinished(record(data.response));
      default:
        return "";
    }
  }

  finish(): string {
    const usage = this.#call.wantsUsage ? findChatUsage(this.#usage) : undefined;
    return (
      this.#start() + (usage ? writeSse({ ...this.#head(), choices: [], usage }) : "") + doneEvent
    );
  }

  #cited([annotation]: readonly JsonRecord[]): string {
    if (!annotation) return "";
    const index = this.#annotations;
    this.#annotations += 1;
    return this.#delta({ annotations: [{ index, ...annotation }] });
  }

  #recordReply(response: JsonRecord): void {
    this.#id ||= text(response.id).replace(/^resp_/, "");
    if (typeof response.created_at === "number") this.#created = Math.floor(response.created_at);
    this.#usage = parseOpenAiUsage(response.usage) ?? this.#usage;
    this.#serviceTier = response.service_tier ?? this.#serviceTier;
  }

  #start(): string {
    if (this.#hasStarted) return "";
    this.#hasStarted = true;
    return this.#chunk({ role: "assistant", content: "" });
  }

  #itemAdded(data: JsonRecord, isDone = false): string {
    const item = record(data.item);
    const [call] = translateToolCall(item);
    // Some servers name a call only where it is done, and clients learn its name from its beginning
    // alone.
    if (!call || text(item.name) === "" || (text(item.call_id) === "" && !isDone)) return "";
    const index = this.#calls.size;
    this.#calls.set(data.output_index, index);
    this.#callPlaces.set(call.id, data.output_index);
    // Its arguments follow, or arrive with the event that completes it.
    const empty =
      item.type === "custom_tool_call" ? { custom: { name: item.name, input: "" } } : {};
    const called =
      item.type === "function_call" ? { function: { name: item.name, arguments: "" } } : {};
    return this.#delta({
      tool_calls: [{ index, id: this.#identify(call).id, type: call.type, ...called, ...empty }],
    });
  }

  #identify(call: JsonRecord): JsonRecord {
    return { ...call, id: this.#ids.take(text(call.id)) };
  }

  #itemDone(data: JsonRecord): string {
    return (
      this.#wholeItem(data) +
      this.#reasoningDone(record(data.item)) +
      this.#picture(record(data.item))
    );
  }

  /**
   * `#wholeItem` takes an item that some providers send as a whole, without events for its pieces.
   */
  #wholeItem(data: JsonRecord): string {
    // Pieces that name no item may be of any.
    if (this.#deliveredItems.has(data.output_index) || this.#deliveredItems.has(undefined))
      return "";
    const item = record(data.item);
    const { type, content } = item;
    if (type === "message")
      return records(content)
        .map((part) => this.#wholePart(part))
        .join("");
    if (type === "reasoning") return this.#words("reasoning_content", formatReasoningText(item));
    const begun = this.#calls.has(data.output_index) ? "" : this.#itemAdded(data, true);
    return (
      begun +
      this.#argumentsDelta(
        data,
        formatArgumentsText(type === "custom_tool_call" ? item.input : item.arguments),
      )
    );
  }

  #wholePart(part: JsonRecord): string {
    const before = this.#length;
    this.#length += readWords(part).length;
    const cited = records(part.annotations).map((annotation) =>
      this.#cited(translateCitation(annotation, before)),
    );
    return (
      this.#words("content", readWords(part)) +
      cited.join("") +
      this.#words("refusal", part.refusal)
    );
  }

  #picture(item: JsonRecord): string {
    const [picture] = listItemPicture(item);
    if (!picture) return "";
    const index = this.#images;
    this.#images += 1;
    return this.#delta({ images: [{ index, ...buildChatImage(picture) }] });
  }

  #words(member: string, words: unknown): string {
    return text(words) === "" ? "" : this.#delta({ [member]: words });
  }

  #reasoningDone(item: JsonRecord): string {
    const [block] =
      item.type === "reasoning" ? listReasoningBlock(formatReasoningText(item), item) : [];
    if (!block) return "";
    const index = this.#reasoningBlocks;
    this.#reasoningBlocks += 1;
    return this.#delta({ thinking_blocks: [{ index, ...block }] });
  }

  #argumentsDelta(data: JsonRecord, written: string): string {
    const index = this.#calls.get(data.output_index);
    if (index === undefined || written === "") return "";
    this.#recordDelivered(data, written);
    const isCustom =
      text(data.type).startsWith("response.custom") ||
      record(data.item).type === "custom_tool_call";
    const more = isCustom ? { custom: { input: written } } : { function: { arguments: written } };
    return this.#delta({ tool_calls: [{ index, ...more }] });
  }

  #textDelta(data: JsonRecord, member: string, tokenLogprobs: readonly JsonRecord[] = []): string {
    const deltaText = text(data.delta);
    if (deltaText === "") return "";
    this.#recordDelivered(data, deltaText);
    if (member === "content") this.#recordAnswer(data, deltaText);
    return this.#delta({ [member]: deltaText }, tokenLogprobs);
  }

  #recordAnswer(data: JsonRecord, deltaText: string): void {
    const location = readTextLocation(data);
    if (!this.#starts.has(location)) this.#starts.set(location, this.#length);
    this.#length += deltaText.length;
  }

  #remainingText(data: JsonRecord, member: string, whole: string): string {
    const deltaText = this.#undelivered(data, whole);
    if (deltaText === "") return "";
    this.#recordDelivered(data, deltaText);
    if (member === "content") this.#recordAnswer(data, deltaText);
    return this.#delta({ [member]: deltaText });
  }

  #recordDelivered(data: JsonRecord, deltaText: string): void {
    this.#deliveredItems.add(data.output_index);
    const location = readTextLocation(data);
    this.#deliveredLengths.set(
      location,
      (this.#deliveredLengths.get(location) ?? 0) + deltaText.length,
    );
  }

  #undelivered(data: JsonRecord, whole: string): string {
    return whole.slice(this.#deliveredLengths.get(readTextLocation(data)) ?? 0);
  }

  #responseFinished(response: JsonRecord): string {
    this.#recordReply(response);
    const output = records(response.output);
    const hasCalls = this.#calls.size > 0;
    // Some servers tell a response that they had whole in the last event alone, or a call, or the
    // rest of its arguments.
    const untold = this.#hasContent
      ? output.map((item) => this.#remainingCall(item, hasCalls))
      : output.map((item, output_index) => this.#itemDone({ output_index, item }));
    const reason = finishReason(response, this.#calls.size > 0);
    return this.#start() + untold.join("") + this.#chunk({}, [], reason);
  }

  #remainingCall(item: JsonRecord, hasCalls: boolean): string {
    const [call] = translateToolCall(item);
    if (!call) return "";
    const isTold = this.#callPlaces.has(call.id);
    // A call by another id may be one of those that were told.
    if (!isTold && hasCalls) return "";
    const data = { output_index: isTold ? this.#callPlaces.get(call.id) : call.id, item };
    const begun = isTold ? "" : this.#itemAdded(data, true);
    const written = formatArgumentsText(item.arguments ?? item.input);
    return begun + this.#argumentsDelta(data, isTold ? this.#undelivered(data, written) : written);
  }

  #delta(delta: JsonRecord, tokenLogprobs: readonly JsonRecord[] = []): string {
    this.#hasContent = true;
    return this.#start() + this.#chunk(delta, tokenLogprobs);
  }

  #chunk(
    delta: JsonRecord,
    tokenLogprobs: readonly JsonRecord[] = [],
    finish_reason: string | null = null,
  ): string {
    return writeSse({
      ...this.#head(),
      choices: [{ index: 0, delta, logprobs: logprobs(tokenLogprobs), finish_reason }],
    });
  }

  #head(object = "chat.completion.chunk"): JsonRecord {
    const { model } = this.#call;
    const id = `chatcmpl-${this.#id}`;
    return present({ id, object, created: this.#created, model, service_tier: this.#serviceTier });
  }
}

/** The location of a text: its item and its part. */
const readTextLocation = ({ output_index, content_index, summary_index }: JsonRecord): string =>
  `${readNumber(output_index, -1)}/${readNumber(content_index ?? summary_index, -1)}`;

function finishReason({ status, incomplete_details }: JsonRecord, hasCalls: boolean): string {
  const reason =
    status === "incomplete"
      ? incompleteReasons[text(record(incomplete_details).reason)]
      : undefined;
  return reason ?? (hasCalls ? "tool_calls" : "stop");
}

/** OpenAI sends a summary; open models send their reasoning itself. */
function formatReasoningText({ summary, content }: JsonRecord): string {
  const parts = records(summary).length > 0 ? records(summary) : records(content);
  return parts.map((part) => text(part.text)).join(paragraphBreak);
}

/**
 * xAI runs tools of its own, whose calls look like those of a client's custom tools but for their
 * ids.
 */
const isProvidersOwn = (callId: unknown): boolean => text(callId).startsWith("xs_call_");

/** A call that has no id of its own is answered by that of its item. */
function translateToolCall({
  type,
  id,
  call_id,
  name,
  arguments: written,
  input,
}: JsonRecord): JsonRecord[] {
  if (isProvidersOwn(call_id)) return [];
  if (type === "function_call") {
    const args = formatArgumentsText(written);
    const called = { name, arguments: findUnquoted(args) ?? args };
    return [{ id: text(call_id) || id, type: "function", function: called }];
  }
  return type === "custom_tool_call"
    ? [{ id: text(call_id) || id, type: "custom", custom: { name, input: text(input) } }]
    : [];
}

/** Both APIs have the same format of log probabilities. */
const listLogprobs = (part: JsonRecord): JsonRecord[] => records(part.logprobs);
const logprobs = (content: readonly JsonRecord[]): JsonRecord | null =>
  content.length > 0 ? { content, refusal: null } : null;
