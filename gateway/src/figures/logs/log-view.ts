/** Log rows as replies show them. Only administrators see the names of channels. */

import { roles } from "@tollgate/contract/accounts/roles.ts";
import type { LogEvent } from "@tollgate/contract/figures/log-events.ts";
import {
  chargedLogTypes,
  type Log,
  type LoggedUsage,
  type LogProblem,
  logTypes,
} from "@tollgate/contract/figures/logs.ts";
import { explainLog } from "../../money/audit/explain-log.ts";
import type { Database } from "../../storage/database.ts";
import { readIdTimes } from "../../storage/id-clock.ts";
import type { LoggedTags, LogRow } from "../../storage/tables/call-tables.ts";
import { composeUuidFromId, requestIdFromId } from "../../storage/time-ids.ts";
import type { ProblemGroup } from "./log-store.ts";

/** `tracedTypes` are those of rows that are calls. */
const tracedTypes: readonly number[] = [...chargedLogTypes, logTypes.refused, logTypes.shadow];

/** A trace id is a uuid without hyphens. */
export const composeTraceId = (id: number) => composeUuidFromId(id).replaceAll("-", "");

interface LogReferences {
  /** The time of a row by its id, in milliseconds. */
  timeOf(id: number): number;
  users: ReadonlyMap<number, string>;
  tokens: ReadonlyMap<number, string>;
  channels: ReadonlyMap<number, string>;
}

/**
 * The times of the rows, and the uuids of entities that they refer to and that still exist: four
 * queries per page.
 */
export async function readReferences(
  { sql, read }: Pick<Database, "sql" | "read">,
  rows: readonly LogRow[],
): Promise<LogReferences> {
  const uuidsIn = async (
    table: "users" | "tokens" | "channels",
    column: "user_id" | "token_id" | "channel_id",
  ) => {
    const ids = [...new Set(rows.map((row) => row[column]))].filter((id) => id > 0);
    if (ids.length === 0) return new Map<number, string>();
    const found = await read(sql.selectFrom(table).select(["id", "uuid"]).where("id", "in", ids));
    return new Map(found.map(({ id, uuid }) => [id, uuid]));
  };
  const [timeOf, users, tokens, channels] = await Promise.all([
    readIdTimes({ sql, read }),
    uuidsIn("users", "user_id"),
    uuidsIn("tokens", "token_id"),
    uuidsIn("channels", "channel_id"),
  ]);
  return { timeOf, users, tokens, channels };
}

/** A provider's own counts may hold what the operator pays. */
function showUsage(details: string, isAdmin: boolean): LoggedUsage {
  const { reason, marks, ...reported } = JSON.parse(details) as LoggedUsage;
  return {
    ...(reason !== undefined && { reason }),
    ...(marks && { marks }),
    ...(isAdmin && reported),
  };
}

/** A value that was counted together with others is shown as it was sent. */
export function showTags(json: string): Record<string, string> {
  const { counted, others }: LoggedTags = JSON.parse(json);
  return { ...counted, ...others };
}

export function viewLog(row: LogRow, references: LogReferences, viewerRole: number): Log {
  const seesChannels = viewerRole >= roles.admin;
  const written = {
    ephemeral_5m: row.cache_write_5m_tokens,
    ephemeral_1h: row.cache_write_1h_tokens,
  };
  return {
    id: row.id,
    uuid: composeUuidFromId(row.id),
    user_id: row.user_id,
    user_uuid: references.users.get(row.user_id) ?? null,
    ...(row.team_id !== null && { team_id: row.team_id }),
    created_at: Math.floor(references.timeOf(row.id) / 1000),
    updated_at: references.timeOf(row.id),
    type: row.type,
    content: row.content,
    ...(row.event && (JSON.parse(row.event) as LogEvent)),
    username: row.username,
    token_name: row.token_name,
    token_uuid: references.tokens.get(row.token_id) ?? null,
    model_name: row.model_name,
    origin_model_name: row.origin_model_name,
    channel: seesChannels ? row.channel_id : 0,
    channel_uuid: seesChannels ? (references.channels.get(row.channel_id) ?? null) : null,
    ...(seesChannels && { channel_name: row.channel_name }),
    quota: row.quota,
    prompt_tokens: row.prompt_tokens,
    completion_tokens: row.completion_tokens,
    cached_prompt_tokens: row.cached_prompt_tokens,
    cached_completion_tokens: 0,
    request_id: requestIdFromId(row.id),
    trace_id: tracedTypes.includes(row.type) ? composeTraceId(row.id) : "",
    elapsed_time: row.elapsed_ms,
    ttft: row.ttft_ms,
    is_stream: row.is_stream === 1,
    system_prompt_reset: false,
    outcome: row.outcome,
    ...(row.tags !== null && { tags: showTags(row.tags) }),
    ...(row.run !== null && { run: row.run }),
    ...(row.retries !== null && { retries: row.retries }),
    price: explainLog(row),
    ...(row.usage_details !== null && { usage: showUsage(row.usage_details, seesChannels) }),
    ...(written.ephemeral_5m + written.ephemeral_1h > 0 && {
      metadata: { cache_write_tokens: written },
    }),
  };
}

export const viewProblem = (
  group: ProblemGroup,
  timeOf: (id: number) => number,
  seesChannels: boolean,
): LogProblem => ({
  outcome: group.outcome,
  content: group.content,
  model_name: group.model_name,
  channel: group.channel_id,
  ...(seesChannels && { channel_name: group.channel_name }),
  calls: group.calls,
  users: group.users,
  first_at: Math.floor(timeOf(group.first_id) / 1000),
  last_at: Math.floor(timeOf(group.last_id) / 1000),
  last_uuid: composeUuidFromId(group.last_id),
});
