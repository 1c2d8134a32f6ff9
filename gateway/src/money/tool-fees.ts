/**
 * What providers take for each use of their own tools, beside the tokens. Each fee comes from a page of the provider; allowances
 * that are free each day or month are not known to the gateway, and are charged.
 */
import { requireDecimal, roundHalfUp } from "./decimal.ts";
import type { ExtraBucket, Price, Rates } from "./price.ts";

export interface ToolFee {
  /** As in the price lists. */
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

const perDollar = 1_000_000_000_000n;

/** The price with the fees that its list does not state. `model` is the provider's name. */
export function priceWithToolFees(price: Price, seller: string, model: string): Price {
  const fees = toolFees.filter((fee) => fee.seller === seller && fee.models.test(model));
  if (fees.length === 0) return price;
  const rates = Object.fromEntries(
    fees.map(({ bucket, dollars }) => [bucket, roundHalfUp(requireDecimal(dollars), perDollar)]),
  );
  const withFees = (stated: Rates): Rates => ({ ...rates, ...stated });
  const { tiers, hours } = price;
  return {
    ...price,
    rates: withFees(price.rates),
    ...(tiers && { tiers: tiers.map((tier) => ({ ...tier, rates: withFees(tier.rates) })) }),
    ...(hours && { hours: hours.map((window) => ({ ...window, rates: withFees(window.rates) })) }),
  };
}
