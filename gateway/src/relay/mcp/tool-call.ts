/**
 * A call of a tool: admitted, held for, passed on, answered, charged. The price is for a result: an
 * error of the server or of the gateway costs nothing. A client that leaves does not stop the tool,
 * which may have acted already; its result is charged when it comes.
 */
import { logTypes } from "@tollgate/contract/figures/logs.ts";
import type { TraceRecord } from "@tollgate/contract/figures/traces.ts";
import { mayCallTool } from "../../catalogue/mcp-servers/mcp-server-rules.ts";
import type { Counters } from "../../limits/counters.ts";
import { callLogRow } from "../../money/call-log-row.ts";
import { noUsage } from "../../money/prices/price.ts";
import type { TagReader } from "../admission/call-tags.ts";
import type {
  CallerFunds,
  CallerIdentity,
  CallerReach,
  KeyRules,
} from "../admission/caller-parts.ts";
import { admitWithinLimits } from "../admission/token-limits.ts";
import type { KnownCall, ReplyToClient, SentAnswer, StreamToClient } from "../exchange-parts.ts";
import type { Guards } from "../guards/guards.ts";
import { buildFixedCallSnapshot, type FixedHoldDeps, holdFixed } from "../hold-fixed.ts";
import { type SettleDeps, settle } from "../settle-call.ts";
import type { TracingDeps } from "../try-channels.ts";
import { redact } from "../upstream/redact-secrets.ts";
import { RelayRefused } from "../wire/relay-refusal.ts";
import { McpFailure, refuseFailure, refuseUnknownTool } from "./mcp-failure.ts";
import { answerToolCall, type McpToolCall, passToolCall } from "./pass-on-call.ts";
import { buildToolCallEnd } from "./tool-call-end.ts";
import { formatLoggedToolName } from "./tool-names.ts";

export type ToolCallDeps = FixedHoldDeps &
  SettleDeps &
  TracingDeps & {
    guards: Guards;
    tags: TagReader;
    counters: Counters;
    onError(error: unknown): void;
  };

/** Throws `RelayRefused` before anything is sent. */
export async function callTool(
  exchange: KnownCall & ReplyToClient & StreamToClient & SentAnswer,
  caller: CallerIdentity & CallerReach & CallerFunds & KeyRules,
  call: McpToolCall,
  deps: ToolCallDeps,
): Promise<void> {
  const { server, tool } = call;
  const { tokenId } = caller;
  exchange.learn({ trace: deps.tracing?.begin(exchange.request.headers) });
  // Before the server is asked: whether it has a tool is nothing for those who may not use it.
  if (!mayCallTool(server.access, caller, tool)) throw refuseUnknownTool(tool);
  exchange.learn({ model: formatLoggedToolName(server.access.name, tool) });
  if (deps.guards.isOn()) await deps.guards.refuseUnread(caller);
  await admitWithinLimits(exchange, caller, 0, deps);
  // Names that clients invent must not become rows of totals.
  const isKnown = await server.hasTool(tool).catch((error: unknown) => {
    if (error instanceof McpFailure) throw new RelayRefused(refuseFailure(error));
    throw error;
  });
  if (!isKnown) throw refuseUnknownTool(tool);
  const price = server.access.priceOf(tool);
  const tags = deps.tags.of(exchange, caller);
  const snapshot = buildFixedCallSnapshot(exchange, caller, { bodyBytes: call.bodyBytes, tags });
  await holdFixed(exchange, caller, { amount: price, snapshot, tags }, deps);
  const began = Date.now();
  if (exchange.facts.trace) {
    exchange.facts.trace.heldAt = began;
    deps.tracing?.startAttempt(exchange.facts.trace, {
      url: server.url,
      channelType: 0,
      sendsContext: false,
    });
  }
  const ended = await passToolCall(exchange, call, tokenId);
  const answeredAt = Date.now();
  const { outcome, charge, status, content, detail } = buildToolCallEnd(
    ended,
    price,
    exchange.hasClientLeft,
  );
  try {
    answerToolCall(exchange, call, ended);
  } catch (error) {
    // Whatever became of the answer, the hold ends.
    deps.onError(error);
  }
  const endedAt = Date.now();
  const log = callLogRow(snapshot, {
    id: exchange.id,
    userId: caller.userId,
    tokenId,
    channelId: 0,
    channelName: server.access.name,
    model: exchange.facts.model,
    quota: charge,
    usage: noUsage,
    outcome,
    content: redact(content, ...server.secrets),
    elapsedMs: endedAt - exchange.receivedAt,
    ttftMs: answeredAt - exchange.receivedAt,
    price: null,
    retries: 0,
  });
  const trace: TraceRecord = {
    url: snapshot.url,
    method: snapshot.method,
    body_size: snapshot.body_size,
    status: exchange.response.statusCode,
    timestamps: {
      request_received: exchange.receivedAt,
      request_forwarded: began,
      first_upstream_response: answeredAt,
      ...(exchange.firstByteAt !== 0 && { first_client_response: exchange.firstByteAt }),
      upstream_completed: answeredAt,
      request_completed: endedAt,
    },
    attempts: [
      {
        channel_id: 0,
        channel_uuid: "",
        channel_name: server.access.name,
        started_at: began,
        ended_at: answeredAt,
        status,
        outcome,
        error: detail === "" ? null : redact(detail, ...server.secrets).slice(0, 500),
      },
    ],
    candidates: [],
  };
  const measures = {
    entry: "mcp",
    group: caller.group,
    usage: noUsage,
    attempts: [],
    overheadMs: 0,
  };
  const row = { ...log, type: logTypes.tool };
  await settle(exchange, { charge, log: row, trace: JSON.stringify(trace), measures }, deps);
}
