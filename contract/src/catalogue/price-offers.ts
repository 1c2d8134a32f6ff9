/**
 * A price list from elsewhere, such as a newer one of this program or LiteLLM's, beside the prices
 * in force. Reading a list changes no price: root takes each difference, or sets it aside.
 */
import * as z from "zod/mini";
import { endpoint } from "../api/endpoint.ts";
import { makeAboutField } from "../api/field-message.ts";
import { line, prose, unixMillis } from "../api/scalars.ts";
import { priceSources, shownPrices } from "./model-prices.ts";

/** LiteLLM's list has two million characters. */
const priceListCharactersMax = 8_000_000;
/** Differences of one reply, and of one act. */
export const priceOffersMax = 1_000;

/** `priceListFailures` says why a list could not be read from its address. */
export const priceListFailures = [
  "forbidden",
  "unreachable",
  "no_answer",
  "status",
  "too_large",
  "unreadable",
] as const;
export type PriceListFailure = (typeof priceListFailures)[number];

const priceOffer = z.object({
  /** `model` is as its provider names it. */
  model: z.string(),
  /**
   * `source` is where the price in force comes from; taking the offer replaces an operator's price.
   */
  source: z.enum(priceSources),
  /**
   * `source_name` is what the present price names as its source, and the day of that; empty for the
   * default price.
   */
  source_name: z.string(),
  source_date: z.string(),
  /**
   * `before` is what is charged now, and with the offered price. Of prices that depend on the hour,
   * the highest.
   */
  before: shownPrices,
  after: shownPrices,
  /** Root set this very price aside. */
  is_set_aside: z.boolean(),
});
export type PriceOffer = z.output<typeof priceOffer>;

const priceOffers = z.object({
  /** Read once a day; empty for none. */
  address: z.string(),
  /** The source of the list, by its own word or its address; empty before the first one. */
  list_source: z.string(),
  /** `list_models` says how many models of the list have a price that can be compared. */
  list_models: z.int(),
  /** `read_at` is when it was read; 0 before the first one. */
  read_at: unixMillis,
  /** `failure` says why the last attempt failed; the list before it stays. */
  failure: z.nullable(z.enum(priceListFailures)),
  /** Names the list: an act on another one is refused. */
  revision: z.int(),
  /**
   * Models of channels, and models with a price of the operator, whose price the list states
   * otherwise.
   */
  offers: z.array(priceOffer),
  /** There are more differences than the reply holds. */
  has_more: z.boolean(),
});
export type PriceOffers = z.output<typeof priceOffers>;

export const listPriceOffers = endpoint("GET", "/api/price/offers", {
  access: "root",
  scope: "channels:read",
  summary: "How the price list that was read last differs from the prices in force",
  data: priceOffers,
});

const lists = ["address", "content"] as const;

export const readPriceList = endpoint("POST", "/api/price/offers/read", {
  access: "root",
  scope: "none",
  summary:
    "Read a price list for comparison: from an address, which is then read once a day, or from its text",
  body: z
    .object({
      /** Empty: no address is read any more. */
      address: z.optional(line(2_000)),
      /** `price-data.json` of this program, or LiteLLM's `model_prices_and_context_window.json`. */
      content: z.optional(prose(priceListCharactersMax)),
      /** The name of the file. */
      name: z.optional(line(200)),
    })
    .check(
      z.refine((body) => lists.filter((list) => body[list] !== undefined).length === 1, {
        ...makeAboutField("is required, or content, and only one of them"),
        path: ["address"],
      }),
    ),
  data: priceOffers,
  hasLargeBody: true,
  timeoutMs: 60_000,
});

export const decidePriceOffers = endpoint("POST", "/api/price/offers/decide", {
  access: "root",
  scope: "none",
  summary:
    "Take offered prices as those of the operator, or set them aside until the list states others; whole or not at all",
  body: z.object({
    revision: z.int().check(z.minimum(0)),
    models: z
      .array(line(200).check(z.minLength(1)))
      .check(z.minLength(1), z.maxLength(priceOffersMax)),
    decision: z.enum(["take", "set_aside"]),
  }),
  data: priceOffers,
  timeoutMs: 60_000,
});
