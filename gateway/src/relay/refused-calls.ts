/**
 * Rows of the log for calls that were refused before anything was held: without charge, with the
 * reason and the channels that were left out, for the key's owner and administrators. Only a known
 * key leaves one, and each user only so many.
 */
import { logTypes } from "@tollgate/contract/figures/logs.ts";
import type { TraceRecord } from "@tollgate/contract/figures/traces.ts";
import { createMemoryCounters, type RateWindow } from "../limits/counters.ts";
import { callLogRow } from "../money/call-log-row.ts";
import { noUsage } from "../money/prices/price.ts";
import type { Database } from "../storage/database.ts";
import { runEvery } from "../storage/run-every.ts";
import type { LogRow } from "../storage/tables/call-tables.ts";
import type { CallerIdentity } from "./admission/caller-parts.ts";
import type { KnownCall } from "./exchange-parts.ts";
import { NoChannel } from "./routing/choose-channels.ts";
import { describeReason } from "./routing/routing-reasons.ts";
import { buildTracedCandidate } from "./routing/traced-candidate.ts";
import { overloaded, type RelayRefusal, RelayRefused } from "./wire/relay-refusal.ts";

/** A client that repeats its mistake all day must not fill the log. Counted by each node. */
export const refusedPerUser = { limit: 60, windowMs: 3_600_000 };
/** `refusedPerNode` counts those of all users, each with a key that is known. */
const refusedPerNode: RateWindow = { name: "refused-calls all", limit: 1_200, windowMs: 60_000 };
/** The rows of a second are written together, so that refusing costs no write of its own. */
const writeEveryMs = 1_000;
/** Rows of one statement: its parameters are limited, at 32,766 on SQLite. */
const rowsPerStatement = 200;
/** Reasons in one trace; a model may have hundreds of channels. */
const reasonsMax = 100;
const modelMax = 200;

interface RefusedCallDeps {
  db: Pick<Database, "sql" | "write">;
  now(): number;
  /** `isOn` says whether log rows say what happened. */
  isOn(): boolean;
  onError(error: unknown): void;
}

export interface RefusedCalls {
  /** The client has its answer. What is no refusal of a known key is left out. */
  record(exchange: KnownCall, error: unknown): void;
  close(): Promise<void>;
}

export function createRefusedCalls({ db, now, isOn, onError }: RefusedCallDeps): RefusedCalls {
  const counters = createMemoryCounters(now);
  const waiting: { log: LogRow; trace: string }[] = [];

  async function write(): Promise<void> {
    const rows = waiting.splice(0);
    for (let start = 0; start < rows.length; start += rowsPerStatement) {
      const some = rows.slice(start, start + rowsPerStatement);
      const logs = some.map(({ log }) => log);
      const traces = some.map(({ log: { id }, trace }) => ({ id, data: trace }));
      await db.write([
        { query: db.sql.insertInto("logs").values(logs) },
        { query: db.sql.insertInto("traces").values(traces) },
      ]);
    }
  }
  const stop = runEvery(writeEveryMs, write, onError);

  return {
    record(exchange, error) {
      const { caller } = exchange.facts;
      if (
        !caller ||
        !(error instanceof RelayRefused) ||
        error.refusal.code === overloaded.code ||
        !isOn()
      )
        return;
      const ofUser = { ...refusedPerUser, name: `refused-of-user ${caller.userId}` };
      if (!counters.takeNow(ofUser).allowed || !counters.takeNow(refusedPerNode).allowed) return;
      const isLast = counters.waitNow(ofUser) > 0;
      waiting.push({
        log: buildRefusedRow(exchange, caller, error, isLast, now()),
        trace: composeTrace(exchange, error, now()),
      });
    },
    async close() {
      await stop();
      await write().catch(onError);
    },
  };
}

function buildRefusedRow(
  { id, facts: { model }, request, receivedAt, shownUrl }: KnownCall,
  caller: CallerIdentity,
  { refusal }: RelayRefused,
  isLast: boolean,
  endedAt: number,
): LogRow {
  const snapshot = {
    username: caller.username,
    token_name: caller.tokenName,
    origin_model_name: model.slice(0, modelMax),
    is_stream: false,
    url: shownUrl,
    method: request.method ?? "",
    body_size: 0,
    received_at: receivedAt,
    ...(caller.teamId > 0 && { team_id: caller.teamId }),
  };
  const more = isLast
    ? `; further refusals of this account within ${refusedPerUser.windowMs / 60_000} minutes leave no row`
    : "";
  const row = callLogRow(snapshot, {
    id,
    userId: caller.userId,
    tokenId: caller.tokenId,
    channelId: 0,
    channelName: "",
    model: snapshot.origin_model_name,
    quota: 0,
    usage: noUsage,
    outcome: "refused",
    content: readWords(refusal) + more,
    elapsedMs: endedAt - receivedAt,
    price: null,
  });
  return { ...row, type: logTypes.refused };
}

/** `readWords` cuts the quotation: a parser quotes a broken body, and the log holds no prompts. */
const readWords = ({ code, message }: RelayRefusal): string =>
  code === "invalid_text_request" ? (message.split(": ", 1)[0] ?? "") : message;

function composeTrace(exchange: KnownCall, refused: RelayRefused, endedAt: number): string {
  const excluded = refused instanceof NoChannel ? refused.excluded.slice(0, reasonsMax) : [];
  const { request, receivedAt, shownUrl, facts } = exchange;
  const record: TraceRecord = {
    url: shownUrl,
    method: request.method ?? "",
    body_size: Number(request.headers["content-length"]) || 0,
    status: refused.refusal.status,
    ...(facts.notes.length > 0 && { notes: facts.notes }),
    timestamps: { request_received: receivedAt, request_completed: endedAt },
    attempts: [],
    candidates: excluded.map((one) => buildTracedCandidate(one, false, describeReason(one.reason))),
  };
  return JSON.stringify(record);
}
