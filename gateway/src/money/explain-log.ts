import type { LogRow } from "../storage/schema.ts";
import { type Explanation, explain, type FrozenPrice, type Usage } from "./price.ts";

/** On the wire prompt tokens include what was read from and written to a cache; prices need the buckets apart. */
export const usageOfLog = (log: LogRow): Usage => ({
  input: log.prompt_tokens - log.cached_prompt_tokens - log.cache_write_5m_tokens - log.cache_write_1h_tokens,
  cache_read: log.cached_prompt_tokens,
  cache_write_5m: log.cache_write_5m_tokens,
  cache_write_1h: log.cache_write_1h_tokens,
  output: log.completion_tokens,
});

/** The charge of a log row line by line; null for rows that were never priced. */
export const explainLog = (log: LogRow): Explanation | null =>
  log.price === null ? null : explain(JSON.parse(log.price) as FrozenPrice, usageOfLog(log));
