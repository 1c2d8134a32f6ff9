/** A log row for an event other than a call. */
import type { LogEvent } from "@tollgate/contract/figures/log-events.ts";
import type { Database, Write } from "./database.ts";
import type { LogRow } from "./tables/call-tables.ts";

const noCall = {
  token_id: 0,
  token_name: "",
  channel_id: 0,
  channel_name: "",
  model_name: "",
  origin_model_name: "",
  prompt_tokens: 0,
  completion_tokens: 0,
  cached_prompt_tokens: 0,
  cache_write_5m_tokens: 0,
  cache_write_1h_tokens: 0,
  elapsed_ms: 0,
  ttft_ms: 0,
  is_stream: 0,
  outcome: "",
  price: null,
  usage_details: null,
  retries: null,
  tags: null,
  cost_nanos: null,
  marks_saved: null,
  team_id: null,
  run: null,
  run_facts: null,
} as const;

type EventFields = Pick<LogRow, "id" | "type" | "user_id" | "username" | "quota" | "content"> &
  Partial<Pick<LogRow, "team_id">> & { event?: LogEvent };

/** `event` says what `content` does, in a form that a console can translate. */
export const buildEventRow = ({ event, ...fields }: EventFields): LogRow => ({
  ...noCall,
  ...fields,
  ...(event && { event: JSON.stringify(event) }),
});

/** `planEventRow` writes the row in the batch of what it tells. */
export const planEventRow = ({ sql }: Pick<Database, "sql">, fields: EventFields): Write => ({
  query: sql.insertInto("logs").values(buildEventRow(fields)),
  rows: 1,
});
