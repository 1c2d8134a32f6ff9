/** The total that a provider reported beside its parts, in each format. */
import type { LoggedUsage } from "@tollgate/contract/figures/logs.ts";

export interface TokenTotals {
  prompt: number;
  completion: number;
}

/**
 * The members that count a whole prompt and a whole answer: of each list the first present one, and
 * the lists are added.
 */
const totalMembers: Readonly<
  Record<string, { prompt: readonly string[][]; completion: readonly string[][] }>
> = {
  openai: {
    prompt: [["prompt_tokens", "input_tokens"]],
    completion: [["completion_tokens", "output_tokens"]],
  },
  openai_media: { prompt: [["input_tokens"]], completion: [["output_tokens"]] },
  anthropic: {
    prompt: [["input_tokens"], ["cache_read_input_tokens"], ["cache_creation_input_tokens"]],
    completion: [["output_tokens"]],
  },
  gemini: {
    prompt: [["promptTokenCount"], ["toolUsePromptTokenCount"]],
    completion: [["candidatesTokenCount"], ["thoughtsTokenCount"]],
  },
  converse: {
    prompt: [
      ["inputTokens"],
      ["cacheReadInputTokens", "cacheReadInputTokenCount"],
      ["cacheWriteInputTokens", "cacheWriteInputTokenCount"],
    ],
    completion: [["outputTokens"]],
  },
};

/** The whole prompt and answer by the provider's own count; undefined where it reported neither. */
export function readReportedTotals({
  family = "",
  reported = {},
}: LoggedUsage): TokenTotals | undefined {
  const members = Object.hasOwn(totalMembers, family) ? totalMembers[family] : undefined;
  if (!members) return undefined;
  const counts = new Map(Object.entries(reported));
  const sum = (lists: readonly string[][]): number | undefined => {
    const found = lists.flatMap((names) => {
      const value = names.map((name) => counts.get(name)).find((one) => typeof one === "number");
      return typeof value === "number" ? [value] : [];
    });
    return found.length === 0 ? undefined : found.reduce((total, value) => total + value, 0);
  };
  const prompt = sum(members.prompt);
  const completion = sum(members.completion);
  return prompt === undefined && completion === undefined
    ? undefined
    : { prompt: prompt ?? 0, completion: completion ?? 0 };
}

export const formatTokens = (totals: TokenTotals): string =>
  `${totals.prompt} prompt and ${totals.completion} completion tokens`;
