/** Usage as Google counts it: thoughts stand beside the answer, cached tokens inside the prompt. */
import { noUsage } from "../../money/price.ts";
import { type ReadUsage, tokenCount } from "../usage.ts";

interface WireUsage {
  promptTokenCount?: unknown;
  /** What tools that Google runs itself put into the prompt; not part of it. */
  toolUsePromptTokenCount?: unknown;
  cachedContentTokenCount?: unknown;
  candidatesTokenCount?: unknown;
  thoughtsTokenCount?: unknown;
  candidatesTokensDetails?: unknown;
}

/** Undefined when it counts nothing. */
export function geminiUsage(wire: unknown): ReadUsage | undefined {
  if (typeof wire !== "object" || wire === null) return undefined;
  const said = wire as WireUsage;
  const prompt = tokenCount(said.promptTokenCount ?? 0);
  const answer = tokenCount(said.candidatesTokenCount ?? 0);
  if (prompt === undefined || answer === undefined) return undefined;
  const thoughts = tokenCount(said.thoughtsTokenCount) ?? 0;
  const output = answer + thoughts;
  if (prompt === 0 && output === 0) return undefined;
  const cachedSaid = said.cachedContentTokenCount ?? 0;
  const cache_read = Math.min(tokenCount(cachedSaid) ?? 0, prompt);
  const input = prompt - cache_read + (tokenCount(said.toolUsePromptTokenCount) ?? 0);
  // Pictures and speech cost tokens, too, that the letters of an answer do not show.
  const hidden = thoughts + Math.min(notText(said.candidatesTokensDetails), answer);
  return { usage: { ...noUsage, input, cache_read, output }, hidden, isFlagged: cache_read !== cachedSaid };
}

function notText(details: unknown): number {
  if (!Array.isArray(details)) return 0;
  return details.reduce((sum: number, detail: { modality?: unknown; tokenCount?: unknown } | null) => {
    const isText = detail?.modality === "TEXT";
    return sum + (isText ? 0 : (tokenCount(detail?.tokenCount) ?? 0));
  }, 0);
}
