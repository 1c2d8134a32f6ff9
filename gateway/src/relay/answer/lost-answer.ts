/**
 * The cost of a call whose provider took the whole request and whose answer is lost: the prompt,
 * and the part that arrived.
 */

import { noUsage } from "../../money/prices/price.ts";
import { sampleText } from "../counting/text-sample.ts";
import type { CallFormats } from "../formats/api-format.ts";
import type { AskedSize, SentBody } from "../formats/call-parts.ts";
import { buildOutputHold } from "../formats/hold-size/token-estimate.ts";
import { unlimited } from "../formats/usage/reported-usage.ts";
import type { ChannelPrice } from "../routing/channel-table.ts";
import type { LostAnswer, UpstreamError } from "../upstream/upstream-error.ts";
import type { CallResult } from "./call-result.ts";

const bytesPerToken = 4;

/**
 * The answer is not read: its bytes are an upper bound for its text, and the hold is one for its
 * price.
 */
export function buildLostAnswerResult(
  call: AskedSize & SentBody & CallFormats,
  { price }: Pick<ChannelPrice, "price">,
  { publicReason }: UpstreamError,
  { bytes }: LostAnswer,
): CallResult {
  const { least } = buildOutputHold(call.maxOutputTokens, price.max_tokens, call.choiceCount);
  const output = Math.min(Math.ceil(bytes / bytesPerToken), least);
  const estimate = { ...noUsage, input: call.promptEstimate, output };
  const nothing = { textBytes: 0, images: 0 };
  return {
    outcome: "cut",
    usage:
      call.upstream.usageFor?.(call, undefined, nothing, price.rates, unlimited).usage ?? estimate,
    note: `${publicReason}; the request was taken, so the prompt and what arrived are charged`,
    details: { reason: "none_reported" },
    // Without a sample of the answer, only the prompt is counted.
    uncounted: { sample: sampleText(""), opaqueTokens: 0, hasPrompt: true, completionMin: 0 },
    firstContentAt: 0,
    upstreamCompletedAt: 0,
  };
}
