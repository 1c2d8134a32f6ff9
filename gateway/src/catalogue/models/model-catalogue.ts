/**
 * The public list of models and prices, cached until channels or prices change because the endpoint
 * is public.
 */

import { roles } from "@tollgate/contract/accounts/roles.ts";
import { findChannelType } from "@tollgate/contract/catalogue/channel-types.ts";
import { parseModelMapping } from "@tollgate/contract/catalogue/model-patterns.ts";
import type { DisplayedModel, DisplayedProvider } from "@tollgate/contract/catalogue/models.ts";
import type { Principal } from "../../http/request-context.ts";
import type { Price } from "../../money/prices/price.ts";
import { findPrice, type PriceBook, parseModelConfigs } from "../../money/prices/price-book.ts";
import { findHighestPrice } from "../../money/prices/price-hours.ts";
import { applyRegionalFactor, hasOwnPrice } from "../../money/prices/regional-prices.ts";
import type { Database } from "../../storage/database.ts";
import { readCurrentBook } from "./model-price-store.ts";
import { type ChannelModels, listVisibleModels, parseJson, parseNames } from "./model-rules.ts";

interface CataloguedChannel {
  type: number;
  name: string;
  groups: readonly string[];
  models: Record<string, DisplayedModel>;
}

export type ModelCatalogue = (
  caller: Principal | undefined,
) => Promise<Record<string, DisplayedProvider>>;

export function createModelCatalogue(db: Database, builtIn: PriceBook): ModelCatalogue {
  const { sql, read, onChange } = db;
  let known: Promise<CataloguedChannel[]> | undefined;
  for (const topic of ["channels", "prices"] as const)
    onChange(topic, () => {
      known = undefined;
    });
  const load = async () => {
    const rows = await read(
      sql
        .selectFrom("channels")
        .select([
          "id",
          "name",
          "type",
          "group",
          "models",
          "hidden_models",
          "model_mapping",
          "model_configs",
        ])
        .select(["base_url", "config"])
        .where("status", "=", 1)
        .orderBy("priority", "desc")
        .orderBy("id"),
    );
    const book = await readCurrentBook(db, builtIn);
    return rows.map((row) => catalogued(row, book));
  };
  return async (caller) => {
    known ??= load();
    const reading = known;
    // After a failed read, the next request reads again.
    reading.catch(() => {
      if (known === reading) known = undefined;
    });
    const all = await reading;
    const usable = caller ? all.filter(({ groups }) => groups.includes(caller.group)) : all;
    return groupByProvider(usable, caller !== undefined && caller.role >= roles.admin);
  };
}

interface CatalogueSource extends ChannelModels {
  id: number;
  name: string;
  group: string;
  model_configs: string | null;
  base_url: string;
  config: string;
}

function catalogued(row: CatalogueSource, book: PriceBook): CataloguedChannel {
  const mapping = parseModelMapping(row.model_mapping);
  const configs = parseModelConfigs(parseJson<Record<string, unknown>>(row.model_configs, {}));
  const place = {
    type: row.type,
    base: row.base_url,
    config: parseJson<Record<string, unknown>>(row.config, {}),
  };
  const models = listVisibleModels(row).map((model) => {
    const mapped = mapping.get(model) ?? model;
    const entry = configs.get(mapped);
    const stated = findPrice(mapped, book, entry, `channel ${row.id}`);
    const price = applyRegionalFactor(stated, mapped, place, hasOwnPrice(entry));
    return [model, display(findHighestPrice(price))] as const;
  });
  return {
    type: row.type,
    name: row.name,
    groups: parseNames(row.group),
    models: Object.fromEntries(models),
  };
}

/** Picodollars per token are millionths of a dollar per million tokens. */
const computeDollarsPerMillion = (rate: bigint): number => Number(rate) / 1_000_000;
const computeDollarsEach = (rate: bigint): number => Number(rate) / 1_000_000_000_000;

function display({
  rates,
  tiers = [],
  max_tokens,
  context_window,
  verified,
}: Price): DisplayedModel {
  return {
    input_price: computeDollarsPerMillion(rates.input),
    cached_input_price: computeDollarsPerMillion(rates.cache_read),
    cache_write_5m_price: computeDollarsPerMillion(rates.cache_write_5m),
    cache_write_1h_price: computeDollarsPerMillion(rates.cache_write_1h),
    output_price: computeDollarsPerMillion(rates.output),
    ...(tiers.length > 0 && {
      tiers: tiers.map(({ above, rates: higher }) => ({
        above,
        input_price: computeDollarsPerMillion(higher.input),
        cached_input_price: computeDollarsPerMillion(higher.cache_read),
        output_price: computeDollarsPerMillion(higher.output),
      })),
    }),
    ...(rates.images !== undefined && { image_price: computeDollarsEach(rates.images) }),
    max_tokens,
    ...(context_window !== undefined && { context_window }),
    price_verified: verified,
  };
}

/**
 * Only administrators see channel names. For others the channels of a provider are merged, and a
 * model on several channels shows the price of the one with the highest priority.
 */
function groupByProvider(
  channels: readonly CataloguedChannel[],
  showChannels: boolean,
): Record<string, DisplayedProvider> {
  const providers = new Map<string, DisplayedProvider>();
  for (const { type, name, models } of channels) {
    const provider = findChannelType(type)?.name ?? `Type ${type}`;
    const channel_name = showChannels ? name : provider;
    const key = `${provider}:${channel_name}`;
    const earlier = providers.get(key)?.models;
    providers.set(key, { channel_name, channel_type: type, models: { ...models, ...earlier } });
  }
  return Object.fromEntries(
    [...providers].filter(([, { models }]) => Object.keys(models).length > 0),
  );
}
