/** The smaller interfaces of OpenAI's family: a body with a model and an input, one answer with usage. */
import type { EndpointName } from "@tollgate/contract/channel-endpoints.ts";
import * as z from "zod/mini";
import { estimatePromptTokens } from "../estimate.ts";
import { eventText, textIn } from "../event-text.ts";
import { bodyWith } from "./body-with.ts";
import { chatCompletions, chatEvent } from "./chat-completions.ts";
import { modelName, tokenLimit } from "./fields.ts";
import { usageFrom } from "./open-ai-usage.ts";
import { doneEvent, openAiWording } from "./open-ai-wording.ts";
import { readAsked } from "./read-asked.ts";
import { saying } from "./saying.ts";
import type { AnswerFacts, Asked, EventFacts, Shape } from "./shape.ts";

const given = z.custom<string | object>(
  (value) => (typeof value === "string" && value !== "") || (typeof value === "object" && value !== null),
  "is required",
);

/** Nothing is written, so only the prompt costs; `list` is where the answer keeps its results. */
function readingCall(entry: EndpointName, inputs: readonly string[], list: string): Shape {
  const request = z.object({ model: modelName, ...Object.fromEntries(inputs.map((name) => [name, given])) });
  return {
    entry,
    read(json, isEstimateRough): Asked {
      const asked = readAsked(request, json, "invalid_text_request") as Record<string, unknown> & { model: string };
      const messages = inputs.map((name) => ({ content: asked[name] }));
      return {
        model: asked.model,
        isStream: false,
        wantsUsage: true,
        streamOptions: {},
        maxTokens: 0,
        answers: 1,
        promptEstimate: estimatePromptTokens(messages, undefined, isEstimateRough),
      };
    },
    passedHeaders: [],
    bodyFor: (call, model) => bodyWith(call, model),
    answer(json): AnswerFacts | undefined {
      if (!Array.isArray(json[list])) return undefined;
      return { usage: usageFrom(json.usage), text: "" };
    },
    events: () => () => ({ kind: "other", textBytes: 0 }),
    terminator: "",
    wording: openAiWording,
    probe: (model, question) => ({ model, ...Object.fromEntries(inputs.map((name) => [name, [question]])) }),
  };
}

export const embeddings = readingCall("embeddings", ["input"], "data");
export const moderations = readingCall("moderations", ["input"], "results");
export const rerank = readingCall("rerank", ["query", "documents"], "results");

const completionRequest = z.object({
  model: modelName,
  prompt: given,
  stream: z.optional(z.nullable(z.boolean())),
  stream_options: z.optional(z.nullable(z.looseObject({ include_usage: z.optional(z.nullable(z.boolean())) }))),
  max_tokens: tokenLimit,
  n: z.optional(z.nullable(z.int().check(z.minimum(1), z.maximum(128)))),
});

/** What the model writes when the caller sets no limit. */
const usualLength = 16;

function completionEvent(event: string, wantsUsage: boolean): EventFacts {
  const facts = chatEvent(event, wantsUsage);
  if (facts.kind !== "other" || facts.isHidden) return facts;
  const words = textIn(eventText(event)?.text ?? "", ["text"]);
  return words === "" ? facts : { ...facts, ...saying(words) };
}

/** Text completions, the interface before chat. */
export const completions: Shape = {
  ...chatCompletions,
  entry: "completions",
  read(json, isEstimateRough): Asked {
    const asked = readAsked(completionRequest, json, "invalid_text_request");
    const { model, prompt, stream, stream_options, max_tokens, n } = asked;
    return {
      model,
      isStream: stream === true,
      wantsUsage: stream_options?.include_usage === true,
      streamOptions: stream_options ?? {},
      maxTokens: max_tokens ?? usualLength,
      answers: n ?? 1,
      promptEstimate: estimatePromptTokens([{ content: prompt }], undefined, isEstimateRough),
    };
  },
  /** A prompt of the channel has no place in it. */
  bodyFor: (call, model) => chatCompletions.bodyFor(call, model, null),
  answer({ choices, usage }): AnswerFacts | undefined {
    if (!Array.isArray(choices)) return undefined;
    const texts = choices.map((choice: { text?: unknown } | null) =>
      typeof choice?.text === "string" ? choice.text : "",
    );
    return { usage: usageFrom(usage), text: texts.join("") };
  },
  events:
    ({ wantsUsage }) =>
    (event) =>
      completionEvent(event, wantsUsage),
  terminator: doneEvent,
  probe: (model, prompt, max_tokens) => ({ model, prompt, max_tokens }),
};
