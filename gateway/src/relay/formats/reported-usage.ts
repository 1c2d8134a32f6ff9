/** The usage that an upstream reports, validated, and the charge where it reports nothing plausible. */
import { completionTokens, promptTokens, type Usage } from "../../money/price.ts";

export interface ReportedUsage {
  usage: Usage;
  /** Output that the client never receives; part of `usage.output`. */
  hiddenOutput: number;
  /** Prompt that the client never sent, such as a bot's own; part of the prompt tokens. */
  hiddenPrompt?: number;
  /** A value was out of range and was replaced or clamped. */
  isCorrected: boolean;
}

const tokensMax = 100_000_000;

/** A number of tokens, or undefined for anything else: nothing that a provider sends is trusted. */
export const tokenCount = (value: unknown): number | undefined =>
  typeof value === "number" && Number.isSafeInteger(value) && value >= 0 && value <= tokensMax ? value : undefined;

/** How far reported usage may differ from the delivered output before it is rejected as implausible. */
const plausibleMax = (estimate: number): number => 4 * estimate + 1_000;

/** What is charged, and why it is not the reported usage: empty when it is. */
export interface ChargedUsage {
  usage: Usage;
  note: string;
  /** Its text tokens are estimated, and may be counted. */
  isEstimate?: true;
}

/** The usage to charge: the reported usage while it is plausible, else the estimate; the note says which and why. */
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
