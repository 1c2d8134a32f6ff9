/**
 * Price lists as they are published: this program's own and LiteLLM's. Pure; what is no price is
 * left out, never guessed.
 */
import { isJsonRecord } from "@tollgate/contract/api/json-record.ts";
import { type ModelPrices, modelPrices } from "@tollgate/contract/catalogue/model-prices.ts";
import * as z from "zod/mini";
import { parseDecimal } from "../../money/decimal.ts";

/** `OfferedPrices` go by the provider's name of the model. */
export type OfferedPrices = Readonly<Record<string, ModelPrices>>;

export interface OfferedPriceList {
  /** `source` is what the list says of itself; empty where it says nothing. */
  source: string;
  models: OfferedPrices;
}

export class UnreadablePriceList extends Error {}

/** Several times what the largest list has. */
const modelsMax = 20_000;
const nameMax = 200;
const tierSizes = [128, 200, 256, 272] as const;

/** Throws `UnreadablePriceList` where the text is no such list, or holds no price at all. */
export function readPriceListText(text: string): OfferedPriceList {
  const list = parseJson(text);
  if (!isJsonRecord(list)) throw new UnreadablePriceList("the list is no JSON object");
  const { source, sellers } = list;
  const models = isJsonRecord(sellers) ? ownModels(sellers) : readLitellmModels(list);
  if (models.size === 0)
    throw new UnreadablePriceList("the list has no price that can be compared");
  if (models.size > modelsMax)
    throw new UnreadablePriceList(`the list has more than ${modelsMax} models`);
  const isNamed = isJsonRecord(sellers) && typeof source === "string";
  return { source: isNamed ? source.slice(0, nameMax) : "", models: Object.fromEntries(models) };
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw new UnreadablePriceList("the list is not JSON");
  }
}

/**
 * A price that the contract does not allow, or that says 0 for everything, as lists write an
 * unknown one, is left out.
 */
function parsePrices(members: Readonly<Record<string, unknown>>): ModelPrices | undefined {
  const prices = z.safeParse(modelPrices, members);
  if (!prices.success) return undefined;
  const { tiers: _, max_tokens: __, ...rates } = prices.data;
  return Object.values(rates).some((rate = 0) => rate > 0) ? prices.data : undefined;
}

const add = (
  models: Map<string, ModelPrices>,
  model: string,
  prices: ModelPrices | undefined,
): void => {
  if (prices && model !== "" && model.length <= nameMax && !models.has(model))
    models.set(model, prices);
};

/** Our names of buckets where the file has others. */
const ownNames: Readonly<Record<string, string>> = { cached_input: "cache_read" };

/**
 * Sellers stand in the order of precedence. Prices that depend on the hour or are approximate
 * cannot be stated as an operator's.
 */
function ownModels(sellers: Readonly<Record<string, unknown>>): Map<string, ModelPrices> {
  const models = new Map<string, ModelPrices>();
  for (const entries of Object.values(sellers)) {
    for (const entry of Array.isArray(entries) ? (entries as unknown[]) : []) {
      if (!isJsonRecord(entry) || !Array.isArray(entry.models)) continue;
      const { models: names, hours, unverified, context_window: _, tiers, ...rates } = entry;
      if (hours !== undefined || unverified === true) continue;
      const stated = Array.isArray(tiers) ? (tiers as unknown[]).filter(isJsonRecord) : [];
      const higher = stated.map((tier) => ({
        ...inputForCaches({ ...rates, ...tier }),
        ...ownRates(tier),
      }));
      const prices = parsePrices({
        ...ownRates(rates),
        ...(higher.length > 0 && { tiers: higher }),
      });
      for (const name of names as unknown[])
        if (typeof name === "string") add(models, name, prices);
    }
  }
  return models;
}

/**
 * `inputForCaches` is for the caches of a tier without a price of their own, which cost as much as
 * its plain input; an operator's tier has the ordinary price for them.
 */
function inputForCaches({
  input,
  cached_input,
  cache_write_5m,
  cache_write_1h,
}: Record<string, unknown>) {
  const write = cache_write_5m ?? input;
  return ownRates({
    cached_input: cached_input ?? input,
    cache_write_5m: write,
    cache_write_1h: cache_write_1h ?? write,
  });
}

/** Decimal texts as numbers. */
const ownRates = (rates: Readonly<Record<string, unknown>>): Record<string, unknown> =>
  Object.fromEntries(
    Object.entries(rates).map(([name, value]) => [
      ownNames[name] ?? name,
      typeof value === "string" && parseDecimal(value) ? Number(value) : value,
    ]),
  );

/** Our bucket by LiteLLM's member: dollars per token. */
const perToken = {
  input: "input_cost_per_token",
  cache_read: "cache_read_input_token_cost",
  cache_write_5m: "cache_creation_input_token_cost",
  cache_write_1h: "cache_creation_input_token_cost_above_1hr",
  output: "output_cost_per_token",
  input_audio: "input_cost_per_audio_token",
  output_audio: "output_cost_per_audio_token",
  output_image: "output_cost_per_image_token",
} as const;

/** Dollars per item. */
const perItem = { images: "output_cost_per_image", seconds: "input_cost_per_second" } as const;

/**
 * Before the names without a prefix: those are Google's models at Vertex AI, which have prices of
 * their own.
 */
const firstPrefix = "gemini/";
/**
 * Makers of models, then hosts, as `scripts/update-prices.ts` orders them. Other prefixes name
 * accounts and regions.
 */
const prefixes = [
  ...[
    "openai/",
    "anthropic/",
    "mistral/",
    "deepseek/",
    "xai/",
    "cohere/",
    "moonshot/",
    "minimax/",
    "zai/",
  ],
  ...["vertex_ai/", "groq/", "cerebras/", "together_ai/", "fireworks_ai/", "openrouter/"],
] as const;

function readLitellmModels(list: Readonly<Record<string, unknown>>): Map<string, ModelPrices> {
  const models = new Map<string, ModelPrices>();
  const entries = Object.entries(list).map(([name, members]) => {
    const isModel = isJsonRecord(members) && name !== "sample_spec";
    return [name, isModel ? readLitellmPrices(members) : undefined] as const;
  });
  const take = (prefix: string) => {
    for (const [name, prices] of entries)
      if (name.startsWith(prefix) && (prefix !== "" || !name.includes("/")))
        add(models, name.slice(prefix.length), prices);
  };
  for (const prefix of [firstPrefix, "", ...prefixes]) take(prefix);
  return models;
}

function readLitellmPrices(members: Readonly<Record<string, unknown>>): ModelPrices | undefined {
  const ratesOf = (suffix: string) =>
    Object.entries(perToken).flatMap(([bucket, member]) => {
      const rate = findDollarsPerMillion(members[member + suffix]);
      return rate === undefined ? [] : [[bucket, rate] as const];
    });
  const items = Object.entries(perItem).flatMap(([bucket, member]) => {
    const rate = members[member];
    return typeof rate === "number" && rate > 0 ? [[bucket, rate] as const] : [];
  });
  const tiers = tierSizes.flatMap((thousands) => {
    const rates = ratesOf(`_above_${thousands}k_tokens`);
    return rates.length === 0 ? [] : [{ above: thousands * 1_000, ...Object.fromEntries(rates) }];
  });
  return parsePrices({
    ...Object.fromEntries([...ratesOf(""), ...items]),
    ...(tiers.length > 0 && { tiers }),
  });
}

/** Exact: dollars per token as a decimal, times a million. Undefined for anything but a price. */
function findDollarsPerMillion(value: unknown): number | undefined {
  const exact =
    typeof value === "number" || typeof value === "string" ? parseDecimal(value) : undefined;
  return exact && Number(`${exact.digits}e${6 - exact.scale}`);
}
