/** What several translations say or read alike. */

import { cachedTokens, completionTokens, promptTokens, type Usage } from "../../money/price.ts";
import { type Json, present, text } from "../json-parts.ts";
import type { ReadUsage } from "../usage.ts";

/** `data:image/png;base64,…` taken apart. */
export function dataUrl(url: string): { mediaType: string; data: string } | undefined {
  const [, mediaType, data] = /^data:([\w.+/-]+);base64,(.*)$/s.exec(url) ?? [];
  return mediaType !== undefined && data !== undefined ? { mediaType, data } : undefined;
}

/** Content for chat completions: plain text where it is nothing else, which every provider takes. */
export const chatContent = (parts: readonly Json[]): unknown =>
  parts.every(({ type }) => type === "text") ? parts.map((part) => text(part.text)).join("\n\n") : parts;

/** What providers of thinking models call their thoughts. */
export const thoughtIn = ({ reasoning_content, reasoning }: Json): string => text(reasoning_content) || text(reasoning);

/** OpenAI's models that think: they take their limit under its newer name, and an effort in place of a budget. */
export const isThinker = (model: string): boolean => /^(o\d|gpt-[5-9])/.test(model);
/** Others that take an effort, but their limit under its old name. */
export const takesEffort = (model: string): boolean => isThinker(model) || /^gemini-(2\.5|[3-9])/.test(model);
export const limitName = (model: string): string => (isThinker(model) ? "max_completion_tokens" : "max_tokens");

export const sse = (data: unknown): string => `data: ${JSON.stringify(data)}\n\n`;
/** With the type of the data as the event's name, as all but chat completions write it. */
export const namedSse = (data: Json): string => `event: ${text(data.type)}\n${sse(data)}`;

export function chatUsage(read: ReadUsage | undefined): Json | undefined {
  if (!read) return undefined;
  const { usage, hidden } = read;
  const prompt_tokens = promptTokens(usage);
  const completion_tokens = completionTokens(usage);
  const reasoning_tokens = thoughtTokens(usage, hidden);
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

/** Of what nobody sees, the part that is neither sound nor picture. */
export const thoughtTokens = ({ output_audio = 0, output_image = 0 }: Usage, hidden: number): number =>
  Math.max(0, hidden - output_audio - output_image);
