/** What the list of prices shows, and what a change makes of the price of one model. Pure. */
import {
  type ModelPriceRow,
  type ModelPrices,
  type ModelPricesBulk,
  type ModelPricesChange,
  modelPrices,
  type ShownPrices,
} from "@tollgate/contract/model-prices.ts";
import * as z from "zod/mini";
import { refuse } from "../http/refusal.ts";
import { multipliedPrice, shownPrices } from "../money/operator-prices.ts";
import type { Price } from "../money/price.ts";
import { defaultPrice, modelConfigs, type PriceBook } from "../money/price-book.ts";
import { highestPriceOf } from "../money/price-hours.ts";
import { type OperatorPrice, operatorPriceOf } from "./model-price-store.ts";
import { jsonOr, namesIn } from "./model-rules.ts";

/** What prices depend on in the row of a channel. */
export interface PricedChannel {
  id: number;
  name: string;
  models: string;
  model_mapping: string | null;
  model_configs: string | null;
}

/** Models that calls are charged as: those that channels list, by the names of their providers, and those with an operator's price. */
export function modelPriceRows(
  channels: readonly PricedChannel[],
  builtIn: PriceBook,
  operator: readonly OperatorPrice[],
): ModelPriceRow[] {
  const set = new Map(operator.map((one) => [one.model, one]));
  const models = new Set(set.keys());
  const overriding = new Map<string, { id: number; name: string }[]>();
  for (const { id, name, models: listed, ...row } of channels) {
    const mapping = jsonOr<Record<string, string>>(row.model_mapping, {});
    const configs = modelConfigs(jsonOr<Record<string, unknown>>(row.model_configs, {}));
    for (const model of new Set(namesIn(listed).map((model) => mapping[model] ?? model))) {
      models.add(model);
      if (configs.has(model)) overriding.set(model, [...(overriding.get(model) ?? []), { id, name }]);
    }
  }
  return [...models].sort().map((model) => {
    const listed = builtIn.get(model);
    const own = set.get(model);
    const price = priceInForce(listed, own);
    return {
      model,
      source: own ? "operator" : listed ? "built_in" : "default",
      in_force: shownPrices(highestPriceOf(price)),
      built_in: listed ? shownPrices(highestPriceOf(listed)) : null,
      built_in_source: listed?.source ?? "",
      built_in_date: listed?.source_date ?? "",
      operator: own?.prices ?? null,
      has_hours: (price.hours ?? []).length > 0,
      channel_prices: overriding.get(model) ?? [],
      updated_at: own?.updatedAt ?? 0,
    };
  });
}

/** Of these models, those that a channel would charge at the default price: no list, operator or channel states one. */
export function unpricedModels(
  called: readonly string[],
  channels: readonly PricedChannel[],
  builtIn: PriceBook,
  operator: readonly OperatorPrice[],
): string[] {
  const own = new Set(operator.map(({ model }) => model));
  const wanted = new Set(called);
  const unpriced = new Set<string>();
  for (const { models, ...row } of channels) {
    const served = namesIn(models).filter((model) => wanted.has(model));
    if (served.length === 0) continue;
    const mapping = jsonOr<Record<string, string>>(row.model_mapping, {});
    const configs = modelConfigs(jsonOr<Record<string, unknown>>(row.model_configs, {}));
    for (const model of served) {
      const charged = mapping[model] ?? model;
      if (!own.has(charged) && !builtIn.has(charged) && !configs.has(charged)) unpriced.add(model);
    }
  }
  return [...unpriced];
}

const priceInForce = (
  listed: Price | undefined,
  own: Pick<OperatorPrice, "prices" | "updatedAt"> | undefined,
): Price => (own ? operatorPriceOf(listed, own) : (listed ?? defaultPrice));

export interface PriceChange {
  /** What the operator states afterwards; undefined for nothing. */
  stated: ModelPrices | undefined;
  before: ShownPrices;
  after: ShownPrices;
}

type PriceAct = Pick<ModelPricesBulk, "set" | "factor">;

/** Throws a refusal for a model that the act leaves as it is, or cannot price. */
export function changedPrice(listed: Price | undefined, own: OperatorPrice | undefined, act: PriceAct): PriceChange {
  const change = priceChange(listed, own, act);
  if (samePrices(change.stated, own?.prices)) throw refuse("bulk_unchanged");
  return change;
}

/** The same for a model that the act leaves as it is. */
export function priceChange(listed: Price | undefined, own: OperatorPrice | undefined, act: PriceAct): PriceChange {
  const stated = statedAfter(listed, own?.prices, act);
  const shown = (prices: ModelPrices | undefined): ShownPrices =>
    shownPrices(highestPriceOf(priceInForce(listed, prices && { prices, updatedAt: 0 })));
  return { stated, before: shown(own?.prices), after: shown(stated) };
}

function statedAfter(
  listed: Price | undefined,
  own: ModelPrices | undefined,
  { set, factor }: PriceAct,
): ModelPrices | undefined {
  if (set) return mergedPrices(own ?? {}, set);
  if (factor === undefined) return undefined;
  if (!listed) throw refuse("model_price_unknown");
  const { max_tokens: _, calls, ...prices } = shownPrices(multipliedPrice(highestPriceOf(listed), factor));
  // One fee for every call would be wrong where the list has several.
  const fee = calls !== undefined && !listed.callFees && { calls };
  const scaled = z.safeParse(modelPrices, {
    ...prices,
    ...fee,
    ...(own?.max_tokens && { max_tokens: own.max_tokens }),
  });
  if (!scaled.success) throw refuse("model_price_out_of_range");
  return scaled.data;
}

/** Undefined where nothing is stated any more. */
function mergedPrices(own: ModelPrices, change: ModelPricesChange): ModelPrices | undefined {
  const members = Object.entries({ ...own, ...change }).filter(([, value]) => value !== null && value !== undefined);
  return members.length === 0 ? undefined : (Object.fromEntries(members) as ModelPrices);
}

const samePrices = (one: ModelPrices | undefined, other: ModelPrices | undefined): boolean =>
  JSON.stringify(inOrder(one)) === JSON.stringify(inOrder(other));

/** The order of members is that of the schema, whichever order a client sent them in. */
export const inOrder = (prices: ModelPrices | undefined): ModelPrices | undefined =>
  prices && z.parse(modelPrices, prices);
