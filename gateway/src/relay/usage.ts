/** What an upstream says it used, checked, and what is charged when it says nothing that can be believed. */
import { completionTokens, promptTokens, type Usage } from "../money/price.ts";

export interface ReadUsage {
  usage: Usage;
  /** Output that the caller never sees; part of `usage.output`. */
  hidden: number;
  /** Prompt that the caller never sent, such as a bot's own; part of the prompt tokens. */
  unseen?: number;
  /** Something in it was out of range and was replaced or clamped. */
  isFlagged: boolean;
}

const tokensMax = 100_000_000;

/** A number of tokens, or undefined for anything else. Everything is hostile until checked. */
export const tokenCount = (value: unknown): number | undefined =>
  typeof value === "number" && Number.isSafeInteger(value) && value >= 0 && value <= tokensMax ? value : undefined;

/** How far the upstream's word may be from what went through our hands before we stop believing it. */
const believable = (estimate: number): number => 4 * estimate + 1_000;

/** The usage to charge: the upstream's own word while it is believable, else the estimate; the note says which and why. */
export function chargeable(read: ReadUsage | undefined, estimate: Usage): { usage: Usage; note: string } {
  if (!read) return { usage: estimate, note: "usage estimated: the upstream gave none that can be used" };
  const { usage, hidden, unseen = 0, isFlagged } = read;
  const prompt = promptTokens(usage);
  if (
    prompt - unseen > believable(promptTokens(estimate)) ||
    completionTokens(usage) - hidden > believable(estimate.output)
  ) {
    const said = `${prompt} prompt and ${completionTokens(usage)} completion tokens`;
    return { usage: estimate, note: `usage estimated: the upstream claimed ${said}, far from what was seen` };
  }
  return { usage, note: isFlagged ? "usage corrected: the upstream counted more cached than prompt tokens" : "" };
}
