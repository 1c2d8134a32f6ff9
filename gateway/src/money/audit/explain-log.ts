import type { LogRow } from "../../storage/tables/call-tables.ts";
import {
  type ChargeExplanation,
  explainCharge,
  type FrozenPrice,
  noUsage,
  promptTokens,
  type Usage,
} from "../prices/price.ts";

/** The columns of a log row from which its usage and its price follow. */
export const pricedColumns = [
  "prompt_tokens",
  "completion_tokens",
  "cached_prompt_tokens",
  "cache_write_5m_tokens",
  "cache_write_1h_tokens",
  "price",
] as const;
export type PricedUsage = Pick<LogRow, (typeof pricedColumns)[number]>;

/**
 * The usage of a log row by bucket: on the wire, prompt tokens include tokens read from and written
 * to a cache.
 */
export function readLoggedUsage(log: PricedUsage, price = priceOfLog(log)): Usage {
  const extras = price?.usage ?? {};
  const {
    input_audio = 0,
    input_image = 0,
    output_audio = 0,
    output_image = 0,
    reasoning = 0,
  } = extras;
  const cacheWrites = {
    ...noUsage,
    cache_write_5m: log.cache_write_5m_tokens,
    cache_write_1h: log.cache_write_1h_tokens,
  };
  const cached =
    log.cached_prompt_tokens - (extras.cache_read_audio ?? 0) - (extras.cache_read_image ?? 0);
  return {
    ...cacheWrites,
    ...extras,
    input:
      log.prompt_tokens -
      log.cached_prompt_tokens -
      promptTokens(cacheWrites) -
      input_audio -
      input_image,
    cache_read: cached,
    output: log.completion_tokens - output_audio - output_image - reasoning,
  };
}

const priceOfLog = ({ price }: Pick<LogRow, "price">): FrozenPrice | undefined =>
  price === null ? undefined : (JSON.parse(price) as FrozenPrice);

/** The charge of a log row line by line; null for rows that were never priced. */
export function explainLog(log: PricedUsage): ChargeExplanation | null {
  const price = priceOfLog(log);
  return price ? explainCharge(price, readLoggedUsage(log, price)) : null;
}
