/**
 * Turns past calls into log rows, traces, charges and roll-ups with the money verbs of the relay.
 */
import type { TraceRecord } from "@tollgate/contract/figures/traces.ts";
import { openLiveBudgets } from "@tollgate/gateway/accounts/budgets/live-budgets.ts";
import { type CallSnapshot, callLogRow } from "@tollgate/gateway/money/call-log-row.ts";
import { charge, freezePrice } from "@tollgate/gateway/money/prices/price.ts";
import {
  findPrice,
  type ModelConfig,
  readGroupRatio,
  readPriceBook,
} from "@tollgate/gateway/money/prices/price-book.ts";
import type { Database } from "@tollgate/gateway/storage/database.ts";
import { computeIdFloor } from "@tollgate/gateway/storage/time-ids.ts";
import type { SampleHistoryCall } from "./sample-history.ts";
import { groupRatios } from "./sample-texts.ts";

/** The created users, tokens and channels by name. */
export interface SampleHistorySite {
  people: ReadonlyMap<string, { id: number; group: string; walletId: number }>;
  tokens: ReadonlyMap<string, { id: number; key: string }>;
  channels: ReadonlyMap<string, { id: number; uuid: string; model_configs: string | null }>;
}

const atOnce = 500;

/** Returns the number of written calls: a key without quota makes no more calls. */
export async function settleSampleHistory(
  db: Database,
  site: SampleHistorySite,
  calls: readonly SampleHistoryCall[],
): Promise<number> {
  const book = readPriceBook();
  const budgets = await openLiveBudgets(db);
  const spent = new Map<string, number>();
  let written = 0;
  let lastId = 0;
  for (let start = 0; start < calls.length; start += atOnce) {
    const batch = calls.slice(start, start + atOnce).map(async (call) => {
      const id = Math.max(computeIdFloor(call.at), lastId + 1);
      lastId = id;
      return await settle(id, call);
    });
    written += (await Promise.all(batch)).filter(Boolean).length;
  }
  await dateTokens();
  return written;

  /** Settling sets the key's last use to the current time, so this sets the past one. */
  async function dateTokens(): Promise<void> {
    const last = new Map(calls.map(({ token, at }) => [named(site.tokens, token.name).id, at]));
    await db.write(
      [...last].map(([id, accessed_at]) => ({
        query: db.sql.updateTable("tokens").set({ accessed_at }).where("id", "=", id),
        rows: 1,
      })),
    );
  }

  async function settle(id: number, call: SampleHistoryCall): Promise<boolean> {
    const { name, quota: allowed = Number.POSITIVE_INFINITY } = call.token;
    const before = spent.get(name) ?? 0;
    if (before >= allowed) return false;
    const owner = named(site.people, call.token.owner);
    const token = named(site.tokens, call.token.name);
    const channel = named(site.channels, call.channel);
    const snapshot = snapshotOf(call);
    const groupRatio = readGroupRatio(owner.group, groupRatios);
    const configs = JSON.parse(channel.model_configs ?? "{}") as Record<string, ModelConfig>;
    const price = findPrice(call.model, book, configs[call.model], `channel ${channel.id}`);
    const quota = charge(price, call.usage, groupRatio);
    spent.set(name, before + quota);
    // A hold of one unit; the charge may exceed it, as for a real call.
    const held = await db.money({
      verb: "hold",
      id,
      walletId: owner.walletId,
      userId: owner.id,
      tokenId: token.id,
      amount: 1,
      tokenIsUnlimited: call.token.quota === undefined,
      leaseUntil: Date.now() + 60_000,
      snapshot: JSON.stringify(snapshot),
      budgets: budgets.heldBy({
        at: call.at,
        tokenId: token.id,
        userId: owner.id,
        teamId: 0,
        memberId: 0,
        model: call.model,
        targets: () => [],
      }),
    });
    // The client disconnected before the latency was measured.
    const wasInterrupted = call.outcome === "interrupted";
    const log = callLogRow(snapshot, {
      id,
      userId: owner.id,
      tokenId: token.id,
      channelId: channel.id,
      channelName: call.channel,
      model: call.model,
      quota,
      usage: call.usage,
      outcome: call.outcome,
      content: contents[call.outcome],
      elapsedMs: wasInterrupted ? 0 : call.elapsedMs,
      ttftMs: wasInterrupted ? 0 : call.ttftMs,
      price: call.outcome === "failed" ? null : JSON.stringify(freezePrice(price, groupRatio)),
    });
    if (held !== "held") throw new Error(`the sample call ${id} was refused: ${held}`);
    const trace = JSON.stringify(traceOf(call, site));
    await db.money({ verb: "settle", id, charge: quota, log, trace });
    return true;
  }
}

/** The messages of the relay. */
const estimated = "usage estimated: the provider gave none that can be used";
const contents: Record<SampleHistoryCall["outcome"], string> = {
  success: "",
  failed: "status 503: The server is overloaded or not ready yet.",
  client_left: estimated,
  cut: `UND_ERR_SOCKET; ${estimated}`,
  quota_ran_out: estimated,
  interrupted: "the gateway stopped during this call; charged for what was recorded as delivered",
};

const snapshotOf = ({ token, model, isStream, at, usage }: SampleHistoryCall): CallSnapshot => ({
  username: token.owner,
  token_name: token.name,
  origin_model_name: model,
  is_stream: isStream,
  url: "/v1/chat/completions",
  method: "POST",
  body_size: 180 + 4 * (usage.input + usage.cache_read + usage.cache_write_5m),
  received_at: at,
});

const preparedMs = 3;

function traceOf(call: SampleHistoryCall, site: SampleHistorySite): TraceRecord {
  const { at, before, elapsedMs, ttftMs, outcome } = call;
  const reference = (name: string) => {
    const { id, uuid } = named(site.channels, name);
    return { channel_id: id, channel_uuid: uuid, channel_name: name };
  };
  const forwarded =
    at + (before ? Math.min(preparedMs + 140, Math.max(preparedMs, ttftMs - 1)) : preparedMs);
  const isFailed = outcome === "failed";
  const ended = at + elapsedMs;
  if (outcome === "interrupted") {
    const { url, method, body_size } = snapshotOf(call);
    return {
      url,
      method,
      body_size,
      status: 0,
      timestamps: { request_received: at },
      attempts: [],
      candidates: [],
    };
  }
  return {
    url: "/v1/chat/completions",
    method: "POST",
    body_size: snapshotOf(call).body_size,
    status: isFailed ? 503 : 200,
    timestamps: {
      request_received: at,
      request_forwarded: forwarded,
      ...(!isFailed && {
        first_upstream_response: at + ttftMs - 1,
        first_client_response: at + ttftMs,
      }),
      ...(outcome === "success" && { upstream_completed: ended - 1 }),
      request_completed: ended,
    },
    attempts: [
      ...(before
        ? [
            {
              ...reference(before.channel),
              started_at: at + preparedMs,
              ended_at: forwarded,
              status: before.status,
              outcome: "failed",
              error:
                before.status === 401 ? "status 401: Incorrect API key provided." : contents.failed,
            },
          ]
        : []),
      {
        ...reference(call.channel),
        started_at: forwarded,
        ended_at: ended,
        status: isFailed ? 503 : 200,
        outcome,
        error: contents[outcome] || null,
      },
    ],
    candidates: [
      ...(before ? [{ ...reference(before.channel), taken: true, reason: "priority 20" }] : []),
      { ...reference(call.channel), taken: true, reason: "priority 10" },
    ],
  };
}

function named<Found>(known: ReadonlyMap<string, Found>, name: string): Found {
  const found = known.get(name);
  if (!found) throw new Error(`the sample site has no ${name}`);
  return found;
}
