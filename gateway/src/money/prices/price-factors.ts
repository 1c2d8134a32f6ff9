/**
 * Service tiers, fast modes and regions whose price is a multiple of the listed one. Each factor
 * comes from a page of the provider that was read on the day it states; a choice without a row has
 * no known price.
 */
import { mediaBuckets, textBuckets } from "@tollgate/contract/figures/usage-buckets.ts";
import { multiply, requireDecimal, roundHalfUp } from "../decimal.ts";
import type { Price, Pricing, Rates } from "./price.ts";

export const factorMembers = ["service_tier", "speed", "inference_geo"] as const;
/**
 * A member of a request whose value multiplies the price. Replies report it under the same name.
 */
export type FactorMember = (typeof factorMembers)[number];
/** `ServedTerms` are what a reply says of the tier, speed and region that served it. */
export type ServedTerms = Partial<Record<FactorMember, string>>;

export type FactorSeller = "openai" | "anthropic" | "google" | "groq";

interface PriceFactorRow {
  seller: FactorSeller;
  member: FactorMember;
  values: readonly string[];
  models: RegExp;
  /** Multiplies every price per token, as an exact decimal. */
  factor: string;
  source: string;
  read_on: string;
}

const readOn = "2026-11-22";
const openAiFast = "https://openai.com/api-fast-mode/";
const openAiFlex = "https://developers.openai.com/api/docs/guides/flex-processing";
const claudeFast = "https://platform.claude.com/docs/en/build-with-claude/fast-mode";
const claudeTiers = "https://platform.claude.com/docs/en/api/service-tiers";
const claudeRegions = "https://platform.claude.com/docs/en/manage-claude/data-residency";
const googleTiers = "https://ai.google.dev/gemini-api/docs/optimization";
const groqFlex = "https://console.groq.com/docs/flex-processing";

/** OpenAI renamed its priority processing to fast mode; requests may use either name. */
const openAiFastNames = ["priority", "fast"];

const makeRow = (
  seller: FactorSeller,
  member: FactorMember,
  values: readonly string[],
  models: RegExp,
  factor: string,
  source: string,
  read_on = readOn,
): PriceFactorRow => ({ seller, member, values, models, factor, source, read_on });

export const priceFactors: readonly PriceFactorRow[] = [
  makeRow("openai", "service_tier", ["flex"], /^(?:gpt-5|o3|o4-mini)/, "0.5", openAiFlex),
  makeRow(
    "openai",
    "service_tier",
    openAiFastNames,
    /^gpt-5\.5(?:-\d{4}-\d\d-\d\d)?$/,
    "2.5",
    openAiFast,
  ),
  makeRow(
    "openai",
    "service_tier",
    openAiFastNames,
    /^gpt-5-mini(?:-\d{4}-\d\d-\d\d)?$/,
    "1.8",
    openAiFast,
  ),
  makeRow(
    "openai",
    "service_tier",
    openAiFastNames,
    /^gpt-4\.1(?:-\d{4}-\d\d-\d\d)?$/,
    "1.75",
    openAiFast,
  ),
  makeRow(
    "openai",
    "service_tier",
    openAiFastNames,
    /^gpt-(?:5(?:\.[124])?(?:-\d{4}-\d\d-\d\d)?|5(?:\.1)?-codex|5\.4-mini(?:-\d{4}-\d\d-\d\d)?|5\.6(?:-(?:sol|terra|luna))?)$/,
    "2",
    openAiFast,
  ),
  // Only replies name it: its tokens are paid by a commitment of the operator.
  makeRow("anthropic", "service_tier", ["priority"], /./, "1", claudeTiers),
  makeRow(
    "anthropic",
    "speed",
    ["fast"],
    /^claude-opus-(?:4-8|5|5-5)$/,
    "2",
    claudeFast,
    "2026-11-23",
  ),
  // Runs at standard speed and is billed so. Opus 4.7 has no row, because Anthropic refuses it.
  makeRow("anthropic", "speed", ["fast"], /^claude-opus-4-6$/, "1", claudeFast, "2026-11-23"),
  makeRow(
    "anthropic",
    "inference_geo",
    ["us"],
    /^claude-(?:(?:opus|sonnet)-4-[6-8]|(?:opus|sonnet|haiku|fable)-5(?:-\d{1,2})?)$/,
    "1.1",
    claudeRegions,
  ),
  makeRow("google", "service_tier", ["flex"], /^gemini-/, "0.5", googleTiers),
  makeRow("groq", "service_tier", ["flex"], /./, "1", groqFlex),
];

/** `batchFactors` are what a provider takes for the answers of a batch, of its listed price. */
const batchFactors: Readonly<
  Partial<Record<FactorSeller, { factor: string; source: string; read_on: string }>>
> = {
  openai: {
    factor: "0.5",
    source: "https://developers.openai.com/api/docs/guides/batch",
    read_on: readOn,
  },
  anthropic: {
    factor: "0.5",
    source: "https://platform.claude.com/docs/en/build-with-claude/batch-processing",
    read_on: "2026-11-23",
  },
};

/** The price of a batch at its provider's own host; the listed one where no page states another. */
export function applyBatchFactor(price: Price, seller: FactorSeller | undefined): Price {
  const known = seller && batchFactors[seller];
  return known
    ? priceWithTerms(price, [{ member: "service_tier", value: "batch", factor: known.factor }])
    : price;
}

/**
 * A choice of tier, speed or region, with what it does to the price. `region` is the channel's own
 * place.
 */
export interface PriceTerm {
  member: FactorMember | "region";
  value: string;
  factor: string;
}

/**
 * `findTerm` has the exact factor; undefined where no page states one. `model` is the provider's
 * name.
 */
export function findTerm(
  seller: FactorSeller | undefined,
  name: string,
  value: string,
  model: string,
): PriceTerm | undefined {
  const row = priceFactors.find(
    (one) =>
      one.seller === seller &&
      one.member === name &&
      one.values.includes(value) &&
      one.models.test(model),
  );
  return row && { member: row.member, value, factor: row.factor };
}

/** `isDiscount` says whether a factor is below 1. */
export const isDiscount = (factor: string): boolean => Number(factor) < 1;

/**
 * The price times the factors of all terms. Prices per item (images, searches, seconds) stay. The
 * source names the terms, so that the log row shows them.
 */
export function priceWithTerms(price: Price, terms: readonly PriceTerm[]): Price {
  if (terms.length === 0) return price;
  const factor = terms.map((term) => requireDecimal(term.factor)).reduce(multiply);
  const times = (rate: bigint): bigint => roundHalfUp(factor, rate);
  const { hours, buying } = price;
  return {
    ...price,
    ...scalePricing(price, times),
    ...(buying && { buying: scalePricing(buying, times) }),
    ...(hours && {
      hours: hours.map((window) => ({ ...window, rates: scaleRates(window.rates, times) })),
    }),
    source: [
      price.source,
      ...terms.map((term) => `${term.member} ${term.value} × ${term.factor}`),
    ].join(", "),
  };
}

const scalePricing = ({ rates, tiers }: Pricing, times: (rate: bigint) => bigint): Pricing => ({
  rates: scaleRates(rates, times),
  ...(tiers && { tiers: tiers.map((tier) => ({ ...tier, rates: scaleRates(tier.rates, times) })) }),
});

function scaleRates(rates: Rates, times: (rate: bigint) => bigint): Rates {
  const scaled: Rates = { ...rates };
  for (const bucket of textBuckets) scaled[bucket] = times(rates[bucket]);
  for (const bucket of mediaBuckets) {
    const rate = rates[bucket];
    if (rate !== undefined) scaled[bucket] = times(rate);
  }
  return scaled;
}
