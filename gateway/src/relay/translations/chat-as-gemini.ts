/** Replies of chat completions as Gemini's. */

import {
  computeCachedTokens,
  computeCompletionTokens,
  promptTokens,
} from "../../money/prices/price.ts";
import type { AskedModel } from "../formats/call-parts.ts";
import { parseEventUsage } from "../formats/usage/openai-usage.ts";
import type { ReportedUsage } from "../formats/usage/reported-usage.ts";
import { buildEventJson } from "../wire/event-text.ts";
import { type JsonRecord, present, readNumber, record, records, text } from "../wire/json-parts.ts";
import { listPictures } from "./answer-pictures.ts";
import {
  ChoiceDeltas,
  computeReasoningTokens,
  findWholeArguments,
  formatReasoningText,
  listToolCalls,
  readAnswerText,
  readChoiceEnd,
  refusedEnd,
  writeSse,
} from "./chat-parts.ts";
import { encodeReasoning, isSigned, stripIndex } from "./encrypted-reasoning.ts";
import { listThinkingBlocks } from "./returned-thoughts.ts";
import { type CallPiece, StreamedCalls } from "./streamed-calls.ts";
import { findGeminiLogprobs, listChoiceTokens } from "./token-logprobs.ts";
import type { ReplyTranslator } from "./translation.ts";
import {
  findGrounding,
  findKeptAnswer,
  findListedSources,
  listCitations,
} from "./url-citations.ts";

const finishReasons: Readonly<Record<string, string>> = {
  length: "MAX_TOKENS",
  content_filter: "SAFETY",
};
const finishReason = (ended: string): string => finishReasons[ended] ?? "STOP";

/** `CollectedChoice` is what of one choice is told at its end. */
interface CollectedChoice {
  /** Gemini's calls are whole, so those of a stream are collected until it ends. */
  calls: CallPiece[];
  streamed: StreamedCalls;
  /** Signed reasoning. */
  blocks: JsonRecord[];
  /** Citations count places in the text. */
  text: string;
  citations: JsonRecord[];
  /** The reason with which it ended, in the words of chat completions. */
  ended: string | undefined;
}

export class ChatAsGemini implements ReplyTranslator {
  readonly #deltas = new ChoiceDeltas();
  readonly #call: AskedModel;
  #id = "";
  #usage: ReportedUsage | undefined;
  /** `#choices` are in the order in which they began. */
  readonly #choices = new Map<number, CollectedChoice>();
  /** `#sources` are those of providers that list what they found beside the choices. */
  #sources: readonly JsonRecord[] = [];

  constructor(call: AskedModel) {
    this.#call = call;
  }

  translateReply(json: JsonRecord): JsonRecord {
    this.#recordReply(json);
    const candidates = records(json.choices).map((choice, index) => {
      const reply = record(choice.message);
      const collected = this.#collect(
        index,
        { ...reply, tool_calls: numberItems(reply), function_call: undefined },
        choice,
      );
      collectPieces(collected, collected.streamed.end());
      return translateCandidate(index, [...translateContentParts(reply), ...callParts(collected)], {
        finishReason: readFinish(collected),
        logprobsResult: findGeminiLogprobs(listChoiceTokens(choice)),
        groundingMetadata: this.#grounding(collected),
      });
    });
    return this.#response(candidates, this.#usage);
  }

  translateEvent(event: string): string {
    const json = buildEventJson(event);
    this.#recordReply(json);
    return records(json.choices)
      .map((choice) => {
        const index = readNumber(choice.index);
        const delta = this.#deltas.read(choice);
        this.#collect(index, delta, choice);
        const parts = translateContentParts(delta);
        if (parts.length === 0) return "";
        const logprobsResult = findGeminiLogprobs(listChoiceTokens(choice));
        return writeSse(this.#response([translateCandidate(index, parts, { logprobsResult })]));
      })
      .join("");
  }

  finish(): string {
    if (this.#choices.size === 0) this.#collect(0, {}, {});
    const candidates = [...this.#choices].map(([index, collected]) => {
      collectPieces(collected, collected.streamed.end());
      const parts = callParts(collected);
      return translateCandidate(index, parts.length > 0 ? parts : [{ text: "" }], {
        finishReason: readFinish(collected),
        groundingMetadata: this.#grounding(collected),
      });
    });
    return writeSse(this.#response(candidates, this.#usage));
  }

  #recordReply(json: JsonRecord): void {
    this.#id ||= text(json.id);
    this.#usage = parseEventUsage(json) ?? this.#usage;
    const sources = findListedSources(json);
    if (sources.length > 0) this.#sources = sources;
  }

  #collect(index: number, delta: JsonRecord, choiceEvent: JsonRecord): CollectedChoice {
    const choice = this.#choices.get(index) ?? {
      calls: [],
      streamed: new StreamedCalls(),
      blocks: [],
      text: "",
      citations: [],
      ended: undefined,
    };
    this.#choices.set(index, choice);
    choice.text = findKeptAnswer(choice.text, readAnswerText(delta));
    choice.citations.push(...listCitations(delta));
    choice.blocks.push(...listThinkingBlocks(delta).filter(isSigned).map(stripIndex));
    const ended = readChoiceEnd(choiceEvent, delta);
    if (ended !== undefined && choice.ended !== refusedEnd) choice.ended = ended;
    for (const part of listToolCalls(delta)) collectPieces(choice, choice.streamed.push(part));
    return choice;
  }

  #grounding({ citations, text: answer }: CollectedChoice): JsonRecord | undefined {
    return findGrounding(citations.length > 0 ? citations : this.#sources, answer);
  }

  #response(candidates: readonly JsonRecord[], read?: ReportedUsage): JsonRecord {
    const usageMetadata = read && buildGeminiUsage(read);
    return present({
      candidates,
      usageMetadata,
      modelVersion: this.#call.model,
      responseId: this.#id,
    });
  }
}

/** Calls of a whole reply are in order, and without numbers. */
const numberItems = (reply: JsonRecord): JsonRecord[] =>
  listToolCalls(reply).map((call, index) => ({ ...call, index }));

function collectPieces({ calls }: CollectedChoice, pieces: readonly CallPiece[]): void {
  for (const piece of pieces) {
    const begun = calls.find(({ call }) => call === piece.call);
    if (begun) begun.written += piece.written;
    else calls.push({ ...piece });
  }
}

const translateCandidate = (
  index: number,
  parts: readonly JsonRecord[],
  more: JsonRecord,
): JsonRecord => present({ content: { role: "model", parts }, index, ...more });

function translateContentParts(reply: JsonRecord): JsonRecord[] {
  const reasoning = formatReasoningText(reply);
  const content = readAnswerText(reply) + text(reply.refusal);
  return [
    ...(reasoning === "" ? [] : [{ text: reasoning, thought: true }]),
    ...(content === "" ? [] : [{ text: content }]),
    ...listPictures(reply).map(({ mediaType, data }) => ({
      inlineData: { mimeType: mediaType, data },
    })),
  ];
}

/**
 * A call that was cut off has no part: a program might run the tool with less than the model meant.
 * Signed reasoning travels in the signature of the call, which libraries send back unread.
 */
function callParts({ calls, blocks }: CollectedChoice): JsonRecord[] {
  return calls.flatMap(({ id, name, written, isCustom, signature }, at) => {
    const args = findWholeArguments({ written, isCustom });
    const signed = [...(at === 0 ? blocks : []), ...(signature ? [signature] : [])];
    const thoughtSignature = signed.length > 0 ? encodeReasoning(signed) : undefined;
    return args
      ? [present({ functionCall: present({ id: id || undefined, name, args }), thoughtSignature })]
      : [];
  });
}

/** An answer of which no call is left is none that ended well. */
function readFinish(choice: CollectedChoice): string {
  const { calls, streamed, ended = "stop" } = choice;
  const hasCalls = calls.length > 0 || streamed.hasNameless;
  const hasLostCalls = hasCalls && callParts(choice).length === 0;
  return hasLostCalls && ended !== "length" ? "MALFORMED_FUNCTION_CALL" : finishReason(ended);
}

function buildGeminiUsage({ usage, hiddenOutput }: ReportedUsage): JsonRecord {
  const promptTokenCount = promptTokens(usage);
  const completion = computeCompletionTokens(usage);
  const reasoningTokens = computeReasoningTokens(usage, hiddenOutput);
  return present({
    promptTokenCount,
    candidatesTokenCount: completion - reasoningTokens,
    totalTokenCount: promptTokenCount + completion,
    cachedContentTokenCount: computeCachedTokens(usage) || undefined,
    thoughtsTokenCount: reasoningTokens || undefined,
  });
}
