/**
 * The usage that an upstream reports, and what is charged for it. A provider's final count is the
 * charge: the operator pays it too. Only a ceiling bounds it, and on channels whose provider may
 * report false usage, what was seen.
 */
import { itemBuckets } from "@tollgate/contract/figures/usage-buckets.ts";
import {
  computeCompletionTokens,
  type ExtraBucket,
  extraBuckets,
  promptTokens,
  type Usage,
  type UsageBucket,
} from "../../../money/prices/price.ts";
import type { JsonRecord } from "../../wire/json-parts.ts";

/** The kinds of usage objects that providers send. */
export const usageFamilies = ["openai", "anthropic", "gemini", "converse", "openai_media"] as const;
export type UsageFamily = (typeof usageFamilies)[number];

/** The provider's own object. */
export interface WireUsage {
  family: UsageFamily;
  members: JsonRecord;
}

export interface ReportedUsage {
  usage: Usage;
  /** Output that the client never receives; part of `usage.output`. */
  hiddenOutput: number;
  /** Prompt that the client never sent, such as a bot's own; part of the prompt tokens. */
  hiddenPrompt?: number;
  /** A value was out of range and was replaced or clamped. */
  isCorrected: boolean;
  /**
   * A tool ran whose fee the provider bills and does not count in its answer. `of_call`: known
   * where the price has a fee for the call.
   */
  hasUnknownFee?: boolean | "of_call";
  /** The provider has not counted the output to its end. */
  isPartial?: true;
  /** The provider has counted the output alone. */
  isPromptUncounted?: true;
  wire?: WireUsage;
}

/** More than any call of any provider, and little enough that sums of counts stay exact. */
const tokensMax = 1_000_000_000_000;

/** A number of tokens, or undefined for anything else: nothing that a provider sends is trusted. */
export const findTokenCount = (value: unknown): number | undefined =>
  typeof value === "number" && Number.isSafeInteger(value) && value >= 0
    ? Math.min(value, tokensMax)
    : undefined;

/**
 * `computeNearMax` says how far reported usage may differ from what was seen before it counts as
 * far from it.
 */
const computeNearMax = (estimate: number): number => 4 * estimate + 1_000;

/**
 * `UsageLimits` bound the usage that one call can plausibly have, as far as the gateway can judge
 * it.
 */
export interface UsageLimits {
  /** Tokens. */
  promptMax: number;
  /** Tokens of all answers together. */
  completionMax: number;
  /** Searches, pictures and other items; without it, those of one call. */
  itemsMax?: number;
  /** The provider may report false usage: the operator's word for this channel. */
  isDistrusted: boolean;
  /** The price has a fee for the call itself. */
  hasCallFee?: boolean;
  /**
   * The whole prompt passes through the gateway: it has no files, addresses, stored state or tools
   * of the provider.
   */
  isPromptSeen(): boolean;
  /** The whole output passes through the gateway, but for what usage itself declares as hidden. */
  isOutputSeen(): boolean;
}

/** `EstimateReason` says why usage is not the provider's final count. */
export type EstimateReason =
  /** The provider reported none that can be used. */
  | "none_reported"
  /**
   * The stream ended before the final count: the provider's prompt, and the larger of its count and
   * what was delivered.
   */
  | "ended_early"
  /** The channel's provider may report false usage, and this is far from what was seen. */
  | "distrusted"
  /** The provider did not say how long a recording is. */
  | "duration_unknown";

export type UsageMark =
  /** The provider reported more than one call can cost; the ceiling was charged. */
  | "usage_capped"
  /** The reported usage is far from what was seen. */
  | "usage_far"
  /** A reported count was out of range and was corrected. */
  | "usage_corrected"
  /** A tool ran whose fee the provider does not count: it is not charged. */
  | "fee_unknown";

/** `ChargedUsage` is what is charged. */
export interface ChargedUsage {
  usage: Usage;
  /** Missing where the charge is the provider's final count. */
  reason?: EstimateReason;
  marks: readonly UsageMark[];
  /** `wire` is what the provider reported. */
  wire?: WireUsage;
  /** `uncounted` is the part that a tokenizer may count better than this estimate. */
  uncounted?: { hasPrompt: boolean; completionMin: number };
}

/**
 * Usage beside text that was delivered or used, merged where the provider has not counted to the
 * end.
 */
const buildLargerExtras = (one: Usage, other: Usage): Partial<Record<ExtraBucket, number>> =>
  Object.fromEntries(
    extraBuckets
      .map((bucket) => [bucket, Math.max(one[bucket] ?? 0, other[bucket] ?? 0)] as const)
      .filter(([, used]) => used > 0),
  );

/** The usage to charge; `estimate` is what was seen. */
export function buildChargedUsage(
  reported: ReportedUsage | undefined,
  estimate: Usage,
  limits: UsageLimits = unlimited,
): ChargedUsage {
  if (!reported) {
    return {
      usage: estimate,
      reason: "none_reported",
      marks: [],
      uncounted: { hasPrompt: true, completionMin: 0 },
    };
  }
  const wire = reported.wire && { wire: reported.wire };
  const remarks: UsageMark[] = [
    ...(reported.isCorrected ? (["usage_corrected"] as const) : []),
    ...(isFeeUnknown(reported, limits) ? (["fee_unknown"] as const) : []),
  ];
  const isFar = isFarFrom(reported, estimate, limits);
  if (isFar && limits.isDistrusted) {
    // What is paid per use is not in any text: it survives the estimate, up to the ceiling of one
    // call.
    const capped = capUsage(reported.usage, limits).usage;
    const fees = Object.fromEntries(itemBuckets.flatMap((bucket) => buildFee(capped, bucket)));
    return {
      usage: { ...estimate, ...fees },
      reason: "distrusted",
      marks: [
        ...(hasManyItems(reported.usage, limits) ? (["usage_capped"] as const) : []),
        "usage_far",
        ...remarks,
      ],
      ...wire,
      uncounted: { hasPrompt: true, completionMin: 0 },
    };
  }
  const { usage: counted, isCapped } = capUsage(reported.usage, limits);
  const usage = reported.isPromptUncounted ? { ...counted, input: estimate.input } : counted;
  const marks: UsageMark[] = [
    ...(isCapped ? (["usage_capped"] as const) : []),
    ...(isFar ? (["usage_far"] as const) : []),
    ...remarks,
  ];
  if (!reported.isPartial) {
    return {
      usage,
      ...(reported.isPromptUncounted && { reason: "none_reported" }),
      marks,
      ...wire,
    };
  }
  const output = Math.max(usage.output, estimate.output);
  return {
    usage: { ...usage, ...buildLargerExtras(usage, estimate), output },
    reason: "ended_early",
    marks,
    ...wire,
    uncounted: { hasPrompt: false, completionMin: usage.output },
  };
}

const isFeeUnknown = (
  { hasUnknownFee = false }: ReportedUsage,
  { hasCallFee = false }: UsageLimits,
): boolean => (hasUnknownFee === "of_call" ? !hasCallFee : hasUnknownFee);

const buildFee = (usage: Usage, bucket: ExtraBucket): [ExtraBucket, number][] => {
  const used = usage[bucket];
  return used === undefined ? [] : [[bucket, used]];
};

/**
 * Judges only what the gateway can see. A count that is too small is not judged: the provider bills
 * it as well.
 */
function isFarFrom(
  { usage, hiddenOutput, hiddenPrompt = 0 }: ReportedUsage,
  estimate: Usage,
  limits: UsageLimits,
): boolean {
  return (
    (promptTokens(usage) - hiddenPrompt > computeNearMax(promptTokens(estimate)) &&
      limits.isPromptSeen()) ||
    (computeCompletionTokens(usage) - hiddenOutput >
      computeNearMax(computeCompletionTokens(estimate)) &&
      limits.isOutputSeen())
  );
}

const promptBuckets: readonly UsageBucket[] = [
  "input",
  "cache_write_1h",
  "cache_write_5m",
  "input_audio",
  "input_image",
  "cache_read",
  "cache_read_audio",
  "cache_read_image",
];
const completionBuckets: readonly UsageBucket[] = [
  "output",
  "output_audio",
  "output_image",
  "reasoning",
];
/**
 * Searches, pictures, seconds of sound and other items of one call: more than any provider does for
 * one.
 */
export const callItemsMax = 10_000;
const boundedItems: readonly UsageBucket[] = [
  "web_searches",
  "grounded_requests",
  "map_requests",
  "file_searches",
  "search_units",
  "code_runs",
  "container_sessions",
  "pages",
  "annotated_pages",
  "calls",
  "images",
  "seconds",
];

const hasManyItems = (usage: Usage, { itemsMax = callItemsMax }: UsageLimits): boolean =>
  boundedItems.some((bucket) => (usage[bucket] ?? 0) > itemsMax);

function capUsage(usage: Usage, limits: UsageLimits): { usage: Usage; isCapped: boolean } {
  const { promptMax, completionMax, itemsMax = callItemsMax } = limits;
  if (
    promptTokens(usage) <= promptMax &&
    computeCompletionTokens(usage) <= completionMax &&
    !hasManyItems(usage, limits)
  ) {
    return { usage, isCapped: false };
  }
  const capped: Usage = { ...usage };
  capBuckets(capped, promptBuckets, promptMax);
  capBuckets(capped, completionBuckets, completionMax);
  for (const bucket of boundedItems) capBuckets(capped, [bucket], itemsMax);
  return { usage: capped, isCapped: true };
}

/** Lowers buckets so that their sum is at most `max`; the first ones keep what they have. */
function capBuckets(usage: Usage, buckets: readonly UsageBucket[], max: number): void {
  let left = max;
  for (const bucket of buckets) {
    const used = usage[bucket];
    if (used === undefined) continue;
    usage[bucket] = Math.min(used, left);
    left -= usage[bucket];
  }
}

/**
 * No request has so many tokens: the least ceiling of a prompt, and that of an answer whose model
 * has no known limit.
 */
const leastCeiling = 1_000_000;
/**
 * Tools of the provider and stored conversations make a model read its context again and again
 * within one call.
 */
const internalTurnsMax = 64;

/** The ceilings of a call. Windows and limits are tokens, 0 where unknown. */
export function buildUsageCeilings(
  contextWindow: number,
  answerMax: number,
  answers: number,
  hasInternalTurns: boolean,
): Pick<UsageLimits, "promptMax" | "completionMax"> {
  const turns = hasInternalTurns ? internalTurnsMax : 1;
  return {
    promptMax: Math.max(contextWindow * turns, leastCeiling),
    completionMax: (answerMax > 0 ? answerMax : leastCeiling) * Math.max(answers, 1),
  };
}

/**
 * Judges nothing and bounds nothing that one call can have: for formats without a model's limits.
 */
export const unlimited: UsageLimits = {
  ...buildUsageCeilings(0, 0, 1, true),
  isDistrusted: false,
  isPromptSeen: () => false,
  isOutputSeen: () => false,
};

const reasonTexts: Readonly<Record<EstimateReason, string>> = {
  none_reported: "usage estimated: the provider gave none that can be used",
  ended_early: "usage partly estimated: the answer ended before the provider's final count",
  distrusted:
    "usage estimated: the provider claimed far more than was seen, and may report false usage on this channel",
  duration_unknown: "usage estimated: the provider did not say how long the recording is",
};
const markTexts: Readonly<Record<UsageMark, string>> = {
  usage_capped: "usage capped: the provider claimed more than one call can use",
  usage_far: "the provider's usage is far from what was seen",
  usage_corrected: "usage corrected: the provider counted more cached than prompt tokens",
  fee_unknown: "a tool ran whose fee the provider does not report: it is not charged",
};

/** The sentence of a log row; empty for a provider's plain final count. */
export const formatUsageNote = ({
  reason,
  marks,
}: Pick<ChargedUsage, "reason" | "marks">): string =>
  [
    ...(reason ? [reasonTexts[reason]] : []),
    ...marks
      .filter((mark) => !(mark === "usage_far" && reason === "distrusted"))
      .map((mark) => markTexts[mark]),
  ].join("; ");
