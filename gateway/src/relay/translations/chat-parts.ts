/** What several translations of chat completions share. */

import { cachedTokens, completionTokens, promptTokens, type Usage } from "../../money/price.ts";
import { isReasoningModel } from "../formats/output-limit.ts";
import type { ReportedUsage } from "../formats/reported-usage.ts";
import { type JsonRecord, present, records, text } from "../wire/json-parts.ts";

/** The parts of `data:image/png;base64,…`. */
export function dataUrl(url: string): { mediaType: string; data: string } | undefined {
  const [, mediaType, data] = /^data:([\w.+/-]+);base64,(.*)$/s.exec(url) ?? [];
  return mediaType !== undefined && data !== undefined ? { mediaType, data } : undefined;
}

/** Content for chat completions: a plain string where it is text alone, which every provider accepts. */
export const chatContent = (parts: readonly JsonRecord[]): unknown =>
  parts.every(({ type }) => type === "text") ? parts.map((part) => text(part.text)).join("\n\n") : parts;

/** The reasoning text, by the field names that providers use; Mistral's reasoning models answer in a list of parts. */
export const reasoningTextIn = ({ reasoning_content, reasoning, content }: JsonRecord): string =>
  text(reasoning_content) ||
  text(reasoning) ||
  records(content)
    .flatMap((part) => (part.type === "thinking" ? records(part.thinking) : []))
    .map((part) => text(part.text))
    .join("");

/** The answer's text, as a string or in a list of parts. */
export const answerTextIn = ({ content }: JsonRecord): string =>
  text(content) ||
  records(content)
    .map((part) => text(part.text))
    .join("");

/** Includes models that take an effort, but their limit under its old name. */
export const acceptsReasoningEffort = (model: string): boolean =>
  isReasoningModel(model) || /^gemini-(2\.5|[3-9])/.test(model);

export const sse = (data: unknown): string => `data: ${JSON.stringify(data)}\n\n`;
/** An event named after the type of its data, as in every format but chat completions. */
export const namedSse = (data: JsonRecord): string => `event: ${text(data.type)}\n${sse(data)}`;

export function chatUsageFrom(read: ReportedUsage | undefined): JsonRecord | undefined {
  if (!read) return undefined;
  const { usage, hiddenOutput } = read;
  const prompt_tokens = promptTokens(usage);
  const completion_tokens = completionTokens(usage);
  const reasoning_tokens = reasoningTokensOf(usage, hiddenOutput);
  return present({
    prompt_tokens,
    completion_tokens,
    total_tokens: prompt_tokens + completion_tokens,
    prompt_tokens_details: present({ cached_tokens: cachedTokens(usage), audio_tokens: usage.input_audio }),
    completion_tokens_details:
      reasoning_tokens > 0 || usage.output_audio !== undefined
        ? present({ reasoning_tokens, audio_tokens: usage.output_audio })
        : undefined,
  });
}

/** The part of the hidden output that is neither audio nor image. */
export const reasoningTokensOf = ({ output_audio = 0, output_image = 0 }: Usage, hidden: number): number =>
  Math.max(0, hidden - output_audio - output_image);
