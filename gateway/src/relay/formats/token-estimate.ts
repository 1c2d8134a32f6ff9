/** Estimates the tokens of a call: good enough for a hold, replaced by the usage that the provider reports. */
import { charge, type ExtraUsage, noUsage, type Pricing } from "../../money/price.ts";
import type { ReportedUsage } from "./reported-usage.ts";

/** A token is about four bytes of English, and more than three bytes of most other scripts. */
const tokensPerByte = 0.25;
/** The rough estimate of compatible servers: more than almost any text has. */
const tokensPerByteRough = 0.38;
/** A hold must not be too small: code and other scripts may need half as many tokens more. */
const holdMargin = 1.5;
const tokensPerMessage = 4;
/** Images and audio are sent as long data URLs, but cost about this many tokens. */
const tokensPerAttachment = 1_200;
/** Output tokens to hold for when neither the client nor the model sets a limit. */
const unlimitedAnswer = 4_096;

/** Estimates messages and tools of any content; their nesting depth was checked before. */
export function estimatePromptTokens(
  messages: readonly { content?: unknown; tool_calls?: unknown }[],
  tools: unknown,
  isRough: boolean,
): number {
  const perByte = isRough ? tokensPerByteRough : tokensPerByte;
  let tokens = messages.length * tokensPerMessage + weigh(tools, perByte);
  for (const { content, tool_calls } of messages) tokens += weigh(content, perByte) + weigh(tool_calls, perByte);
  return Math.ceil(tokens);
}

function weigh(value: unknown, perByte: number): number {
  if (typeof value === "string") {
    return value.startsWith("data:") ? tokensPerAttachment : Buffer.byteLength(value) * perByte;
  }
  if (typeof value !== "object" || value === null) return 0;
  let tokens = 0;
  for (const part of Array.isArray(value) ? value : Object.values(value)) tokens += weigh(part, perByte);
  return tokens;
}

/** Completion tokens to hold for: the client's limit or the model's, whichever is lower. */
export function answerTokens(maxTokens: number | undefined, modelMax: number, answers: number): number {
  const limits = [maxTokens, modelMax > 0 ? modelMax : undefined].filter((limit) => limit !== undefined);
  return (limits.length > 0 ? Math.min(...limits) : unlimitedAnswer) * answers;
}

/** Units to hold: the prompt with a margin and the operator's addition, the longest output, and usage beside text. */
export function holdAmount(
  pricing: Pricing,
  promptTokens: number,
  addedTokens: number,
  completionTokens: number,
  groupRatio: number,
  extras: ExtraUsage = {},
): number {
  const input = Math.ceil(promptTokens * holdMargin) + addedTokens;
  return charge(pricing, { ...noUsage, ...extras, input, output: completionTokens }, groupRatio);
}

/** The usage of a whole reply whose provider reports none. */
export const estimatedUsage = (promptTokens: number, answer: string): ReportedUsage => ({
  usage: { ...noUsage, input: promptTokens, output: Math.ceil(Buffer.byteLength(answer) * tokensPerByte) },
  hiddenOutput: 0,
  isCorrected: false,
});

/** Estimates the output of a stream without usage: most providers send one token per event, some whole phrases. */
export function estimateOutputTokens(events: number, bytes: number): number {
  const phrase = 12;
  return events > 0 && bytes / events > phrase ? Math.ceil(bytes / 4) : events;
}
