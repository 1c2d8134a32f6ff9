/** Builds the log row of a finished call for the relay and the sweeper. */
import { logTypes } from "@tollgate/contract/figures/logs.ts";
import type { LogRow } from "../storage/tables/call-tables.ts";
import {
  computeCachedTokens,
  computeCompletionTokens,
  promptTokens,
  type Usage,
} from "./prices/price.ts";

/** The facts known at admission, stored with the hold so that the sweeper can write the row too. */
export interface CallSnapshot {
  username: string;
  token_name: string;
  origin_model_name: string;
  is_stream: boolean;
  url: string;
  method: string;
  body_size: number;
  received_at: number;
  /** `LoggedTags` as JSON. */
  tags?: string | undefined;
  /** The team that pays. */
  team_id?: number | undefined;
  /** `run` is as the log row has them. */
  run?: string | undefined;
  run_facts?: string | undefined;
}

export interface FinishedCall {
  id: number;
  userId: number;
  tokenId: number;
  channelId: number;
  channelName: string;
  model: string;
  quota: number;
  usage: Usage;
  outcome: string;
  content: string;
  elapsedMs: number;
  /**
   * `ttftMs` come from the arrival of the call to its first content; missing where there was none.
   */
  ttftMs?: number | undefined;
  /** The `FrozenPrice` as JSON, null when nothing was priced. */
  price: string | null;
  /** Nanodollars (`callCost`); missing and null for unknown. */
  costNanos?: number | null;
  /** Units; missing and null where the gateway set no marks for the prompt cache. */
  marksSaved?: number | null | undefined;
  /** `UsageDetails` as JSON. */
  usageDetails?: string | null;
  /** Attempts after the first. */
  retries?: number | null;
}

const contentMax = 2_000;

/** Error texts of upstreams may contain anything; databases reject NUL and lone surrogates. */
const makeStorable = (text: string): string => text.toWellFormed().replaceAll("\0", "");

export function callLogRow(snapshot: CallSnapshot, finished: FinishedCall): LogRow {
  const { usage } = finished;
  return {
    id: finished.id,
    type: logTypes.consume,
    user_id: finished.userId,
    username: snapshot.username,
    token_id: finished.tokenId,
    token_name: snapshot.token_name,
    channel_id: finished.channelId,
    channel_name: finished.channelName,
    model_name: makeStorable(finished.model),
    origin_model_name: makeStorable(snapshot.origin_model_name),
    quota: finished.quota,
    prompt_tokens: promptTokens(usage),
    completion_tokens: computeCompletionTokens(usage),
    cached_prompt_tokens: computeCachedTokens(usage),
    cache_write_5m_tokens: usage.cache_write_5m,
    cache_write_1h_tokens: usage.cache_write_1h,
    elapsed_ms: Math.max(0, finished.elapsedMs),
    // 0 stands for no content at all: the fastest answers, and those during which the clock was set
    // back, count as a millisecond.
    ttft_ms: finished.ttftMs === undefined ? 0 : Math.max(1, finished.ttftMs),
    is_stream: snapshot.is_stream ? 1 : 0,
    outcome: finished.outcome,
    content: makeStorable(finished.content.slice(0, contentMax)),
    price: finished.price,
    usage_details: finished.usageDetails ?? null,
    retries: finished.retries ?? null,
    tags: snapshot.tags ?? null,
    cost_nanos: finished.costNanos ?? null,
    marks_saved: finished.marksSaved ?? null,
    team_id: snapshot.team_id ?? null,
    run: snapshot.run ?? null,
    run_facts: snapshot.run_facts ?? null,
  };
}
