/** The record of calls and of what people did with the gateway. */
import * as z from "zod/mini";
import { endpoint } from "./endpoint.ts";
import { aboutField } from "./field-message.ts";
import { reference } from "./ids.ts";
import { listExtras, pageFields, sortFields } from "./page.ts";
import { queryInteger, querySeconds, unixMillis } from "./scalars.ts";

export const logTypes = { all: 0, topup: 1, consume: 2, management: 3, system: 4, test: 5, tool: 7 } as const;

/** How a charge came about, line by line. */
export const priceExplanation = z.object({
  lines: z.array(
    z.object({
      /** A bucket of the gateway's prices: `input`, `output`, `input_audio`, `images`, `seconds`, `web_searches`, … */
      bucket: z.string(),
      tokens: z.int(),
      /** US dollars per million, decimal text. */
      price_per_million: z.string(),
      /** Whole picodollars, as digits: they may exceed what a number holds. */
      picodollars: z.string(),
    }),
  ),
  /** Decimal text. */
  group_ratio: z.string(),
  total_picodollars: z.string(),
  quota: z.int(),
  /** Where the price comes from, and the day it was read there. */
  source: z.string(),
  source_date: z.string(),
  /** False when nobody read the price on a page of the provider. */
  verified: z.boolean(),
});
export type PriceExplanation = z.output<typeof priceExplanation>;

export const log = z.object({
  id: z.int(),
  uuid: z.string(),
  user_id: z.int(),
  user_uuid: z.nullable(z.string()),
  /** Unix seconds. */
  created_at: z.int(),
  updated_at: unixMillis,
  type: z.int(),
  content: z.string(),
  username: z.string(),
  token_name: z.string(),
  token_uuid: z.nullable(z.string()),
  /** After mapping: the model that was priced. */
  model_name: z.string(),
  /** The model that the client asked for. */
  origin_model_name: z.string(),
  /** The channel's integer id, 0 when there is none; 0 for ordinary users as well. */
  channel: z.int(),
  channel_uuid: z.nullable(z.string()),
  channel_name: z.optional(z.string()),
  quota: z.int(),
  prompt_tokens: z.int(),
  completion_tokens: z.int(),
  cached_prompt_tokens: z.int(),
  cached_completion_tokens: z.int(),
  request_id: z.string(),
  trace_id: z.string(),
  /** Milliseconds. */
  elapsed_time: z.int(),
  /** Milliseconds to the first byte from the upstream, 0 when there was none. */
  ttft: z.int(),
  is_stream: z.boolean(),
  system_prompt_reset: z.boolean(),
  /** `success`, `failed`, `client_left`, `cut`, `quota_ran_out`, `interrupted`; empty for other types. */
  outcome: z.string(),
  price: z.nullable(priceExplanation),
  metadata: z.optional(
    z.object({ cache_write_tokens: z.optional(z.object({ ephemeral_5m: z.int(), ephemeral_1h: z.int() })) }),
  ),
});
export type Log = z.output<typeof log>;

export const logSorts = [
  "id",
  "created_at",
  "created_time",
  "prompt_tokens",
  "completion_tokens",
  "quota",
  "elapsed_time",
] as const;

const exact = z.optional(z.string().check(z.maxLength(200)));
const ownFilter = {
  type: z.optional(queryInteger(0, 7)),
  token_name: exact,
  model_name: exact,
  /** Inclusive, unix seconds. */
  start_timestamp: z.optional(querySeconds),
  end_timestamp: z.optional(querySeconds),
};
/** Everybody's logs can be filtered by whose and through which channel. */
const fullFilter = { ...ownFilter, username: exact, channel: z.optional(reference) };
const sorting = sortFields(logSorts);
const paging = {
  ...pageFields,
  ...sorting,
  /** Other names of `size`, `sort` and `order`. */
  items_per_page: pageFields.size,
  sort_by: sorting.sort,
  sort_order: sorting.order,
};
const keyword = { keyword: z.optional(z.string().check(z.maxLength(200))) };
const time_zone = z.optional(
  z.string().check(z.maxLength(64), z.refine(isTimeZone, aboutField("must be a time zone such as Europe/Berlin"))),
);

function isTimeZone(name: string): boolean {
  try {
    new Intl.DateTimeFormat("en", { timeZone: name });
    return true;
  } catch {
    return false;
  }
}

const found = z.extend(listExtras, {
  /** A search stopped here: nothing older was looked at. Unix seconds. */
  searched_back_to: z.optional(z.int()),
});
const listing = { data: z.array(log), extras: found } as const;

export const listLogs = endpoint("GET", "/api/log/", {
  access: "admin",
  summary: "Everybody's logs, newest first",
  query: z.object({ ...paging, ...fullFilter }),
  ...listing,
});
export const listOwnLogs = endpoint("GET", "/api/log/self", {
  access: "user",
  summary: "One's own logs, newest first",
  query: z.object({ ...paging, ...ownFilter }),
  ...listing,
});
export const searchLogs = endpoint("GET", "/api/log/search", {
  access: "admin",
  summary: "Everybody's logs whose content contains the keyword",
  query: z.object({ ...paging, ...fullFilter, ...keyword }),
  ...listing,
});
export const searchOwnLogs = endpoint("GET", "/api/log/self/search", {
  access: "user",
  summary: "One's own logs whose content contains the keyword",
  query: z.object({ ...paging, ...ownFilter, ...keyword }),
  ...listing,
});

/** Whoever follows the log asks for this every few seconds: what ended just now may have begun minutes ago. */
export const tailMinutes = 15;
export const tailLogs = endpoint("GET", "/api/log/tail", {
  access: "admin",
  summary: "The newest of everybody's logs of the last minutes, uncounted",
  query: z.object({ size: pageFields.size, ...fullFilter, ...keyword }),
  data: z.array(log),
});
export const tailOwnLogs = endpoint("GET", "/api/log/self/tail", {
  access: "user",
  summary: "The newest of one's own logs of the last minutes, uncounted",
  query: z.object({ size: pageFields.size, ...ownFilter, ...keyword }),
  data: z.array(log),
});

/** On an export: how many rows will come, absent when that is not known beforehand. */
export const exportTotalHeader = "X-Total-Count";
export const exportLogs = endpoint("GET", "/api/log/export", {
  access: "admin",
  summary: "Everybody's logs that match the filter, all of them, newest first",
  query: z.object({ ...fullFilter, ...keyword, time_zone }),
  stream: "text/csv",
});
export const exportOwnLogs = endpoint("GET", "/api/log/self/export", {
  access: "user",
  summary: "One's own logs that match the filter, all of them, newest first",
  query: z.object({ ...ownFilter, ...keyword, time_zone }),
  stream: "text/csv",
});

/** `capped`: the filter has no roll-up and adding up stopped early; the sum is of the newest rows. */
const stat = z.object({ quota: z.int(), capped: z.optional(z.boolean()) });
export const getLogStat = endpoint("GET", "/api/log/stat", {
  access: "admin",
  summary: "What the calls that match the filter cost in all",
  query: z.object(fullFilter),
  data: stat,
});
export const getOwnLogStat = endpoint("GET", "/api/log/self/stat", {
  access: "user",
  summary: "What one's own calls that match the filter cost in all",
  query: z.object(ownFilter),
  data: stat,
});

export const clearLogs = endpoint("DELETE", "/api/log/", {
  access: "admin",
  summary: "Delete all logs and traces before a moment; ledger and totals stay",
  query: z.object({ target_timestamp: querySeconds }),
  /** Rows removed. */
  data: z.int(),
  timeoutMs: 120_000,
});
