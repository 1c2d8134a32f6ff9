/** Chat completions: OpenAI's older interface, which nearly every provider speaks. */
import * as z from "zod/mini";
import { estimatePromptTokens } from "../estimate.ts";
import { type EventText, eventText, isObject, stringAt, textIn, valueStart } from "../event-text.ts";
import { bodyWith } from "./body-with.ts";
import { conversation, modelName, tokenLimit } from "./fields.ts";
import { usageFrom } from "./open-ai-usage.ts";
import { doneEvent, openAiWording } from "./open-ai-wording.ts";
import { readAsked } from "./read-asked.ts";
import { saying } from "./saying.ts";
import type { AnswerFacts, Asked, Call, EventFacts, Shape } from "./shape.ts";

const chatRequest = z.object({
  model: modelName,
  messages: conversation,
  stream: z.optional(z.nullable(z.boolean())),
  stream_options: z.optional(z.nullable(z.looseObject({ include_usage: z.optional(z.nullable(z.boolean())) }))),
  max_tokens: tokenLimit,
  max_completion_tokens: tokenLimit,
  n: z.optional(z.nullable(z.int().check(z.minimum(1), z.maximum(128)))),
});

function read(json: unknown, isEstimateRough: boolean): Asked {
  const asked = readAsked(chatRequest, json, "invalid_text_request");
  const { model, messages, stream, stream_options, max_tokens, max_completion_tokens, n } = asked;
  return {
    model,
    isStream: stream === true,
    wantsUsage: stream_options?.include_usage === true,
    streamOptions: stream_options ?? {},
    maxTokens: max_completion_tokens ?? max_tokens ?? undefined,
    answers: n ?? 1,
    promptEstimate: estimatePromptTokens(messages, (json as { tools?: unknown }).tools, isEstimateRough),
  };
}

function bodyFor(call: Call, model: string, systemPrompt: string | null): Buffer {
  const replaced: Record<string, string> = {};
  // Without this a stream ends without usage, and the charge would be a guess.
  if (call.isStream && !call.wantsUsage) {
    replaced.stream_options = JSON.stringify({ ...call.streamOptions, include_usage: true });
  }
  if (systemPrompt !== null) replaced.messages = withSystemPrompt(call.body, systemPrompt);
  return bodyWith(call, model, replaced);
}

/** The channel's prompt takes the place of a leading system message, or goes in front. */
function withSystemPrompt(body: Buffer, prompt: string): string {
  const { messages } = JSON.parse(body.toString("utf8")) as { messages: { role?: unknown }[] };
  const rest = messages[0]?.role === "system" ? messages.slice(1) : messages;
  return JSON.stringify([{ role: "system", content: prompt }, ...rest]);
}

interface AnswerMessage {
  content?: unknown;
  reasoning_content?: unknown;
  reasoning?: unknown;
  refusal?: unknown;
  tool_calls?: readonly { function?: { arguments?: unknown } }[];
}

function answer({ choices, usage }: Readonly<Record<string, unknown>>): AnswerFacts | undefined {
  if (!Array.isArray(choices)) return undefined;
  let text = "";
  for (const choice of choices) {
    const { message } = (choice ?? {}) as { message?: AnswerMessage };
    for (const said of [message?.reasoning_content, message?.reasoning, message?.content, message?.refusal]) {
      if (typeof said === "string") text += said;
    }
    for (const call of Array.isArray(message?.tool_calls) ? message.tool_calls : []) {
      if (typeof call?.function?.arguments === "string") text += call.function.arguments;
    }
  }
  return { usage: usageFrom(usage), text };
}

const nothing: EventFacts = { kind: "other", textBytes: 0 };
const last: EventFacts = { kind: "other", textBytes: 0, isLast: true };
const damaged: EventFacts = { kind: "damaged", textBytes: 0 };
const done: EventFacts = { kind: "done", textBytes: 0 };
const doneWord = "[DONE]";
const textMembers = ["content", "reasoning_content", "reasoning", "refusal", "arguments"];

/** Reads one event. Only those with usage or an error are parsed; the rest is looked at as text. */
export function chatEvent(event: string, wantsUsage: boolean): EventFacts {
  const seen = eventText(event);
  if (!seen) return nothing;
  const { text, from, end } = seen;
  if (end - from === doneWord.length && text.startsWith(doneWord, from)) return done;
  if (!isObject(seen)) return damaged;
  const hasUsage = text[valueStart(text, "usage")] === "{";
  // And nearly every delta begins with its text: one search and a few characters settle it.
  const delta = valueStart(text, "delta");
  const leading = delta >= 0 ? leadingText(text, delta) : "";
  const words = leading !== "" ? leading : textIn(text, textMembers);
  if (hasUsage || (leading === "" && hasErrorIn(text))) return parsed(seen, words, wantsUsage);
  const isLast = hasFinishReason(text);
  if (words === "") return isLast ? last : nothing;
  return isLast ? { ...saying(words), isLast } : saying(words);
}

function parsed({ text, from }: EventText, words: string, wantsUsage: boolean): EventFacts {
  try {
    const data = JSON.parse(text.slice(from)) as { usage?: unknown; error?: unknown; choices?: unknown };
    const { error, choices } = data;
    if (error !== undefined && error !== null) return { kind: "error", textBytes: 0, error };
    const usage = usageFrom(data.usage);
    const isUsageOnly = isRecord(data.usage) && (!Array.isArray(choices) || choices.length === 0);
    return {
      ...(words !== "" && !isUsageOnly ? saying(words) : nothing),
      ...(usage && { usage }),
      isHidden: isUsageOnly && !wantsUsage,
      isLast: isRecord(data.usage) || hasFinishReason(text),
    };
  } catch {
    return damaged;
  }
}

const isRecord = (value: unknown): boolean => typeof value === "object" && value !== null;

const opening = '{"content":';

/** The text when the object at `delta` begins with a content string, else nothing. */
function leadingText(data: string, delta: number): string {
  if (!data.startsWith(opening, delta)) return "";
  const at = data[delta + opening.length] === " " ? delta + opening.length + 1 : delta + opening.length;
  return data[at] === '"' ? stringAt(data, at) : "";
}

/** An answer that gives its reason to stop has said everything. */
const hasFinishReason = (data: string): boolean => data[valueStart(data, "finish_reason")] === '"';

const hasErrorIn = (data: string): boolean => {
  const at = valueStart(data, "error");
  return at >= 0 && data[at] !== "n";
};

export const chatCompletions: Shape = {
  entry: "chat_completions",
  read,
  passedHeaders: [],
  bodyFor,
  answer,
  events:
    ({ wantsUsage }) =>
    (event) =>
      chatEvent(event, wantsUsage),
  terminator: doneEvent,
  wording: openAiWording,
  probe: (model, question, max_tokens) => ({ model, messages: [{ role: "user", content: question }], max_tokens }),
};
