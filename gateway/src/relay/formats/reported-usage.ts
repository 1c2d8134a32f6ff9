/** What an upstream says it used, checked, and what is charged when it says nothing that can be believed. */
import { completionTokens, promptTokens, type Usage } from "../../money/price.ts";

export interface ReportedUsage {
  usage: Usage;
  /** Output that the caller never sees; part of `usage.output`. */
  hiddenOutput: number;
  /** Prompt that the caller never sent, such as a bot's own; part of the prompt tokens. */
  hiddenPrompt?: number;
  /** Something in it was out of range and was replaced or clamped. */
  isCorrected: boolean;
}

const tokensMax = 100_000_000;

/** A number of tokens, or undefined for anything else. Everything is hostile until checked. */
export const tokenCount = (value: unknown): number | undefined =>
  typeof value === "number" && Number.isSafeInteger(value) && value >= 0 && value <= tokensMax ? value : undefined;

/** How far the upstream's word may be from what went through our hands before we stop believing it. */
const plausibleMax = (estimate: number): number => 4 * estimate + 1_000;

/** What is charged, and why it is not simply what the upstream said: empty when it is. */
export interface ChargedUsage {
  usage: Usage;
  note: string;
  /** Tokens of text in it are estimated, and may be counted. */
  isEstimate?: true;
}

/** The usage to charge: the upstream's own word while it is believable, else the estimate; the note says which and why. */
export function chargedUsage(reported: ReportedUsage | undefined, estimate: Usage): ChargedUsage {
  if (!reported) {
    return { usage: estimate, note: "usage estimated: the upstream gave none that can be used", isEstimate: true };
  }
  const { usage, hiddenOutput, hiddenPrompt = 0, isCorrected } = reported;
  const prompt = promptTokens(usage);
  if (
    prompt - hiddenPrompt > plausibleMax(promptTokens(estimate)) ||
    completionTokens(usage) - hiddenOutput > plausibleMax(estimate.output)
  ) {
    const claimed = `${prompt} prompt and ${completionTokens(usage)} completion tokens`;
    const note = `usage estimated: the upstream claimed ${claimed}, far from what was seen`;
    return { usage: estimate, note, isEstimate: true };
  }
  return { usage, note: isCorrected ? "usage corrected: the upstream counted more cached than prompt tokens" : "" };
}
