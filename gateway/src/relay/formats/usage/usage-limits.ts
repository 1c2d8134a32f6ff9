/** The bounds of the usage that one call can plausibly have, as far as the gateway can judge it. */
import type { Price } from "../../../money/prices/price.ts";
import type { AskedSize, SentBody } from "../call-parts.ts";
import type { UnseenInputKind } from "../hold-size/unseen-inputs.ts";
import { buildUsageCeilings, type UsageLimits } from "./reported-usage.ts";

/** Marks of data by value: a document's tokens do not follow from its length. */
const attachmentMarks = [";base64,", '"base64"', '"data"'];
/** Marks of output that is never delivered: reasoning, and answers that the provider discards. */
const hiddenOutputMarks = [
  '"thinking"',
  '"thinkingConfig"',
  '"thinking_config"',
  '"reasoning"',
  '"reasoning_effort"',
  '"best_of"',
];

/**
 * `internalTurnKinds` come with these the provider runs the model several times within one call.
 */
const internalTurnKinds: readonly UnseenInputKind[] = [
  "hosted_tool",
  "mcp",
  "stored_state",
  "unknown_id",
];

/**
 * A mark is searched in the bytes, so a prompt may contain it as text: then the gateway does not
 * judge what it could have judged.
 */
const hasAny = (body: Buffer, marks: readonly string[]): boolean =>
  marks.some((mark) => body.includes(mark));

/** `isDistrusted`: the provider of the channel may report false usage. */
export function buildUsageLimits(
  { unseen = {}, body, form, choiceCount, maxOutputTokens = 0 }: AskedSize & SentBody,
  { context_window = 0, max_tokens, rates }: Pick<Price, "context_window" | "max_tokens" | "rates">,
  isDistrusted: boolean,
): UsageLimits {
  const hasInternalTurns = internalTurnKinds.some((kind) => kind in unseen);
  // A model may have become larger than its known limit: what the client asked for is no less
  // plausible.
  const answerMax = max_tokens > 0 ? Math.max(max_tokens, maxOutputTokens) : 0;
  return {
    ...buildUsageCeilings(context_window, answerMax, choiceCount, hasInternalTurns),
    isDistrusted,
    hasCallFee: rates.calls !== undefined,
    // Nearly every count is near the estimate, and then neither is asked for.
    isPromptSeen: () =>
      Object.keys(unseen).length === 0 && form === undefined && !hasAny(body, attachmentMarks),
    isOutputSeen: () => !hasInternalTurns && !hasAny(body, hiddenOutputMarks),
  };
}
