/**
 * Differences between an offered price list and the prices in force, and the effect of taking it.
 * Pure.
 */
import type { ModelPrices, ShownPrices } from "@tollgate/contract/catalogue/model-prices.ts";
import { priceNames } from "@tollgate/contract/catalogue/model-prices.ts";
import type { PriceOffer } from "@tollgate/contract/catalogue/price-offers.ts";
import type { PriceBook } from "../../money/prices/price-book.ts";
import {
  buildModelPriceRows,
  inOrder,
  type PricedChannel,
  priceChange,
} from "./model-price-rules.ts";
import type { OperatorPrice } from "./model-price-store.ts";
import type { OfferedPrices } from "./price-list-formats.ts";

export interface OfferTerms {
  channels: readonly PricedChannel[];
  builtIn: PriceBook;
  operator: readonly OperatorPrice[];
  offered: OfferedPrices;
  setAside: OfferedPrices;
}

/** An offer with what the operator's price becomes when it is taken. */
export interface OpenOffer extends PriceOffer {
  own: OperatorPrice | undefined;
  stated: ModelPrices;
}

/**
 * Models in use whose price the list states otherwise, by name. A price that stays the same when
 * the offer is taken is none.
 */
export function openOffers({
  channels,
  builtIn,
  operator,
  offered,
  setAside,
}: OfferTerms): OpenOffer[] {
  const set = new Map(operator.map((one) => [one.model, one]));
  const stating = new Map(Object.entries(offered));
  const declined = new Map(Object.entries(setAside));
  return buildModelPriceRows(channels, builtIn, operator).flatMap(
    ({ model, source, ...row }): OpenOffer[] => {
      const offer = stating.get(model);
      if (!offer) return [];
      const own = set.get(model);
      const { stated, before, after } = priceChange(builtIn.get(model), own, { set: offer });
      if (!stated || !isDifferent(before, after)) return [];
      const is_set_aside = isSamePrice(declined.get(model), offer);
      const [source_name, source_date] = own
        ? ["", new Date(own.updatedAt).toISOString().slice(0, 10)]
        : [row.built_in_source, row.built_in_date];
      return [
        { model, source, source_name, source_date, before, after, is_set_aside, own, stated },
      ];
    },
  );
}

export const isSamePrice = (one: ModelPrices | undefined, other: ModelPrices): boolean =>
  JSON.stringify(inOrder(one)) === JSON.stringify(inOrder(other));

const isDifferent = (before: ShownPrices, after: ShownPrices): boolean =>
  JSON.stringify([listRates(before), (before.tiers ?? []).map(listTier)]) !==
  JSON.stringify([listRates(after), (after.tiers ?? []).map(listTier)]);

const listRates = (prices: Readonly<Record<string, unknown>>) =>
  priceNames.map((name) => prices[name]);
const listTier = ({ above, ...rates }: { above: number }) => [above, listRates(rates)];

/**
 * `computeLargestChange` is, of the text and token prices that both state, the largest change in
 * per cent of the price in force; from 0 it is endless.
 */
export function computeLargestChange({
  before,
  after,
}: Pick<PriceOffer, "before" | "after">): number {
  const changes = priceNames.map((name) => {
    const [was, becomes] = [before[name], after[name]];
    if (was === undefined || becomes === undefined || was === becomes) return 0;
    return (Math.abs(becomes - was) / was) * 100;
  });
  return Math.max(0, ...changes);
}
