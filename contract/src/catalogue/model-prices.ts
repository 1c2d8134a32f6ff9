/**
 * Prices that operators set for models, in US dollars before the ratio of the user's group: for a
 * million tokens, or for each item. A channel's `model_configs` may hold the same object as
 * `prices`, for calls on that channel alone.
 */
import * as z from "zod/mini";
import { endpoint } from "../api/endpoint.ts";
import { makeAboutField } from "../api/field-message.ts";
import { listExtras, pageFields } from "../api/page.ts";
import { line, unixMillis } from "../api/scalars.ts";
import { itemBuckets, mediaBuckets, textBuckets } from "../figures/usage-buckets.ts";

/** Counted in tokens. */
const tokenPriceNames = [...textBuckets, ...mediaBuckets] as const;
export const priceNames = [...tokenPriceNames, ...itemBuckets] as const;
export type PriceName = (typeof priceNames)[number];

/**
 * Above any price of a provider, and so low that no charge exceeds a safe integer: for a million
 * tokens, and for each item.
 */
const tokensDollarsMax = 100_000;
const itemDollarsMax = 1_000;
/** A picodollar per token: a smaller price would be rounded to 0. */
const dollarsMin = 0.000_001;
const tiersMax = 8;
const tokensMax = 100_000_000;
/** `pricedModelsMax` is as many as other verbs for many change in one transaction. */
export const pricedModelsMax = 100;
const factorMax = 1_000;

const formatDollars = (max: number) =>
  z.number().check(
    z.minimum(0, makeAboutField("must not be negative")),
    z.maximum(max, makeAboutField(`must be at most ${max}`)),
    z.refine(
      (price) => price === 0 || price >= dollarsMin,
      makeAboutField("must be 0 or at least 0.000001"),
    ),
  );
type Dollars = ReturnType<typeof formatDollars>;
/** The members of an object of prices: `each` makes one of them. */
const defineMembers = <Schema extends z.ZodMiniType>(each: (schema: Dollars) => Schema) => ({
  ...named(tokenPriceNames, each(formatDollars(tokensDollarsMax))),
  ...named(itemBuckets, each(formatDollars(itemDollarsMax))),
});
const named = <Name extends string, Schema>(names: readonly Name[], schema: Schema) =>
  Object.fromEntries(names.map((name) => [name, schema])) as Record<Name, Schema>;
const maxTokens = z.int().check(z.minimum(0), z.maximum(tokensMax));
const above = z.int().check(z.minimum(0), z.maximum(tokensMax));

const rates = defineMembers((price) => z.optional(price));
/**
 * Prices of a whole call with more prompt tokens than `above`; what is left out is as without the
 * tier.
 */
const tiers = z.array(z.strictObject({ above, ...rates })).check(
  z.maxLength(tiersMax, makeAboutField(`must be at most ${tiersMax}`)),
  z.refine(
    (all) => new Set(all.map((tier) => tier.above)).size === all.length,
    makeAboutField("must differ in their thresholds"),
  ),
);

/**
 * `modelPrices` go before the built-in prices; one that is left out is the built-in one. A text
 * price ends the built-in ones for long prompts and for hours of the day.
 */
export const modelPrices = z.strictObject({
  ...rates,
  tiers: z.optional(tiers),
  /** The longest completion, for holds of calls without a limit; 0 and missing: as built in. */
  max_tokens: z.optional(maxTokens),
});
export type ModelPrices = z.output<typeof modelPrices>;

/** null returns to the built-in price. */
const pricesChange = z.strictObject({
  ...defineMembers((price) => z.optional(z.nullable(price))),
  tiers: z.optional(z.nullable(tiers)),
  max_tokens: z.optional(z.nullable(maxTokens)),
});
export type ModelPricesChange = z.output<typeof pricesChange>;

export const priceSources = ["operator", "built_in", "default"] as const;
export type ModelPriceSource = (typeof priceSources)[number];

const shownRates = defineMembers(() => z.optional(z.number()));
/**
 * Prices as replies hold them: no bound, since a price of the package and a multiple of it have
 * none.
 */
export const shownPrices = z.object({
  ...shownRates,
  tiers: z.optional(z.array(z.object({ above: z.int(), ...shownRates }))),
  max_tokens: z.optional(z.int()),
});
export type ShownPrices = z.output<typeof shownPrices>;

const modelPriceRow = z.object({
  model: z.string(),
  /** `default`: the model has no known price and costs what unknown models cost. */
  source: z.enum(priceSources),
  /**
   * `in_force` is what is charged, where no channel says otherwise. Of prices that depend on the
   * hour, the highest.
   */
  in_force: shownPrices,
  /** `built_in` is what the price package says; null where it does not know the model. */
  built_in: z.nullable(shownPrices),
  /** The package and the day on which it was read; empty where it does not know the model. */
  built_in_source: z.string(),
  built_in_date: z.string(),
  /** `operator` is what the operator set; null for nothing. */
  operator: z.nullable(shownPrices),
  /** The price in force depends on the hour of the day. */
  has_hours: z.boolean(),
  /** Channels whose own `model_configs` price the model: their calls may cost something else. */
  channel_prices: z.array(z.object({ id: z.int(), name: z.string() })),
  /** `updated_at` is when the operator's price was set; 0 without one. */
  updated_at: unixMillis,
});
export type ModelPriceRow = z.output<typeof modelPriceRow>;

export const listModelPrices = endpoint("GET", "/api/price/", {
  access: "admin",
  scope: "channels:read",
  summary:
    "Prices of the models that channels offer, and of others that have a price of the operator, by name",
  query: z.object({
    ...pageFields,
    keyword: z.optional(line(200)),
    source: z.optional(z.enum(priceSources)),
  }),
  data: z.array(modelPriceRow),
  extras: listExtras,
});

const acts = ["set", "factor", "reset"] as const;

const modelPricesBulk = z
  .object({
    models: z
      .array(line(200).check(z.minLength(1)))
      .check(z.minLength(1), z.maxLength(pricedModelsMax)),
    /** The members to change; the others keep what the operator set before. */
    set: z.optional(pricesChange),
    /** The built-in price times this becomes the operator's. */
    factor: z.optional(z.number().check(z.minimum(0), z.maximum(factorMax))),
    /** True: the operator's prices are forgotten. */
    reset: z.optional(z.literal(true)),
    /** True: nothing is changed. */
    preview: z.optional(z.boolean()),
    /**
     * `updated_at` is what the form read, for a single model: refused when the price was changed
     * since.
     */
    updated_at: z.optional(unixMillis),
  })
  .check(
    z.refine((body) => acts.filter((act) => body[act] !== undefined).length === 1, {
      ...makeAboutField("is required, or factor, or reset, and only one of them"),
      path: ["set"],
    }),
  );
export type ModelPricesBulk = z.output<typeof modelPricesBulk>;

const changedPrice = z.object({
  model: z.string(),
  /** `skipped` says why the price stays as it is; null for one that changes. */
  skipped: z.nullable(z.object({ code: z.string(), message: z.string() })),
  /** `before` is what is charged without the change, and with it. */
  before: shownPrices,
  after: shownPrices,
});
export type ChangedPrice = z.output<typeof changedPrice>;

export const changeModelPrices = endpoint("POST", "/api/price/bulk", {
  access: "admin",
  scope: "channels:write",
  summary:
    "Set, scale or forget the operator's prices of many models, or preview it; whole or not at all",
  body: modelPricesBulk,
  data: z.object({ changed: z.int(), rows: z.array(changedPrice) }),
  timeoutMs: 60_000,
});
