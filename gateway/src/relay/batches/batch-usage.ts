/** Adds up what the lines of a batch's result used, and what they cost. Pure. */
import { callCost, computeNanodollars } from "../../money/prices/buying-price.ts";
import {
  buckets,
  buildLoggedPrice,
  buildRates,
  charge,
  computePicodollars,
  computeUnits,
  type FrozenPrice,
  noUsage,
  thawPrice,
  type Usage,
} from "../../money/prices/price.ts";
import type { ReplyReader } from "../formats/api-format.ts";
import {
  buildChargedUsage,
  type ChargedUsage,
  callItemsMax,
  type ReportedUsage,
} from "../formats/usage/reported-usage.ts";
import { computeOpaqueTokens } from "../formats/usage/written-output.ts";
import type { JsonRecord } from "../wire/json-parts.ts";
import type { BatchOrder, BatchRates } from "./batch-terms.ts";

const bytesPerToken = 4;

/** `BatchSum` is what the lines read so far used. */
export interface BatchSum {
  answered: number;
  failed: number;
  /** `reported` is as the provider counted; what it did not count is estimated. */
  reported: ReportedUsage;
  /** `seen` is what was seen, in tokens. */
  seen: Usage;
  /** Answers without a count. */
  uncounted: number;
  /** Picodollars before the group ratio, each line at the rates for its own length. */
  cost: bigint;
  /** Picodollars that the operator pays, likewise; 0 without a buying price. */
  paid: bigint;
  /** Lines at other rates than those of the shortest prompts. */
  tiered: number;
}

export const emptySum = (): BatchSum => ({
  answered: 0,
  failed: 0,
  reported: { usage: { ...noUsage }, hiddenOutput: 0, isCorrected: false },
  seen: { ...noUsage },
  uncounted: 0,
  cost: 0n,
  paid: 0n,
  tiered: 0,
});

/** Adds the answer of one line; undefined for a line that failed. */
export function addLine(
  sum: BatchSum,
  answer: JsonRecord | undefined,
  format: ReplyReader,
  terms: BatchRates & Pick<BatchOrder, "lines">,
): void {
  if (!answer) {
    sum.failed += 1;
    return;
  }
  sum.answered += 1;
  const facts = format.readReply(answer);
  const { text = "", opaqueLength = 0 } = facts ?? {};
  const output =
    Math.ceil(Buffer.byteLength(text) / bytesPerToken) + computeOpaqueTokens(opaqueLength);
  const estimate: Usage = {
    ...noUsage,
    input: Math.ceil(terms.promptEstimate / terms.lines),
    output,
  };
  const counted = facts?.usage;
  if (!counted) sum.uncounted += 1;
  const usage = counted?.usage ?? estimate;
  addUsage(sum.reported.usage, usage);
  addUsage(sum.seen, estimate);
  sum.reported.hiddenOutput += counted?.hiddenOutput ?? 0;
  sum.reported.isCorrected ||= counted?.isCorrected ?? false;
  if (counted?.hasUnknownFee) sum.reported.hasUnknownFee = true;
  const pricing = thawPrice(terms.price);
  sum.cost += computePicodollars(pricing, usage);
  if (terms.price.buying) sum.paid += computePicodollars(thawPrice(terms.price.buying), usage);
  if (buildRates(pricing, usage) !== pricing.rates) sum.tiered += 1;
}

function addUsage(sum: Usage, more: Usage): void {
  for (const bucket of buckets) {
    const used = more[bucket];
    if (used !== undefined) sum[bucket] = (sum[bucket] ?? 0) + used;
  }
}

export interface BatchCharge {
  units: number;
  charged: ChargedUsage;
  /** `price` is for the log row. */
  price: FrozenPrice;
  /** Nanodollars; null without a buying price. */
  costNanos: number | null;
}

/**
 * Units for all answers: what the provider counted, at most the ceiling of each line. One rounding
 * for the batch, as for a call. The price of the row has no tiers: the sum of many prompts is the
 * length of none of them.
 */
export function buildBatchCharge(
  sum: BatchSum,
  terms: BatchRates & Pick<BatchOrder, "lines">,
): BatchCharge {
  const charged = buildChargedUsage(sum.reported, sum.seen, {
    promptMax: terms.promptMax * terms.lines,
    completionMax: terms.completionMax * terms.lines,
    itemsMax: callItemsMax * terms.lines,
    isDistrusted: terms.isDistrusted,
    isPromptSeen: () => terms.isPromptSeen,
    isOutputSeen: () => true,
  });
  const { tiers: _, ...price } = terms.price;
  const isAsCounted = buckets.every(
    (bucket) => charged.usage[bucket] === sum.reported.usage[bucket],
  );
  const units = isAsCounted
    ? computeUnits(sum.cost, terms.price.group_ratio)
    : charge(thawPrice(price), charged.usage, price.group_ratio);
  const costNanos =
    terms.price.buying && isAsCounted
      ? computeNanodollars(sum.paid)
      : callCost(price, charged.usage);
  return { units, charged, price: buildLoggedPrice(price, charged.usage), costNanos };
}

/** The prompts alone, where the provider took a batch and its result is lost. */
export function buildLostBatchCharge(terms: BatchRates): BatchCharge {
  const { tiers: _, ...price } = terms.price;
  const usage = { ...noUsage, input: terms.promptEstimate };
  const units = charge(thawPrice(price), usage, price.group_ratio);
  return {
    units,
    charged: { usage, reason: "none_reported", marks: [] },
    price,
    costNanos: callCost(price, usage),
  };
}
