/** Replies of chat completions as Gemini's. */

import { cachedTokens, completionTokens, promptTokens } from "../../money/price.ts";
import type { RelayCall } from "../formats/api-format.ts";
import { endReasonIn } from "../formats/chat-end-reasons.ts";
import { parseOpenAiUsage } from "../formats/openai-usage.ts";
import type { ReportedUsage } from "../formats/reported-usage.ts";
import { eventJson } from "../wire/event-text.ts";
import { type JsonRecord, numberOf, present, record, records, text } from "../wire/json-parts.ts";
import { picturesIn } from "./answer-pictures.ts";
import {
  answerTextIn,
  calledTool,
  isNextCall,
  reasoningTextIn,
  reasoningTokensOf,
  sse,
  toolCallsIn,
  wholeArguments,
} from "./chat-parts.ts";
import { callSignatureBlock, encodeReasoning, isSigned, withoutIndex } from "./encrypted-reasoning.ts";
import { thinkingBlocksIn } from "./returned-thoughts.ts";
import { choiceTokens, geminiLogprobs } from "./token-logprobs.ts";
import type { ReplyTranslator } from "./translation.ts";
import { citationsIn, groundingOf, keptAnswer, listedSources } from "./url-citations.ts";

const finishReasons: Readonly<Record<string, string>> = { length: "MAX_TOKENS", content_filter: "SAFETY" };
const finishReason = (ended: string): string => finishReasons[ended] ?? "STOP";

/** Gemini's calls are whole, so those of a stream are collected until it ends. */
interface CollectedToolCall {
  number: number;
  id: string;
  name: string;
  written: string;
  isCustom: boolean;
  /** Google's own signature of the call. */
  signature: JsonRecord | undefined;
}

/** What of one choice is told at its end. */
interface CollectedChoice {
  calls: CollectedToolCall[];
  /** Signed reasoning. */
  blocks: JsonRecord[];
  /** Citations count places in the text. */
  text: string;
  citations: JsonRecord[];
  finishReason: string | undefined;
}

export class ChatAsGemini implements ReplyTranslator {
  readonly #call: RelayCall;
  #id = "";
  #usage: ReportedUsage | undefined;
  /** In the order in which they began. */
  readonly #choices = new Map<number, CollectedChoice>();
  /** Of providers that list what they found beside the choices. */
  #sources: readonly JsonRecord[] = [];

  constructor(call: RelayCall) {
    this.#call = call;
  }

  translateReply(json: JsonRecord): JsonRecord {
    this.#recordReply(json);
    const candidates = records(json.choices).map((choice, index) => {
      const reply = record(choice.message);
      const collected = this.#collect(
        index,
        { ...reply, tool_calls: numbered(reply), function_call: undefined },
        choice,
      );
      return candidate(index, [...contentParts(reply), ...callParts(collected)], {
        finishReason: collected.finishReason ?? "STOP",
        logprobsResult: geminiLogprobs(choiceTokens(choice)),
        groundingMetadata: this.#grounding(collected),
      });
    });
    return this.#response(candidates, this.#usage);
  }

  translateEvent(event: string): string {
    const json = eventJson(event);
    this.#recordReply(json);
    return records(json.choices)
      .map((choice) => {
        const index = numberOf(choice.index);
        const delta = record(choice.delta);
        this.#collect(index, delta, choice);
        const parts = contentParts(delta);
        if (parts.length === 0) return "";
        const logprobsResult = geminiLogprobs(choiceTokens(choice));
        return sse(this.#response([candidate(index, parts, { logprobsResult })]));
      })
      .join("");
  }

  finish(): string {
    if (this.#choices.size === 0) this.#collect(0, {}, {});
    const candidates = [...this.#choices].map(([index, collected]) => {
      const parts = callParts(collected);
      return candidate(index, parts.length > 0 ? parts : [{ text: "" }], {
        finishReason: collected.finishReason ?? "STOP",
        groundingMetadata: this.#grounding(collected),
      });
    });
    return sse(this.#response(candidates, this.#usage));
  }

  #recordReply(json: JsonRecord): void {
    this.#id ||= text(json.id);
    this.#usage = parseOpenAiUsage(json.usage) ?? this.#usage;
    const sources = listedSources(json);
    if (sources.length > 0) this.#sources = sources;
  }

  #collect(index: number, delta: JsonRecord, choiceEvent: JsonRecord): CollectedChoice {
    const choice = this.#choices.get(index) ?? {
      calls: [],
      blocks: [],
      text: "",
      citations: [],
      finishReason: undefined,
    };
    this.#choices.set(index, choice);
    choice.text = keptAnswer(choice.text, answerTextIn(delta));
    choice.citations.push(...citationsIn(delta));
    choice.blocks.push(...thinkingBlocksIn(delta).filter(isSigned).map(withoutIndex));
    const ended = endReasonIn(choiceEvent);
    if (ended !== undefined) choice.finishReason = finishReason(ended);
    for (const part of toolCallsIn(delta)) collectToolCall(choice.calls, part);
    return choice;
  }

  #grounding({ citations, text: answer }: CollectedChoice): JsonRecord | undefined {
    return groundingOf(citations.length > 0 ? citations : this.#sources, answer);
  }

  #response(candidates: readonly JsonRecord[], read?: ReportedUsage): JsonRecord {
    const usageMetadata = read && geminiUsageFrom(read);
    return present({ candidates, usageMetadata, modelVersion: this.#call.model, responseId: this.#id });
  }
}

/** Calls of a whole reply are in order, and without numbers. */
const numbered = (reply: JsonRecord): JsonRecord[] => toolCallsIn(reply).map((call, index) => ({ ...call, index }));

function collectToolCall(calls: CollectedToolCall[], part: JsonRecord): void {
  const number = numberOf(part.index);
  const id = text(part.id);
  const current = calls.findLast((call) => call.number === number);
  // Some servers give every call the same index: a different id is a different call.
  const { name, written, isCustom } = calledTool(part);
  const isSame = current !== undefined && (id === "" || current.id === "" || id === current.id);
  const isContinued = isSame && !isNextCall(current, { id, name, written });
  const begun = { number, id: "", name: "", written: "", isCustom, signature: callSignatureBlock(part) };
  const call = isContinued ? current : begun;
  if (!isContinued) calls.push(call);
  call.id ||= id;
  call.name ||= name;
  call.written += written;
}

const candidate = (index: number, parts: readonly JsonRecord[], more: JsonRecord): JsonRecord =>
  present({ content: { role: "model", parts }, index, ...more });

function contentParts(reply: JsonRecord): JsonRecord[] {
  const reasoning = reasoningTextIn(reply);
  const content = answerTextIn(reply) + text(reply.refusal);
  return [
    ...(reasoning === "" ? [] : [{ text: reasoning, thought: true }]),
    ...(content === "" ? [] : [{ text: content }]),
    ...picturesIn(reply).map(({ mediaType, data }) => ({ inlineData: { mimeType: mediaType, data } })),
  ];
}

/**
 * A call that was cut off has no part: a program might run the tool with less than the model meant. Signed reasoning travels in the
 * signature of the call, which libraries send back unread.
 */
function callParts({ calls, blocks }: CollectedChoice): JsonRecord[] {
  return calls.flatMap(({ id, name, written, isCustom, signature }, at) => {
    const args = wholeArguments({ written, isCustom });
    const signed = [...(at === 0 ? blocks : []), ...(signature ? [signature] : [])];
    const thoughtSignature = signed.length > 0 ? encodeReasoning(signed) : undefined;
    return args ? [present({ functionCall: present({ id: id || undefined, name, args }), thoughtSignature })] : [];
  });
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
