/**
 * Prices that an operator states in dollars, for a model on every channel or for one on a single
 * channel.
 */

import {
  type ModelPrices,
  priceNames,
  type ShownPrices,
} from "@tollgate/contract/catalogue/model-prices.ts";
import { itemBuckets, textBuckets } from "@tollgate/contract/figures/usage-buckets.ts";
import { requireDecimal, roundHalfUp } from "../decimal.ts";
import type { Price, Rates, UsageBucket } from "./price.ts";

/** Picodollars per token of a dollar for a million tokens, and of a dollar for an item. */
const perMillion = 1_000_000n;
const perDollar = 1_000_000_000_000n;
const isItem = (bucket: UsageBucket): boolean =>
  (itemBuckets as readonly UsageBucket[]).includes(bucket);
const computeUnit = (bucket: UsageBucket): bigint => (isItem(bucket) ? perDollar : perMillion);

type StatedMembers = Readonly<Partial<Record<UsageBucket, number | undefined>>>;

function parseStatedRates(stated: StatedMembers): Partial<Rates> {
  const rates: Partial<Rates> = {};
  for (const bucket of priceNames) {
    const dollars = stated[bucket];
    if (dollars !== undefined)
      rates[bucket] = roundHalfUp(requireDecimal(dollars), computeUnit(bucket));
  }
  return rates;
}

/**
 * `base` with what the operator states; `source` names the operator's word in log rows. Built-in
 * prices of long prompts keep their proportion to the ordinary ones, so that a new price does not
 * make long calls cheaper than intended. An operator's price of text holds at any hour.
 */
export function priceAsStated(
  base: Price,
  stated: ModelPrices,
  source: string,
  source_date = "",
): Price {
  const given = parseStatedRates(stated);
  const { tiers: baseTiers = [], hours: baseHours = [], callFees, ...rest } = base;
  const rates: Rates = { ...base.rates, ...given };
  const tiers = stated.tiers
    ? stated.tiers
        .map(({ above, ...higher }) => ({
          above,
          aboveOutput: -1,
          rates: { ...rates, ...parseStatedRates(higher) },
        }))
        .sort((a, b) => a.above - b.above)
    : baseTiers.map((tier) => ({
        ...tier,
        rates: scaleInProportion(tier.rates, base.rates, given),
      }));
  const isTextStated =
    stated.tiers !== undefined || textBuckets.some((bucket) => given[bucket] !== undefined);
  const hours = isTextStated
    ? []
    : baseHours.map((at) => ({ ...at, rates: { ...at.rates, ...given } }));
  const isPriced = Object.keys(given).length > 0 || stated.tiers !== undefined;
  return {
    ...rest,
    rates,
    ...(tiers.length > 0 && { tiers }),
    ...(hours.length > 0 && { hours }),
    // An operator's fee holds for every call.
    ...(callFees && given.calls === undefined && { callFees }),
    ...(isPriced && { source, source_date, verified: true }),
    max_tokens: stated.max_tokens || base.max_tokens,
  };
}

/** `higher` where the rates that it belongs to become those `given`; halves are rounded up. */
function scaleInProportion(higher: Rates, before: Rates, given: Partial<Rates>): Rates {
  const rates: Rates = { ...higher };
  for (const bucket of priceNames) {
    const [now, was, then] = [given[bucket], before[bucket], higher[bucket]];
    if (now === undefined) continue;
    rates[bucket] =
      was === undefined || was === 0n || then === undefined
        ? now
        : (then * now * 2n + was) / (was * 2n);
  }
  return rates;
}

/**
 * `buildFlatPrice` is for a model without a built-in price: cached tokens and answers cost what
 * plain input does, where nothing else is stated.
 */
export function buildFlatPrice(unknown: Price, { input }: Pick<ModelPrices, "input">): Price {
  const rate = parseStatedRates({ input }).input ?? unknown.rates.input;
  const rates = Object.fromEntries(textBuckets.map((bucket) => [bucket, rate])) as Rates;
  return { ...unknown, rates };
}

const showRates = (rates: Rates): Partial<Record<UsageBucket, number>> =>
  Object.fromEntries(
    priceNames.flatMap((bucket) => {
      const rate = rates[bucket];
      return rate === undefined ? [] : [[bucket, Number(rate) / Number(computeUnit(bucket))]];
    }),
  );

/**
 * A price in dollars, as an operator may state it. Hours of the day, and thresholds of answers,
 * cannot be stated.
 */
export function showPrices({ rates, tiers = [], max_tokens }: Price): ShownPrices {
  return {
    ...showRates(rates),
    ...(tiers.length > 0 && {
      tiers: tiers.map(({ above, rates: higher }) => ({ above, ...showRates(higher) })),
    }),
    ...(max_tokens > 0 && { max_tokens }),
  };
}

/** Every rate times an exact factor, each rounded once. */
export function multiplyPrice(price: Price, factor: number): Price {
  const exact = requireDecimal(factor);
  const times = (rates: Rates): Rates =>
    Object.fromEntries(
      Object.entries(rates).map(([bucket, rate]) => [bucket, roundHalfUp(exact, rate)]),
    ) as Rates;
  const { tiers, hours, callFees } = price;
  return {
    ...price,
    rates: times(price.rates),
    ...(callFees && {
      callFees: new Map([...callFees].map(([variant, fee]) => [variant, roundHalfUp(exact, fee)])),
    }),
    ...(hours && { hours: hours.map((window) => ({ ...window, rates: times(window.rates) })) }),
    ...(tiers && { tiers: tiers.map((tier) => ({ ...tier, rates: times(tier.rates) })) }),
  };
}
