/**
 * Fees of providers for each use of their own tools, beside the tokens. Each fee comes from a page
 * of the provider; allowances that are free each day or month are not known to the gateway, and are
 * charged.
 */
import { requireDecimal, roundHalfUp } from "../decimal.ts";
import type { ExtraBucket, ExtraUsage, Price, Rates } from "./price.ts";

export interface ToolFee {
  /** `seller` is as in the price lists. */
  seller: string;
  bucket: ExtraBucket;
  models: RegExp;
  /** Each, as an exact decimal. */
  dollars: string;
  what: string;
  source: string;
}

/** The day on which the pages were read; Google's as its developer forum quotes it. */
export const toolFeesReadOn = "2026-11-22";

const googlePrices = "https://ai.google.dev/gemini-api/docs/pricing";
const xAiPrices = "https://docs.x.ai/developers/pricing";
/** Gemini 3 and later: each search is billed; before, each call in which Google searched at all. */
const billedBySearch = /^gemini-(?:[3-9]|\d\d)/;
const billedByRequest = /^gemini-(?:1\.5|2\.\d)/;
const all = /./;
const deepResearch = /^sonar-deep-research$/;
const perplexityPrices = "https://docs.perplexity.ai/getting-started/pricing";
/**
 * `deepResearchHold` searches and reasons of its own accord. A figure of ours: the page states
 * prices, and not how much of it a call uses.
 */
const deepResearchHold: ExtraUsage = { web_searches: 30, reasoning: 200_000 };

export const toolFees: readonly ToolFee[] = [
  {
    seller: "google",
    bucket: "web_searches",
    models: billedBySearch,
    dollars: "0.014",
    what: "a search of Google, from Gemini 3 on",
    source: googlePrices,
  },
  {
    seller: "google",
    bucket: "grounded_requests",
    models: billedByRequest,
    dollars: "0.035",
    what: "a call with searches of Google, before Gemini 3",
    source: googlePrices,
  },
  {
    seller: "google",
    bucket: "web_searches",
    models: billedByRequest,
    dollars: "0",
    what: "a search of Google, before Gemini 3: its call is charged",
    source: googlePrices,
  },
  {
    seller: "google",
    bucket: "map_requests",
    models: billedBySearch,
    dollars: "0",
    what: "a call with places of Google Maps, from Gemini 3 on: its searches are charged, or one where none is named",
    source: googlePrices,
  },
  {
    seller: "google",
    bucket: "map_requests",
    models: billedByRequest,
    dollars: "0.025",
    what: "a call with places of Google Maps, before Gemini 3",
    source: googlePrices,
  },
  {
    seller: "perplexity",
    bucket: "reasoning",
    models: deepResearch,
    dollars: "0.000003",
    what: "a token of the reasoning of `sonar-deep-research`, which Perplexity counts beside the answer",
    source: perplexityPrices,
  },
  {
    seller: "xai",
    bucket: "web_searches",
    models: all,
    dollars: "0.005",
    what: "a search of the web or of X",
    source: xAiPrices,
  },
  {
    seller: "xai",
    bucket: "code_runs",
    models: all,
    dollars: "0.005",
    what: "a program that xAI ran",
    source: xAiPrices,
  },
  {
    seller: "xai",
    bucket: "file_searches",
    models: all,
    dollars: "0.0025",
    what: "a search of collections",
    source: xAiPrices,
  },
];

/**
 * `searchSizes` says how much of the web a search of Perplexity brings to the model; without a word
 * of the client, `low`.
 */
export const searchSizes = ["low", "medium", "high"] as const;
export type SearchSize = (typeof searchSizes)[number];

/** A fee for the request itself, by what it asks to be searched. */
export interface RequestFee {
  seller: string;
  models: RegExp;
  /** Each, as an exact decimal. */
  dollars: Readonly<Record<SearchSize, string>>;
  /** `dollarsInSteps` are those of a search in several steps. */
  dollarsInSteps?: Readonly<Record<SearchSize, string>>;
  source: string;
}

/**
 * Due whether the model searches or not: https://docs.perplexity.ai/guides/search-control-guide.
 */
export const requestFees: readonly RequestFee[] = [
  {
    seller: "perplexity",
    models: /^sonar(?:-reasoning)?$/,
    dollars: { low: "0.005", medium: "0.008", high: "0.012" },
    source: perplexityPrices,
  },
  {
    seller: "perplexity",
    models: /^sonar-pro$/,
    dollars: { low: "0.006", medium: "0.01", high: "0.014" },
    dollarsInSteps: { low: "0.014", medium: "0.018", high: "0.022" },
    source: perplexityPrices,
  },
  {
    seller: "perplexity",
    models: /^sonar-reasoning-pro$/,
    dollars: { low: "0.006", medium: "0.01", high: "0.014" },
    source: perplexityPrices,
  },
];

/** The variant of a price that a request asks for; see `callFees` of a price. */
export const searchVariant = (size: SearchSize, isInSteps: boolean): string =>
  isInSteps ? `${size}/steps` : size;

/**
 * Picodollars for a call by what it asks to be searched; undefined where the seller takes no such
 * fee.
 */
function findCallFees(seller: string, model: string): ReadonlyMap<string, bigint> | undefined {
  const fee = requestFees.find((one) => one.seller === seller && one.models.test(model));
  if (!fee) return undefined;
  const { dollars, dollarsInSteps = dollars } = fee;
  return new Map(
    searchSizes.flatMap((size) => [
      [searchVariant(size, false), roundHalfUp(requireDecimal(dollars[size]), perDollar)],
      [searchVariant(size, true), roundHalfUp(requireDecimal(dollarsInSteps[size]), perDollar)],
    ]),
  );
}

const perDollar = 1_000_000_000_000n;

/** The price with the fees that its list does not state. `model` is the provider's name. */
export function priceWithToolFees(price: Price, seller: string, model: string): Price {
  const callFees = findCallFees(seller, model);
  if (callFees) return priceWithCallFee({ ...price, callFees }, searchVariant("low", false));
  const fees = toolFees.filter((fee) => fee.seller === seller && fee.models.test(model));
  if (fees.length === 0) return price;
  const rates = Object.fromEntries(
    fees.map(({ bucket, dollars }) => [bucket, roundHalfUp(requireDecimal(dollars), perDollar)]),
  );
  const heldBeside = deepResearch.test(model) ? { heldBeside: deepResearchHold } : {};
  return { ...addEachRates(price, (stated) => ({ ...rates, ...stated })), ...heldBeside };
}

/** The price with the fee for a call that asks for `variant`, where it has one. */
export function priceWithCallFee(price: Price, variant: string): Price {
  const calls = price.callFees?.get(variant);
  return calls === undefined ? price : addEachRates(price, (stated) => ({ ...stated, calls }));
}

function addEachRates(price: Price, changed: (rates: Rates) => Rates): Price {
  const { tiers, hours } = price;
  return {
    ...price,
    rates: changed(price.rates),
    ...(tiers && { tiers: tiers.map((tier) => ({ ...tier, rates: changed(tier.rates) })) }),
    ...(hours && { hours: hours.map((window) => ({ ...window, rates: changed(window.rates) })) }),
  };
}
