/** OpenAI's smaller APIs: a request with a model and an input, one reply with usage. */
import type { EndpointName } from "@tollgate/contract/catalogue/channel-endpoints.ts";
import { noUsage } from "../../money/prices/price.ts";
import { findEventText, readText } from "../wire/event-text.ts";
import { type JsonRecord, record, records } from "../wire/json-parts.ts";
import type { ClientFormat, ReplyFacts, StreamEventFacts } from "./api-format.ts";
import type { PlainRequest, StatedNeeds } from "./call-parts.ts";
import { answersMax, chatCompletions, readChatEvent } from "./chat-completions.ts";
import { createLimitWriter, parseAnswers, parseOutputLimit } from "./hold-size/output-limit.ts";
import { estimatePromptTokens } from "./hold-size/token-estimate.ts";
import { doneEvent, openAiErrors } from "./openai-errors.ts";
import { buildTextFacts, streamOrJson } from "./reply-facts.ts";
import {
  field,
  integerField,
  modelName,
  objectField,
  optional,
  parseBody,
  patchBody,
  streamOptions,
  switchField,
  tokenLimit,
} from "./request-fields.ts";
import { parseOpenAiUsage } from "./usage/openai-usage.ts";
import { findTokenCount, type ReportedUsage } from "./usage/reported-usage.ts";

const requiredInput = field(
  (value): value is string | object =>
    (typeof value === "string" && value !== "") || (typeof value === "object" && value !== null),
  "is required",
);

/**
 * The prompts of one request: texts, token numbers, or a list of either; a list of numbers alone is
 * one prompt.
 */
const listPrompts = (input: unknown): readonly unknown[] =>
  Array.isArray(input) && input.length > 0 && typeof input[0] !== "number" ? input : [input];

/**
 * Libraries that count tokens themselves send their numbers; other APIs would embed nothing in the
 * place of an input that is no text.
 */
const holdsMoreThanTexts = (input: unknown): boolean =>
  [input].flat().some((one) => typeof one !== "string");

/** Texts and tokens have a vector each; of pictures beside them some models make one together. */
const countVectors = (input: unknown): number | undefined =>
  [input].flat(2).every((one) => typeof one === "string" || typeof one === "number")
    ? listPrompts(input).length
    : undefined;

const isVector = ({ embedding }: JsonRecord): boolean =>
  !(Array.isArray(embedding) && embedding.length === 0);

/** Cohere bills reranking by the search unit, and counts no tokens. */
function parseSearchUnits(meta: unknown): ReportedUsage | undefined {
  const search_units = findTokenCount(record(record(meta).billed_units).search_units) ?? 0;
  if (search_units === 0) return undefined;
  const members = { meta: { billed_units: { search_units } } };
  return {
    usage: { ...noUsage, search_units },
    hiddenOutput: 0,
    isCorrected: false,
    wire: { family: "openai", members },
  };
}

/**
 * `buildInputOnlyFormat` has no output, and only the prompt is charged; `resultsFields` name the
 * reply's list of results.
 */
function buildInputOnlyFormat(
  endpoint: EndpointName,
  inputs: readonly string[],
  ...resultsFields: string[]
): ClientFormat {
  const request = objectField({
    model: modelName,
    ...Object.fromEntries(inputs.map((name) => [name, requiredInput])),
  });
  return {
    endpoint,
    parseRequest(json, isEstimateRough): PlainRequest & Pick<StatedNeeds, "ownApiFor"> {
      const parsed = parseBody(request, json, "invalid_text_request") as Record<string, unknown> & {
        model: string;
      };
      const messages = inputs
        .flatMap((name) => listPrompts(parsed[name]))
        .map((content) => ({ content }));
      return {
        model: parsed.model,
        isStream: false,
        wantsUsage: true,
        streamOptions: {},
        maxOutputTokens: 0,
        choiceCount: 1,
        promptEstimate: estimatePromptTokens(messages, json as JsonRecord, isEstimateRough, inputs),
        ...(endpoint === "embeddings" && {
          vectorCount: countVectors(parsed.input),
          ...(holdsMoreThanTexts(parsed.input) && { ownApiFor: "token_ids" as const }),
        }),
      };
    },
    passedHeaders: [],
    errorFormat: openAiErrors,
    upstream: {
      endpoint,
      writeBody: (call, model) => patchBody(call, model),
      replies: streamOrJson,
      readReply(json): ReplyFacts | undefined {
        const lists = resultsFields.map((name) => json[name]).filter(Array.isArray);
        // No vector at all is no answer, and another channel may give one.
        if (!lists.some((list) => endpoint !== "embeddings" || list.length > 0)) return undefined;
        return {
          usage: parseOpenAiUsage(json.usage) ?? parseSearchUnits(json.meta),
          text: "",
          ...(endpoint === "embeddings" && {
            vectorCount: records(json.data).filter(isVector).length,
          }),
        };
      },
      createEventReader: () => () => ({ kind: "other", textBytes: 0 }),
      terminator: "",
    },
  };
}

export const embeddings = buildInputOnlyFormat("embeddings", ["input"], "data");
export const moderations = buildInputOnlyFormat("moderations", ["input"], "results");
/** Voyage calls the results `data`. */
export const rerank = buildInputOnlyFormat("rerank", ["query", "documents"], "results", "data");

const completionRequest = objectField({
  model: modelName,
  prompt: requiredInput,
  stream: switchField,
  stream_options: streamOptions,
  max_tokens: tokenLimit,
  n: optional(integerField(1, answersMax)),
});

function readCompletionEvent(event: string, wantsUsage: boolean): StreamEventFacts {
  const facts = readChatEvent(event, wantsUsage);
  if (facts.kind !== "other" || facts.isHidden) return facts;
  const modelText = readText(findEventText(event)?.text ?? "", ["text"]);
  return modelText === "" ? facts : { ...facts, ...buildTextFacts(modelText) };
}

/** Text completions, the API before chat. */
export const completions: ClientFormat = {
  ...chatCompletions,
  endpoint: "completions",
  writeOutputLimit: createLimitWriter("max_tokens"),
  parseRequest(json, isEstimateRough): PlainRequest {
    const parsed = parseBody(completionRequest, json, "invalid_text_request");
    const { model, prompt, stream, stream_options } = parsed;
    const prompts = listPrompts(prompt);
    return {
      model,
      isStream: stream === true,
      wantsUsage: stream_options?.include_usage === true,
      streamOptions: stream_options ?? {},
      maxOutputTokens: parseOutputLimit(json),
      choiceCount: parseAnswers(json, prompts.length),
      promptEstimate: estimatePromptTokens(
        prompts.map((content) => ({ content })),
        json as JsonRecord,
        isEstimateRough,
        ["prompt"],
      ),
    };
  },
  upstream: {
    ...chatCompletions.upstream,
    endpoint: "completions",
    // A whole reply has the form of an event.
    replies: {
      ...streamOrJson,
      streamFromReply: (json) => `data: ${JSON.stringify(json)}\n\n${doneEvent}`,
    },
    /** The format has no place for the channel's system prompt. */
    writeBody: (call, model) => chatCompletions.upstream.writeBody(call, model, null),
    readReply({ choices, usage }): ReplyFacts | undefined {
      if (!Array.isArray(choices) || choices.length === 0) return undefined;
      const texts = choices.map((choice: { text?: unknown } | null) =>
        typeof choice?.text === "string" ? choice.text : "",
      );
      return { usage: parseOpenAiUsage(usage), text: texts.join("") };
    },
    createEventReader:
      ({ wantsUsage }) =>
      (event) =>
        readCompletionEvent(event, wantsUsage),
  },
};
