/** The list of prices as it is shown, and the result of a change of one model's price. Pure. */
import {
  isModelPattern,
  listsModel,
  parseModelMapping,
} from "@tollgate/contract/catalogue/model-patterns.ts";
import {
  type ModelPriceRow,
  type ModelPrices,
  type ModelPricesBulk,
  type ModelPricesChange,
  modelPrices,
  type ShownPrices,
} from "@tollgate/contract/catalogue/model-prices.ts";
import * as z from "zod/mini";
import { refuse } from "../../http/refusal.ts";
import { multiplyPrice, showPrices } from "../../money/prices/operator-prices.ts";
import type { Price } from "../../money/prices/price.ts";
import { defaultPrice, type PriceBook, parseModelConfigs } from "../../money/prices/price-book.ts";
import { findHighestPrice } from "../../money/prices/price-hours.ts";
import { buildOperatorPrice, type OperatorPrice } from "./model-price-store.ts";
import { parseJson, parseNames } from "./model-rules.ts";

/** `PricedChannel` is what prices depend on in the row of a channel. */
export interface PricedChannel {
  id: number;
  name: string;
  models: string;
  model_mapping: string | null;
  model_configs: string | null;
}

/**
 * Models that calls are charged as: those that channels list, by the names of their providers, and
 * those with an operator's price.
 */
export function buildModelPriceRows(
  channels: readonly PricedChannel[],
  builtIn: PriceBook,
  operator: readonly OperatorPrice[],
): ModelPriceRow[] {
  const set = new Map(operator.map((one) => [one.model, one]));
  const models = new Set(set.keys());
  const overriding = new Map<string, { id: number; name: string }[]>();
  for (const { id, name, models: listed, ...row } of channels) {
    const mapping = parseModelMapping(row.model_mapping);
    const configs = parseModelConfigs(parseJson<Record<string, unknown>>(row.model_configs, {}));
    // The prices of what a pattern covers stand in the price book, whole.
    const names = parseNames(listed).filter((model) => !isModelPattern(model));
    for (const model of new Set(names.map((model) => mapping.get(model) ?? model))) {
      models.add(model);
      if (configs.has(model))
        overriding.set(model, [...(overriding.get(model) ?? []), { id, name }]);
    }
  }
  return [...models].sort().map((model) => {
    const listed = builtIn.get(model);
    const own = set.get(model);
    const price = priceInForce(listed, own);
    return {
      model,
      source: own ? "operator" : listed ? "built_in" : "default",
      in_force: showPrices(findHighestPrice(price)),
      built_in: listed ? showPrices(findHighestPrice(listed)) : null,
      built_in_source: listed?.source ?? "",
      built_in_date: listed?.source_date ?? "",
      operator: own?.prices ?? null,
      has_hours: (price.hours ?? []).length > 0,
      channel_prices: overriding.get(model) ?? [],
      updated_at: own?.updatedAt ?? 0,
    };
  });
}

/**
 * `listUnpricedModels` gives those of the models that a channel would charge at the default price:
 * no list, operator or channel states one.
 */
export function listUnpricedModels(
  called: readonly string[],
  channels: readonly PricedChannel[],
  builtIn: PriceBook,
  operator: readonly OperatorPrice[],
): string[] {
  const own = new Set(operator.map(({ model }) => model));
  const wanted = new Set(called);
  const unpriced = new Set<string>();
  for (const { models, ...row } of channels) {
    const list = parseNames(models);
    const served = [...wanted].filter((model) => listsModel(list, model));
    if (served.length === 0) continue;
    const mapping = parseModelMapping(row.model_mapping);
    const configs = parseModelConfigs(parseJson<Record<string, unknown>>(row.model_configs, {}));
    for (const model of served) {
      const charged = mapping.get(model) ?? model;
      if (!own.has(charged) && !builtIn.has(charged) && !configs.has(charged)) unpriced.add(model);
    }
  }
  return [...unpriced];
}

const priceInForce = (
  listed: Price | undefined,
  own: Pick<OperatorPrice, "prices" | "updatedAt"> | undefined,
): Price => (own ? buildOperatorPrice(listed, own) : (listed ?? defaultPrice));

export interface PriceChange {
  /** `stated` is what the operator states afterwards; undefined for nothing. */
  stated: ModelPrices | undefined;
  before: ShownPrices;
  after: ShownPrices;
}

type PriceAct = Pick<ModelPricesBulk, "set" | "factor">;

/** Throws a refusal for a model that the act leaves as it is, or cannot price. */
export function changePrice(
  listed: Price | undefined,
  own: OperatorPrice | undefined,
  act: PriceAct,
): PriceChange {
  const change = priceChange(listed, own, act);
  if (samePrices(change.stated, own?.prices)) throw refuse("bulk_unchanged");
  return change;
}

/** `priceChange` does the same for a model that the act leaves as it is. */
export function priceChange(
  listed: Price | undefined,
  own: OperatorPrice | undefined,
  act: PriceAct,
): PriceChange {
  const stated = mergeStated(listed, own?.prices, act);
  const shown = (prices: ModelPrices | undefined): ShownPrices =>
    showPrices(findHighestPrice(priceInForce(listed, prices && { prices, updatedAt: 0 })));
  return { stated, before: shown(own?.prices), after: shown(stated) };
}

function mergeStated(
  listed: Price | undefined,
  own: ModelPrices | undefined,
  { set, factor }: PriceAct,
): ModelPrices | undefined {
  if (set) return mergePrices(own ?? {}, set);
  if (factor === undefined) return undefined;
  if (!listed) throw refuse("model_price_unknown");
  const {
    max_tokens: _,
    calls,
    ...prices
  } = showPrices(multiplyPrice(findHighestPrice(listed), factor));
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
function mergePrices(own: ModelPrices, change: ModelPricesChange): ModelPrices | undefined {
  const members = Object.entries({ ...own, ...change }).filter(
    ([, value]) => value !== null && value !== undefined,
  );
  return members.length === 0 ? undefined : (Object.fromEntries(members) as ModelPrices);
}

const samePrices = (one: ModelPrices | undefined, other: ModelPrices | undefined): boolean =>
  JSON.stringify(inOrder(one)) === JSON.stringify(inOrder(other));

/** The order of members is that of the schema, whichever order a client sent them in. */
export const inOrder = (prices: ModelPrices | undefined): ModelPrices | undefined =>
  prices && z.parse(modelPrices, prices);
