/** How many tokens a call may take: good enough to set quota aside, replaced by the provider's usage when it comes. */
import { charge, type ExtraUsage, noUsage, type Pricing } from "../../money/price.ts";
import type { ReportedUsage } from "./reported-usage.ts";

/** Four bytes of English make a token, and about three of most other scripts make less than one. */
const tokensPerByte = 0.25;
/** What the compatible servers reckon with when they count roughly: more than almost any text has. */
const tokensPerByteRough = 0.38;
/** A hold must not be too small: code and other scripts may need half as many tokens again. */
const holdMargin = 1.5;
const tokensPerMessage = 4;
/** An image or a recording travels as a long data URL, but costs the model about this much. */
const tokensPerAttachment = 1_200;
/** Held for the answer when neither the caller nor the model sets a limit. */
const unlimitedAnswer = 4_096;

/** Weighs the messages and the tools of a call, whatever is in them; how deep they nest was checked before. */
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

/** Completion tokens to hold for: the caller's limit or the model's, whichever is lower. */
export function answerTokens(maxTokens: number | undefined, modelMax: number, answers: number): number {
  const limits = [maxTokens, modelMax > 0 ? modelMax : undefined].filter((limit) => limit !== undefined);
  return (limits.length > 0 ? Math.min(...limits) : unlimitedAnswer) * answers;
}

/** Units to hold: the prompt with a margin and what the operator adds, the longest answer, and what is counted apart. */
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

/** What a whole answer is charged for where its provider counts nothing. */
export const estimatedUsage = (promptTokens: number, answer: string): ReportedUsage => ({
  usage: { ...noUsage, input: promptTokens, output: Math.ceil(Buffer.byteLength(answer) * tokensPerByte) },
  hiddenOutput: 0,
  isCorrected: false,
});

/** Visible output without usage: providers send a token an event, except those that send whole phrases. */
export function estimateOutputTokens(events: number, bytes: number): number {
  const phrase = 12;
  return events > 0 && bytes / events > phrase ? Math.ceil(bytes / 4) : events;
}
