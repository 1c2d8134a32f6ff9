/** Headers that tell clients the limits of their key, in the names of their dialect. Pure. */
import type { UsedLimit } from "./token-limits.ts";

/**
 * `writeOpenAiLimits` writes them as OpenAI:
 * https://developers.openai.com/api/docs/guides/rate-limits
 */
export const writeOpenAiLimits = (used: readonly UsedLimit[]): string[] =>
  used.flatMap(({ unit, limit, left, resetMs }) => [
    ...[`x-ratelimit-limit-${unit}`, String(limit)],
    ...[`x-ratelimit-remaining-${unit}`, String(left)],
    ...[`x-ratelimit-reset-${unit}`, `${Math.ceil(resetMs / 1_000)}s`],
  ]);

/**
 * `writeAnthropicLimits` writes them as Anthropic, whose reset is a moment:
 * https://platform.claude.com/docs/en/api/rate-limits
 */
export const writeAnthropicLimits = (used: readonly UsedLimit[], now: number): string[] =>
  used.flatMap(({ unit, limit, left, resetMs }) => [
    ...[`anthropic-ratelimit-${unit}-limit`, String(limit)],
    ...[`anthropic-ratelimit-${unit}-remaining`, String(left)],
    ...[
      `anthropic-ratelimit-${unit}-reset`,
      new Date(now + resetMs).toISOString().replace(/\.\d+Z$/, "Z"),
    ],
  ]);
