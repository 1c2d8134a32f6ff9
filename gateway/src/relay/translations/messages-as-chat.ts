/** Replies of Anthropic's Messages as chat completions. */

import type { AskedModel, AskedReply } from "../formats/call-parts.ts";
import { doneEvent } from "../formats/openai-errors.ts";
import { parseMessagesUsage } from "../formats/usage/messages-usage.ts";
import type { ReportedUsage } from "../formats/usage/reported-usage.ts";
import { CallIds } from "../value-rules/unique-call-ids.ts";
import { buildEventJson } from "../wire/event-text.ts";
import { type JsonRecord, present, record, records, text } from "../wire/json-parts.ts";
import { findChatUsage, ownCallId, writeSse } from "./chat-parts.ts";
import type { ReplyTranslator } from "./translation.ts";
import { blockCitation, buildChatAnnotation } from "./url-citations.ts";

const finishReasons: Readonly<Record<string, string>> = {
  max_tokens: "length",
  model_context_window_exceeded: "length",
  tool_use: "tool_calls",
  refusal: "content_filter",
};
/**
 * `finishReason` looks at the calls too: some servers report `end_turn` although the model calls
 * tools.
 */
function finishReason(stopReason: unknown, hasCalls: boolean): string {
  const reason = finishReasons[text(stopReason)] ?? "stop";
  return reason === "stop" && hasCalls ? "tool_calls" : reason;
}

const isReasoningBlock = ({ type }: JsonRecord): boolean =>
  type === "thinking" || type === "redacted_thinking";

function translateReply(call: AskedModel, created: number, reply: JsonRecord): JsonRecord {
  const blocks = records(reply.content);
  const joined = (type: string, member: string) =>
    blocks
      .filter((block) => block.type === type)
      .map((block) => text(block[member]))
      .join("");
  const calls = blocks.filter(({ type }) => type === "tool_use");
  const ids = new CallIds();
  const thinking = blocks.filter(isReasoningBlock);
  const content = joined("text", "text");
  const annotations = translateCitedAddresses(blocks.filter(({ type }) => type === "text"));
  const message = present({
    annotations: annotations.length > 0 ? annotations : undefined,
    reasoning_content: thinking.length > 0 ? joined("thinking", "thinking") : undefined,
    // With their signatures: sent back, they let the model continue its reasoning.
    thinking_blocks: thinking.length > 0 ? thinking : undefined,
    tool_calls:
      calls.length > 0
        ? calls.map(({ id, name, input }, at) => ({
            id: ids.take(text(id) || ownCallId(reply.id, at)),
            type: "function",
            function: {
              name,
              arguments: typeof input === "string" ? input : JSON.stringify(input ?? {}),
            },
          }))
        : undefined,
  });
  const choice = {
    role: "assistant",
    content: content === "" && calls.length > 0 ? null : content,
    ...message,
  };
  return present({
    id: `chatcmpl-${text(reply.id)}`,
    object: "chat.completion",
    created,
    model: call.model,
    choices: [
      {
        index: 0,
        message: choice,
        logprobs: null,
        finish_reason: finishReason(reply.stop_reason, calls.length > 0),
      },
    ],
    usage: findChatUsage(parseMessagesUsage(reply.usage)),
  });
}

/** `translateCitedAddresses` cites whole blocks, for a block is the place of citations here. */
function translateCitedAddresses(textBlocks: readonly JsonRecord[]): JsonRecord[] {
  let end = 0;
  return textBlocks.flatMap((block) => {
    const start = end;
    end += text(block.text).length;
    return records(block.citations).flatMap((citation) =>
      blockCitation(citation, start, end).map(buildChatAnnotation),
    );
  });
}

/** `MessagesAsChat` is one reply, whole or event by event. */
export class MessagesAsChat implements ReplyTranslator {
  readonly #call: AskedModel & AskedReply;
  readonly #created = Math.floor(Date.now() / 1000);
  #id = "";
  #hasStarted = false;
  #hasStopped = false;
  /** `#firstStopReason` is that of a message that starts with all of its content. */
  #firstStopReason: unknown;
  #usage: ReportedUsage | undefined;
  #calls = -1;
  readonly #ids = new CallIds();
  #reasoningBlocks = 0;
  /** The open block of reasoning. */
  #thinking: { type: unknown; thinking: string; signature: string } | undefined;
  /**
   * Open calls of tools by the index of their block, with arguments that began as a whole; the
   * provider's own are not for the client.
   */
  readonly #openCalls = new Map<unknown, { call: number; input: unknown; hasDeltas: boolean }>();
  /** Characters of the answer so far, and before the open block, with what that cites. */
  #length = 0;
  #blockStart = 0;
  #citations: JsonRecord[] = [];
  #annotations = 0;

  constructor(call: AskedModel & AskedReply) {
    this.#call = call;
  }

  translateReply(json: JsonRecord): JsonRecord {
    return translateReply(this.#call, this.#created, json);
  }

  translateEvent(event: string): string {
    const data = buildEventJson(event);
    switch (data.type) {
      case "message_start":
        return this.#messageStarted(record(data.message));
      case "content_block_start":
        return this.#blockStarted(record(data.content_block), data.index);
      case "content_block_delta":
        return this.#blockDelta(record(data.delta), data.index);
      case "content_block_stop":
        return this.#blockStopped(data.index);
      case "message_delta": {
        this.#usage = parseMessagesUsage(data.usage, this.#usage?.usage) ?? this.#usage;
        return this.#stopped(record(data.delta).stop_reason);
      }
      default:
        return "";
    }
  }

  finish(): string {
    const reason = this.#stopped(
      text(this.#firstStopReason) || (this.#calls >= 0 ? "tool_use" : "end_turn"),
    );
    const usage = this.#call.wantsUsage ? findChatUsage(this.#usage) : undefined;
    return reason + (usage ? writeSse({ ...this.#head(), choices: [], usage }) : "") + doneEvent;
  }

  /**
   * `#messageStarted` may come twice from some providers; the client reads one. A turn that only
   * tools continue starts with its content.
   */
  #messageStarted(message: JsonRecord): string {
    this.#id ||= text(message.id);
    this.#usage = parseMessagesUsage(message.usage);
    this.#firstStopReason = message.stop_reason;
    // What a first start left open does not end any more.
    this.#openCalls.clear();
    this.#thinking = undefined;
    const role = this.#hasStarted ? "" : this.#chunk({ role: "assistant", content: "" });
    this.#hasStarted = true;
    const blocks = records(message.content).map(
      (block, at) => this.#blockStarted(block, at) + this.#blockStopped(at),
    );
    return role + blocks.join("");
  }

  #stopped(stopReason: unknown): string {
    if (typeof stopReason !== "string" || this.#hasStopped) return "";
    this.#hasStopped = true;
    return this.#chunk({}, finishReason(stopReason, this.#calls >= 0));
  }

  #blockStarted(block: JsonRecord, place: unknown): string {
    // A block usually begins empty; some servers begin it with its first words, or send it as a
    // whole.
    if (block.type === "text") {
      this.#blockStart = this.#length;
      this.#citations = records(block.citations);
      this.#length += text(block.text).length;
      return this.#words({ content: text(block.text) });
    }
    if (block.type === "tool_use") {
      this.#calls += 1;
      this.#openCalls.set(place, { call: this.#calls, input: block.input, hasDeltas: false });
      const id = this.#ids.take(text(block.id) || ownCallId(this.#id, this.#calls));
      const calledFunction = { name: block.name, arguments: "" };
      return this.#chunk({
        tool_calls: [{ index: this.#calls, id, type: "function", function: calledFunction }],
      });
    }
    if (block.type === "redacted_thinking") return this.#reasoningBlock(block);
    if (block.type !== "thinking") return "";
    const thinking = text(block.thinking);
    this.#thinking = { type: "thinking", thinking, signature: text(block.signature) };
    return this.#words({ reasoning_content: thinking });
  }

  #words(delta: Readonly<Record<string, string>>): string {
    return Object.values(delta).every((words) => words === "") ? "" : this.#chunk(delta);
  }

  #blockDelta(delta: JsonRecord, place: unknown): string {
    switch (delta.type) {
      case "text_delta":
        this.#length += text(delta.text).length;
        return this.#chunk({ content: text(delta.text) });
      case "citations_delta":
        this.#citations.push(record(delta.citation));
        return "";
      case "thinking_delta":
        if (this.#thinking) this.#thinking.thinking += text(delta.thinking);
        return this.#chunk({ reasoning_content: text(delta.thinking) });
      case "signature_delta":
        if (this.#thinking) this.#thinking.signature += text(delta.signature);
        return "";
      case "input_json_delta":
        return this.#argumentsDelta(place, text(delta.partial_json));
      default:
        return "";
    }
  }

  #blockStopped(place: unknown): string {
    const { input, hasDeltas } = this.#openCalls.get(place) ?? { hasDeltas: true };
    // Clients parse the arguments as JSON; a call without any has no delta, and some providers send
    // them at its start.
    const missingArguments = hasDeltas
      ? ""
      : this.#argumentsDelta(place, JSON.stringify(input ?? {}));
    this.#openCalls.delete(place);
    const block = this.#thinking;
    this.#thinking = undefined;
    return (
      missingArguments +
      this.#cited() +
      (block && block.signature !== "" ? this.#reasoningBlock(block) : "")
    );
  }

  #cited(): string {
    if (this.#citations.length === 0) return "";
    const cited = this.#citations.flatMap((citation) =>
      blockCitation(citation, this.#blockStart, this.#length),
    );
    this.#citations = [];
    return cited.length === 0
      ? ""
      : this.#chunk({ annotations: cited.map((one) => this.#annotation(one)) });
  }

  /** Libraries merge the lists of a stream by the index of each entry. */
  #annotation(citation: JsonRecord): JsonRecord {
    const index = this.#annotations;
    this.#annotations += 1;
    return { index, ...buildChatAnnotation(citation) };
  }

  #argumentsDelta(place: unknown, written: string): string {
    const open = this.#openCalls.get(place);
    if (!open || written === "") return "";
    open.hasDeltas = true;
    return this.#chunk({ tool_calls: [{ index: open.call, function: { arguments: written } }] });
  }

  #reasoningBlock(block: JsonRecord): string {
    const index = this.#reasoningBlocks;
    this.#reasoningBlocks += 1;
    return this.#chunk({ thinking_blocks: [{ index, ...block }] });
  }

  #head(): JsonRecord {
    const { model } = this.#call;
    return {
      id: `chatcmpl-${this.#id}`,
      object: "chat.completion.chunk",
      created: this.#created,
      model,
    };
  }

  #chunk(delta: JsonRecord, finish_reason: string | null = null): string {
    return writeSse({
      ...this.#head(),
      choices: [{ index: 0, delta, logprobs: null, finish_reason }],
    });
  }
}
