/**
 * Places whose price is a multiple of the listed one. A channel calls one place, by its host or its
 * region, so the factor is part of the channel's price. Each comes from a page of the provider that
 * was read on the day it states; for any other place the operator states one.
 */

import {
  isRegionFactor,
  regionFactorMember,
} from "@tollgate/contract/catalogue/channel-overrides.ts";
import { channelTypeIds } from "@tollgate/contract/catalogue/channel-types.ts";
import type { Price } from "./price.ts";
import type { ModelConfig } from "./price-book.ts";
import { priceWithTerms } from "./price-factors.ts";

interface RegionalFactorRow {
  /** `places` are what `readPlace` answers. */
  places: RegExp;
  models: RegExp;
  /** Multiplies every price per token, as an exact decimal. */
  factor: string;
  what: string;
  source: string;
  read_on: string;
}

const readOn = "2026-11-23";

/**
 * Bedrock needs none: its price list has the names of regional and global inference profiles apart.
 */
export const regionalFactors: readonly RegionalFactorRow[] = [
  {
    places: /^[a-z]{2}\.api\.openai\.com$/,
    // GPT-5.4 is of that day.
    models: /^gpt-(?:5[.-](?:[4-9]|\d\d)|[6-9]|\d\d)(?!\d)/,
    factor: "1.1",
    what: "OpenAI's data residency (`eu.api.openai.com` and its like), for models released from 2026-03-05 on",
    source: "https://developers.openai.com/api/docs/guides/data-residency",
    read_on: readOn,
  },
  {
    places: /^us\.api\.x\.ai$/,
    models: /./,
    factor: "1.1",
    what: "xAI's regional endpoint (`us.api.x.ai`), for every model",
    source: "https://docs.x.ai/developers/advanced-api-usage/regions",
    read_on: readOn,
  },
  {
    places: /^vertex (?!global$)./,
    models: /^claude-[a-z]+-(?:4-(?:[5-9]|\d\d)|[5-9]|\d\d)(?!\d)/,
    factor: "1.1",
    what: "Claude on Vertex AI in a region or multi-region, from Claude 4.5 on",
    source: "https://platform.claude.com/docs/en/about-claude/pricing",
    read_on: readOn,
  },
];

/** `PlacedChannel` is what the place of a channel depends on. */
export interface PlacedChannel {
  type: number;
  /** Its address. */
  base: string;
  config: Readonly<Record<string, unknown>>;
}

/**
 * The host that a channel calls; of Vertex `vertex` and the region, which its host may not show.
 */
function readPlace({ type, base, config }: PlacedChannel): string {
  if (type === channelTypeIds.vertex)
    return `vertex ${typeof config.region === "string" ? config.region : ""}`;
  return URL.parse(base)?.hostname ?? "";
}

/** The exact factor, or undefined where no page states one. `model` is the provider's name. */
export const findFactor = (place: string, model: string): string | undefined =>
  regionalFactors.find(({ places, models }) => places.test(place) && models.test(model))?.factor;

/**
 * `hasOwnPrice` says whether the channel's entry for a model is the operator's price of its text,
 * and so the price at the channel's place.
 */
export const hasOwnPrice = (entry: ModelConfig | undefined): boolean =>
  entry?.ratio !== undefined ||
  entry?.completion_ratio !== undefined ||
  entry?.prices !== undefined;

/**
 * The price at the channel's place: what the operator states goes before what is known of the
 * place. `isOwn` says that the price was entered for the channel: it is that of the place already,
 * and only a factor that the operator states multiplies it.
 */
export function applyRegionalFactor(
  price: Price,
  model: string,
  channel: PlacedChannel,
  isOwn: boolean,
): Price {
  const place = readPlace(channel);
  const stated = channel.config[regionFactorMember];
  const known = isOwn ? undefined : findFactor(place, model);
  const factor = isRegionFactor(stated) ? String(stated) : known;
  if (factor === undefined || Number(factor) === 1) return price;
  return priceWithTerms(price, [{ member: "region", value: place, factor }]);
}
