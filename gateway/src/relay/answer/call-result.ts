/** The end of a reply's delivery, and the usage of the call. */
import type { Usage } from "../../money/prices/price.ts";
import type { ServedTerms } from "../../money/prices/price-factors.ts";
import type { SampledText } from "../counting/text-sample.ts";
import type { UsageDetails } from "../formats/usage/usage-details.ts";
import type { ChannelPrice } from "../routing/channel-table.ts";
import type { UpstreamError } from "../upstream/upstream-error.ts";

export type CallOutcome = "success" | "client_left" | "cut" | "quota_ran_out";

export interface CallResult {
  outcome: CallOutcome;
  usage: Usage;
  /** Says what of the usage is estimated or implausible; empty when it is the reported usage. */
  note: string;
  /**
   * `details` are what the provider reported, and why the charge differs from it; missing where
   * nothing was charged.
   */
  details?: UsageDetails;
  /**
   * `providerWords` says how it ended, in the upstream's words: for administrators, in place of the
   * note.
   */
  providerWords?: string;
  /** `uncounted` is where the usage is an estimate: what is counted before the charge. */
  uncounted?: UncountedOutput;
  /** `isSigned` says that it holds much that is no text, as signed or encrypted reasoning is. */
  isSigned?: boolean;
  /** Units that marks of the gateway for the prompt cache saved; undefined where it set none. */
  marksSaved?: number | undefined;
  /** Milliseconds since the epoch, 0 when there was none. */
  firstContentAt: number;
  upstreamCompletedAt: number;
  /** The tier, speed and region that the provider says it served. */
  served?: ServedTerms;
}

/** Output that no provider has counted to the end. */
export interface UncountedOutput {
  /** A sample of the delivered text. */
  sample: SampledText;
  /** Tokens of what was delivered and is no text. */
  opaqueTokens: number;
  /** The prompt is uncounted as well. */
  hasPrompt: boolean;
  /** The provider's own last count of the output: the charge is never below it. */
  completionMin: number;
}

/** Either a reply was sent to the client, or nothing was and another channel may be tried. */
export type RespondResult = { result: CallResult } | { error: UpstreamError };

/** Usage so far: the renewal of the hold reads it while the reply streams. */
export interface UsageMeter {
  usage(): Usage;
  /** False while an answer that broke off would be free; without it, it never is. */
  hasDelivered?(): boolean;
  /** Ends the reply now: the balance is exhausted. */
  stop(): void;
}

/** The upstream's name of the model, its price, and whether its provider may report false usage. */
export interface UpstreamPrice extends Pick<ChannelPrice, "model" | "price"> {
  isDistrusted?: boolean;
  /** `chargeOf` gives the cost of the call in quota units if it ends so. */
  chargeOf?(result: CallResult): number;
}
