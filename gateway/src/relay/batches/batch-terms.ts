/** The terms with which a batch was accepted: enough to charge it by any node, at any time. */
import type { CallSnapshot } from "../../money/call-log-row.ts";
import type { FrozenPrice } from "../../money/prices/price.ts";
import type { TracedStart } from "../call-recorder.ts";

/** `BatchOrder` is what a provider was asked to run: its list of batches tells the same. */
export interface BatchOrder {
  /** The endpoint that every line calls: `/v1/chat/completions`. */
  endpoint: string;
  lines: number;
  /** `inputFileId` is where the lines are a file at the provider. */
  inputFileId?: string;
}

/** `BatchRates` are what the answers of a batch cost, and the most that they may cost. */
export interface BatchRates {
  /** `price` has tiers, of which each line has its own. */
  price: FrozenPrice;
  /** The estimate of all prompts together, in tokens. */
  promptEstimate: number;
  /** Ceilings of one line's usage, in tokens. */
  promptMax: number;
  completionMax: number;
  /** `isDistrusted` says whether usage far above what was seen is replaced by the estimate. */
  isDistrusted: boolean;
  /** Every prompt passed through the gateway whole. */
  isPromptSeen: boolean;
}

export interface BatchTerms extends BatchOrder, BatchRates {
  /** `snapshot` is for the log row. */
  snapshot: CallSnapshot;
  tokenId: number;
  group: string;
  /**
   * The account that was asked to run it (`hashAccount`); missing in batches of before, which have
   * a file.
   */
  account?: string;
  channelName: string;
  model: string;
  hasBudgets: boolean;
  /** The provider answered the creation with this error, and may run the batch nevertheless. */
  failedStatus?: number;
  /** The accounts that were asked to run it; missing in batches of before. */
  traced?: TracedStart;
  /** Milliseconds until the provider had taken the batch. */
  elapsedMs: number;
}
