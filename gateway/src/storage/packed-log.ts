/** A log row as an array, the form in which it crosses to the writer thread and into the table. */
import type { SQLInputValue } from "node:sqlite";
import type { LogRow } from "./tables/call-tables.ts";

/** The columns of a log row, in the order in which it is inserted. */
export const logColumns = [
  "id",
  "type",
  "user_id",
  "username",
  "token_id",
  "token_name",
  "channel_id",
  "channel_name",
  "model_name",
  "origin_model_name",
  "quota",
  "prompt_tokens",
  "completion_tokens",
  "cached_prompt_tokens",
  "cache_write_5m_tokens",
  "cache_write_1h_tokens",
  "elapsed_ms",
  "ttft_ms",
  "is_stream",
  "outcome",
  "content",
  "price",
  "usage_details",
  "retries",
  "tags",
  "cost_nanos",
  "marks_saved",
  "team_id",
  "run",
  "run_facts",
] as const satisfies readonly (keyof LogRow)[];

export const packLog = (log: LogRow): SQLInputValue[] => logColumns.map((name) => log[name]);
/** `columnIndex` is where a column stands in a packed row. */
export const columnIndex = Object.fromEntries(
  logColumns.map((name, index) => [name, index]),
) as Record<keyof LogRow, number>;
