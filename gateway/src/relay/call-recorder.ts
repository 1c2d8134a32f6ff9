/**
 * Records one call: every candidate and attempt, the timestamps, and in the end its log row and
 * trace.
 */

import type { TraceRecord } from "@tollgate/contract/figures/traces.ts";
import { type CallSnapshot, callLogRow } from "../money/call-log-row.ts";
import { callCost } from "../money/prices/buying-price.ts";
import { buildLoggedPrice, noUsage } from "../money/prices/price.ts";
import type { LogRow } from "../storage/tables/call-tables.ts";
import type { AttemptResult, CallMeasures, EndedAttempt } from "../telemetry/call-metrics.ts";
import type { CallTags } from "./admission/call-tags.ts";
import type { CallerIdentity } from "./admission/caller-parts.ts";
import type { CallOutcome, CallResult } from "./answer/call-result.ts";
import { callCharge } from "./call-charge.ts";
import type { KnownCall, ReplyToClient, SentAnswer } from "./exchange-parts.ts";
import type { AskedModel, AskedReply, SentBody } from "./formats/call-parts.ts";
import { formatUnknownNote } from "./formats/usage/usage-details.ts";
import type { RelayChannelKey } from "./routing/channel-parts.ts";
import type { ChannelCandidate, ChannelChoice } from "./routing/choose-channels.ts";
import { describeReason, type ExclusionReason } from "./routing/routing-reasons.ts";
import { buildTracedCandidate } from "./routing/traced-candidate.ts";
import type { UpstreamError } from "./upstream/upstream-error.ts";

type TraceAttempt = TraceRecord["attempts"][number];

export interface CallSettlement {
  charge: number;
  log: LogRow;
  trace: string;
  measures: CallMeasures;
  /** The target of a virtual model that served. */
  target?: string | undefined;
}

/** The line of a call on standard output: ids, times and sums, no texts and no keys. */
export type CallSummary = Pick<
  LogRow,
  | "user_id"
  | "token_id"
  | "channel_id"
  | "model_name"
  | "outcome"
  | "elapsed_ms"
  | "ttft_ms"
  | "prompt_tokens"
  | "completion_tokens"
  | "quota"
> & { request_id: string; status: number; trace_id?: string; span_id?: string };

/** Its names are a contract (docs/operations.md): log collectors read them. */
export function buildSummary(
  log: LogRow,
  { requestId, response, facts: { trace } }: KnownCall & SentAnswer,
): CallSummary {
  const { user_id, token_id, channel_id, model_name, outcome, elapsed_ms, ttft_ms } = log;
  return {
    request_id: requestId,
    ...(trace && { trace_id: trace.traceId, span_id: trace.spanId }),
    user_id,
    token_id,
    channel_id,
    model_name,
    outcome,
    status: response.statusCode,
    elapsed_ms,
    ttft_ms,
    prompt_tokens: log.prompt_tokens,
    completion_tokens: log.completion_tokens,
    quota: log.quota,
  };
}

export type TracedStart = Pick<TraceRecord, "attempts" | "candidates">;

export interface FixedCharge {
  quota: number;
  usage: CallResult["usage"];
  outcome: Extract<CallOutcome, "success" | "cut">;
  content: string;
  /** `priced` says whether it has a price; most of what users keep at providers has none. */
  priced: boolean;
}

export const callSnapshot = (
  exchange: KnownCall,
  caller: CallerIdentity,
  call: AskedModel & AskedReply & SentBody,
  tags?: CallTags,
): CallSnapshot => ({
  username: caller.username,
  token_name: caller.tokenName,
  origin_model_name: call.model,
  is_stream: call.isStream,
  url: exchange.shownUrl,
  method: exchange.request.method ?? "",
  body_size: call.body.length,
  received_at: exchange.receivedAt,
  ...(tags && { tags: tags.logged }),
  ...(exchange.facts.run && { run: exchange.facts.run.run, run_facts: exchange.facts.run.facts }),
  ...(caller.teamId > 0 && { team_id: caller.teamId }),
});

export class CallRecorder {
  readonly #exchange: KnownCall & ReplyToClient & SentAnswer;
  readonly #caller: CallerIdentity;
  readonly #choice: ChannelChoice;
  readonly #entry: string;
  readonly #attempts: TraceAttempt[] = [];
  readonly #ended: EndedAttempt[] = [];
  #overheadMs = 0;
  readonly #skipped = new Map<ChannelCandidate, ExclusionReason>();
  readonly #tried = new Set<ChannelCandidate>();
  #lastTried: ChannelCandidate | undefined;
  readonly snapshot: CallSnapshot;
  #outputLimit: number | undefined;
  #forwardedAt = 0;
  #upstreamAnsweredAt = 0;
  /** `#statusToCome` is that of a client that is refused once the settlement is stored. */
  #statusToCome: number | undefined;

  /** `entry`: the endpoint of the client API, as metrics name it. */
  constructor(
    exchange: KnownCall & ReplyToClient & SentAnswer,
    caller: CallerIdentity,
    entry: string,
    choice: ChannelChoice,
    snapshot: CallSnapshot,
  ) {
    this.#exchange = exchange;
    this.#caller = caller;
    this.#choice = choice;
    this.#entry = entry;
    this.snapshot = snapshot;
  }

  /** The attempt loop reached this candidate and could not try it. */
  skip(candidate: ChannelCandidate, reason: ExclusionReason): void {
    this.#skipped.set(candidate, reason);
  }

  /** `listSkipped` gives the reasons with which candidates were passed over since routing. */
  listSkipped(): ExclusionReason[] {
    return [...this.#skipped.values()];
  }

  /**
   * The gateway has written a limit into the request, because the balance covers no longer answer.
   */
  limitOutput(tokens: number | undefined): void {
    this.#outputLimit = tokens;
  }

  /** Answers when the attempt began. */
  startAttempt(candidate: ChannelCandidate, key: RelayChannelKey): number {
    const { channel, target } = candidate;
    this.#tried.add(candidate);
    this.#lastTried = candidate;
    if (this.#attempts.length === 0) this.#overheadMs = performance.now() - this.#exchange.beganAt;
    this.#forwardedAt = Date.now();
    this.#attempts.push({
      channel_id: channel.id,
      channel_uuid: channel.uuid,
      channel_name: channel.name,
      ...(target && { model: target.model }),
      // A channel with one key needs no hint.
      ...(key.index > 0 && { key_hint: key.hint }),
      started_at: this.#forwardedAt,
      ended_at: null,
      status: 0,
      outcome: "running",
      error: null,
    });
    return this.#forwardedAt;
  }

  failAttempt(error: UpstreamError): void {
    // An unusable response keeps the status that it came with.
    this.#close(error.status || undefined, "failed", error.reason, buildAttemptResult(error));
  }

  upstreamAnswered(status: number, at: number): void {
    this.#upstreamAnsweredAt = at;
    const attempt = this.#attempts.at(-1);
    if (attempt) attempt.status = status;
  }

  /** `endedAt` is when the client had all of the response that there is. */
  finish(candidate: ChannelCandidate, result: CallResult, endedAt = Date.now()): CallSettlement {
    const failure = result.providerWords ?? result.note;
    this.#close(
      undefined,
      result.outcome,
      result.outcome === "success" ? null : failure,
      attemptResults[result.outcome],
      endedAt,
    );
    const { quota, usage, cost, unpriced } = callCharge(candidate, result);
    const { frozen, json } = cost;
    const chargedFor = buildLoggedPrice(frozen, usage);
    const ttftMs =
      result.firstContentAt > 0 ? result.firstContentAt - this.#exchange.receivedAt : undefined;
    return this.#settlement(
      candidate,
      quota,
      usage,
      result.outcome,
      [
        result.note,
        ...this.#exchange.facts.notes,
        formatUnknownNote(result.details ?? {}),
        ...unpriced.map((term) => `served with ${term}, which has no price`),
      ]
        .filter(Boolean)
        .join("; "),
      ttftMs,
      result.upstreamCompletedAt,
      chargedFor === frozen ? json : JSON.stringify(chargedFor),
      endedAt,
      result.details && JSON.stringify(result.details),
      frozen.buying === undefined ? null : callCost(frozen, usage),
      result.marksSaved,
    );
  }

  /** No provider was asked: nothing is used, and the note says where the answer came from. */
  finishCached(charged: number, note: string): CallSettlement {
    const isDelivered = !this.#exchange.hasClientLeft;
    this.#exchange.note(note);
    const ttftMs = isDelivered ? this.#exchange.firstByteAt - this.#exchange.receivedAt : undefined;
    const content = this.#exchange.facts.notes.join("; ");
    return this.#settlement(
      undefined,
      charged,
      noUsage,
      isDelivered ? "success" : "client_left",
      content,
      ttftMs,
      0,
      null,
    );
  }

  /**
   * `finishFixed` is for a thing that its provider has made, or may have: a fixed amount that no
   * answer counts.
   */
  finishFixed(
    candidate: ChannelCandidate,
    { quota, usage, outcome, content, priced }: FixedCharge,
    statusToCome?: number,
  ): CallSettlement {
    this.#statusToCome = statusToCome;
    this.#close(
      undefined,
      outcome,
      outcome === "success" ? null : content,
      attemptResults[outcome],
    );
    const { frozen } = candidate.cost;
    const price = priced ? JSON.stringify(buildLoggedPrice(frozen, usage)) : null;
    const costNanos = priced ? callCost(frozen, usage) : null;
    const completedAt = Date.now();
    return this.#settlement(
      candidate,
      quota,
      usage,
      outcome,
      content,
      undefined,
      completedAt,
      price,
      completedAt,
      null,
      costNanos,
    );
  }

  /** The channels and attempts so far, for the trace of what goes on after the response. */
  traced(): TracedStart {
    const { attempts, candidates } = this.#trace(Date.now(), 0);
    return { attempts, candidates };
  }

  /**
   * Nothing was delivered, so nothing is charged. The row says which channels were tried and why
   * none answered.
   */
  finishUnanswered(error: UpstreamError | undefined): CallSettlement {
    const [first] = this.#choice.candidates;
    const last = this.#lastTried ?? first;
    const [outcome, content] = error
      ? ["failed", error.publicReason]
      : ["client_left", "the client left before the upstream answered"];
    if (!error) this.#close(undefined, "client_left", content, "stopped");
    else if (!this.#exchange.hasAnswered) this.#statusToCome = error.refusal.status;
    return this.#settlement(last, 0, noUsage, outcome, content, undefined, 0, null);
  }

  #close(
    status: number | undefined,
    outcome: string,
    error: string | null,
    result: AttemptResult,
    endedAt = Date.now(),
  ): void {
    const attempt = this.#attempts.at(-1);
    if (!attempt || attempt.ended_at !== null) return;
    this.#ended.push({
      channelId: attempt.channel_id,
      result,
      elapsedMs: endedAt - attempt.started_at,
    });
    attempt.ended_at = endedAt;
    if (status !== undefined) attempt.status = status;
    attempt.outcome = outcome;
    attempt.error = error === null || error === "" ? null : error.slice(0, 500);
  }

  #settlement(
    candidate: ChannelCandidate | undefined,
    quota: number,
    usage: CallResult["usage"],
    outcome: string,
    content: string,
    ttftMs: number | undefined,
    upstreamCompletedAt: number,
    price: string | null,
    endedAt = Date.now(),
    usageDetails: string | null = null,
    costNanos: number | null = null,
    marksSaved?: number,
  ): CallSettlement {
    const log = callLogRow(this.snapshot, {
      id: this.#exchange.id,
      userId: this.#caller.userId,
      tokenId: this.#caller.tokenId,
      channelId: candidate?.channel.id ?? 0,
      channelName: candidate?.channel.name ?? "",
      model: candidate?.cost.model ?? this.snapshot.origin_model_name,
      quota,
      usage,
      outcome,
      content,
      elapsedMs: endedAt - this.#exchange.receivedAt,
      ttftMs,
      price,
      costNanos,
      marksSaved,
      usageDetails,
      retries: Math.max(0, this.#attempts.length - 1),
    });
    const measures: CallMeasures = {
      entry: this.#entry,
      group: candidate?.group ?? this.#caller.group,
      usage,
      attempts: this.#ended,
      overheadMs: this.#overheadMs,
    };
    const trace = JSON.stringify(this.#trace(endedAt, upstreamCompletedAt));
    return { charge: quota, log, trace, target: candidate?.target?.model, measures };
  }

  #trace(endedAt: number, upstreamCompletedAt: number): TraceRecord {
    const { url, method, body_size, received_at } = this.snapshot;
    const timestamps: TraceRecord["timestamps"] = {
      request_received: received_at,
      request_completed: endedAt,
    };
    if (this.#forwardedAt) timestamps.request_forwarded = this.#forwardedAt;
    if (this.#upstreamAnsweredAt) timestamps.first_upstream_response = this.#upstreamAnsweredAt;
    if (this.#exchange.firstByteAt) timestamps.first_client_response = this.#exchange.firstByteAt;
    if (upstreamCompletedAt) timestamps.upstream_completed = upstreamCompletedAt;
    return {
      url,
      method,
      body_size,
      status: this.#statusToCome ?? this.#exchange.response.statusCode,
      ...(this.#outputLimit !== undefined && { output_limit: this.#outputLimit }),
      ...(this.#exchange.facts.notes.length > 0 && { notes: this.#exchange.facts.notes }),
      timestamps,
      attempts: this.#attempts,
      candidates: [
        ...this.#choice.candidates.map((candidate) => {
          const taken = this.#tried.has(candidate);
          // Why a channel of a higher priority was left for last is what an operator asks.
          const heldBack = candidate.reason.reason === "told_limit" ? candidate.reason : undefined;
          const why = taken ? candidate.reason : (this.#skipped.get(candidate) ?? heldBack);
          return buildTracedCandidate(
            candidate,
            taken,
            why ? describeReason(why) : "not needed: an earlier one answered",
          );
        }),
        ...this.#choice.excluded.map((one) =>
          buildTracedCandidate(one, false, describeReason(one.reason)),
        ),
      ],
    };
  }
}

/** Statuses are the provider's; without one, it gave no usable answer. */
const attemptResults: Readonly<Record<CallOutcome, AttemptResult>> = {
  success: "ok",
  cut: "cut",
  client_left: "stopped",
  quota_ran_out: "stopped",
};

function buildAttemptResult({ status, lost }: UpstreamError): AttemptResult {
  if (lost) return lost.cause === "silent" ? "timeout" : "cut";
  if (status === 429) return "429";
  if (status >= 500) return "5xx";
  return status >= 400 ? "4xx" : "connect";
}
