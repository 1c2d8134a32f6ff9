/** What relayed calls and realtime sessions share: routing and hold before the first attempt, settlement after the last. */

import { traceContextMember } from "@tollgate/contract/channel-overrides.ts";
import { channelTypeIds } from "@tollgate/contract/channel-types.ts";
import { largestThatFits } from "../money/hold-reach.ts";
import { StorageUnavailable } from "../storage/database.ts";
import {
  budgetIdIn,
  type FundsRefusal,
  type HeldBudget,
  type HoldCommand,
  isBudgetRefusal,
  isOneOfTargets,
  type MoneyResult,
} from "../storage/money-commands.ts";
import { idTime } from "../storage/time-ids.ts";
import type { CallTrace, TracedCall } from "../telemetry/traced-call.ts";
import type { RelayCaller } from "./admission/api-keys.ts";
import type { ApiKeyCredential } from "./admission/authenticate.ts";
import { type BudgetDeps, type BudgetStopDeps, callBudgetRefused } from "./admission/budget-refusals.ts";
import type { CallTags } from "./admission/call-tags.ts";
import { admit } from "./admission/token-limits.ts";
import { CallRecorder, type CallSettlement, callSnapshot, summaryOf } from "./call-recorder.ts";
import type { Exchange } from "./exchange.ts";
import type { RelayCall } from "./formats/api-format.ts";
import { extrasInPriceUnit } from "./formats/media-usage.ts";
import { holdAmount, mediaOutputOf, type OutputHold, outputHold, unseenInputTokens } from "./formats/token-estimate.ts";
import type { StateBinding } from "./provider-states/provider-states.ts";
import type { RelayDeps } from "./relay-deps.ts";
import { type RoutingDeps, routeCall, routingRequestFor } from "./route-call.ts";
import { attempts, type ChannelAttempt } from "./routing/attempts.ts";
import type { ChannelCandidate, ChannelChoice, RoutingRequest } from "./routing/choose-channels.ts";
import type { ExclusionReason } from "./routing/routing-reasons.ts";
import type { PreferredChannel } from "./routing/session-affinity.ts";
import type { UpstreamError } from "./upstream/upstream-error.ts";
import { parsedObject } from "./wire/json-parts.ts";
import { overloaded, type RelayRefusal, RelayRefused } from "./wire/relay-refusal.ts";

/** A call whose hold is open: it must be settled exactly once. */
export interface AdmittedCall {
  exchange: Exchange;
  call: RelayCall;
  caller: RelayCaller;
  routing: RoutingRequest;
  choice: ChannelChoice;
  recorder: CallRecorder;
}

/** What admission reads and counts besides. */
export type AdmissionDeps = RoutingDeps &
  Pick<RelayDeps, "holds" | "apiKeys" | "settings" | "counters" | "tags"> &
  BudgetStopDeps;

/** Throws `RelayRefused` before a key is looked up or a body is read: a call that cannot be served must cost nothing. */
export function refuseWhenOverloaded({ isOverloaded }: Pick<RelayDeps, "isOverloaded">): void {
  if (isOverloaded()) throw new RelayRefused(overloaded);
}

/**
 * Throws `RelayRefused` when no channel can be tried, when the key has reached a limit, and when its quota or the balance
 * does not cover the call.
 */
export async function admitCall(
  exchange: Exchange,
  call: RelayCall,
  caller: RelayCaller,
  credential: ApiKeyCredential,
  deps: AdmissionDeps,
  preferred?: PreferredChannel,
  state?: StateBinding,
): Promise<AdmittedCall> {
  const { holds, apiKeys, settings, counters, now } = deps;
  const routing = { ...routingRequestFor(call, caller, credential.pin, settings, preferred), state };
  const routed = await routeCall(routing, deps);
  const { tokenId, limits } = caller;
  const tags = deps.tags.of(exchange, caller, call.bodyTags);
  if (limits) {
    exchange.admission = await admit(
      { id: exchange.id, tokenId, limits, promptEstimate: call.promptEstimate },
      counters,
      now,
    );
  }
  const at = idTime(exchange.id);
  const snapshot = callSnapshot(exchange, caller, call, tags);
  const open = ({ amount, least }: WantedHold, budgets: readonly HeldBudget[] | undefined) =>
    holds.open({
      id: exchange.id,
      walletId: caller.walletId,
      userId: caller.userId,
      tokenId,
      tokenIsUnlimited: caller.isUnlimited,
      amount,
      least,
      snapshot,
      budgets,
    });
  const { held, wanted, choice } = await holdWithin(
    { call, tags },
    caller,
    at,
    routed,
    deps,
    open,
    state?.contextTokens,
  );
  const recorder = new CallRecorder(exchange, caller, call, choice, snapshot);
  if (exchange.trace) exchange.trace.heldAt = now();
  if (held === "held") return { exchange, call, caller, routing, choice, recorder };
  if (typeof held === "number") {
    const limited = withOutputLimit(call, wanted.outputLimit(held), choice);
    recorder.limitOutput(limited.maxOutputTokens);
    return { exchange, call: limited, caller, routing, choice, recorder };
  }
  if (isBudgetRefusal(held)) throw await callBudgetRefused(held, { at, least: wanted.least }, deps);
  apiKeys.invalidate(credential);
  throw new RelayRefused(quotaRefusals[held]);
}

/**
 * Opens the hold of a call that began at `at`. A target of a virtual model whose own budget does not cover the call is left out, as
 * long as another one remains.
 */
export async function holdWithin(
  { call, tags }: { call: RelayCall; tags: CallTags | undefined },
  { tokenId, userId }: Pick<RelayCaller, "tokenId" | "userId">,
  at: number,
  routed: ChannelChoice,
  { budgets, settings }: Pick<BudgetDeps, "budgets"> & Pick<AdmissionDeps, "settings">,
  open: (
    wanted: WantedHold,
    budgets: readonly HeldBudget[] | undefined,
  ) => MoneyResult<HoldCommand> | Promise<MoneyResult<HoldCommand>>,
  contextTokens?: readonly number[],
): Promise<{ held: MoneyResult<HoldCommand>; wanted: WantedHold; choice: ChannelChoice }> {
  for (let choice = routed; ; ) {
    const wanted = wantedHold(call, choice, settings, contextTokens);
    const targets = () => choice.candidates.flatMap(({ target }) => target?.model ?? []);
    const counted = budgets.heldBy({ at, tokenId, userId, model: call.model, tags: tags?.counted, targets });
    const held = await open(wanted, counted);
    const full = isBudgetRefusal(held) ? counted?.find(({ id }) => id === budgetIdIn(held))?.target : null;
    const rest = full == null ? choice : withoutTargets(choice, full);
    if (rest === choice || rest.candidates.length === 0) return { held, wanted, choice };
    choice = rest;
  }
}

function withoutTargets(choice: ChannelChoice, targets: string): ChannelChoice {
  const { true: left = [], false: candidates = [] } = Object.groupBy(choice.candidates, ({ target }) =>
    isOneOfTargets(targets, target?.model) ? "true" : "false",
  );
  const excluded = left.map(({ channel, target }) => ({
    channel,
    reason: { reason: "budget_full" } as const,
    ...(target && { target }),
  }));
  return { ...choice, candidates, excluded: [...choice.excluded, ...excluded] };
}

/** What a call needs to start, whichever of its candidates answers. */
export interface WantedHold {
  /** Units for the whole answer, at the dearest candidate. */
  amount: number;
  /** The least that the call starts with; smaller only where the request states no limit. */
  least: number;
  /** Completion tokens of one answer that this many units cover at every candidate. */
  outputLimit(units: number): number;
}

export function wantedHold(
  call: RelayCall,
  { candidates }: Pick<ChannelChoice, "candidates">,
  settings: Pick<RelayDeps["settings"], "addedHoldTokens">,
  contextTokens: readonly number[] = [],
): WantedHold {
  const unread = settings.addedHoldTokens() + unseenInputTokens(call.unseen ?? {}, contextTokens);
  const holds = candidates.map((candidate) => candidateHold(call, candidate, unread));
  let amount = 0;
  let least = 0;
  for (const { output, units } of holds) {
    const wanted = units(output.wanted);
    amount = Math.max(amount, wanted);
    least = Math.max(least, output.least === output.wanted ? wanted : units(output.least));
  }
  return {
    amount,
    least,
    outputLimit(held) {
      const tokens = holds.map(({ units, output }) => largestThatFits(output.wanted, (n) => units(n) <= held));
      return Math.floor(Math.min(...tokens) / call.choiceCount);
    },
  };
}

interface CandidateHold {
  output: OutputHold;
  /** Units to hold for this many completion tokens. */
  units(outputTokens: number): number;
}

/** Other servers than Anthropic's may take a limit of 0 for none. */
const fillsCacheAlone = ({ writesNothing }: RelayCall, { channel }: ChannelCandidate): boolean =>
  writesNothing === true && channel.type === channelTypeIds.anthropic && !channel.mayReportFalseUsage;

function candidateHold(call: RelayCall, candidate: ChannelCandidate, unread: number): CandidateHold {
  const { price, frozen } = candidate.cost;
  const extras = { ...price.heldBeside, ...(call.extras && extrasInPriceUnit(call.extras, price.rates)) };
  const media = mediaOutputOf(price.rates, call);
  return {
    output: fillsCacheAlone(call, candidate)
      ? { wanted: 0, least: 0 }
      : outputHold(call.maxOutputTokens, price.max_tokens, call.choiceCount),
    units: (tokens) => holdAmount(price, call.promptEstimate, unread, tokens, frozen.group_ratio, extras, media),
  };
}

/** The call as this candidate serves it: the answer names the target of a virtual model. */
export function callAt(call: RelayCall, { target }: ChannelCandidate): RelayCall {
  if (target === undefined) return call;
  const { model } = target;
  const { limitToWrite } = call;
  const limited = limitToWrite === undefined ? call : withWrittenLimit(call, model, limitToWrite);
  return { ...limited, model, requestedModel: call.model };
}

/** The balance covers less than the largest output, so the provider must not write more: the limit joins the client's body. */
function withOutputLimit(call: RelayCall, maxOutputTokens: number, { routed }: ChannelChoice): RelayCall {
  if (!call.client.writeOutputLimit) return call;
  const limited = { ...call, maxOutputTokens };
  // Models differ in the member that they read, and the target is not known yet.
  return routed
    ? { ...limited, limitToWrite: maxOutputTokens }
    : withWrittenLimit(limited, call.model, maxOutputTokens);
}

function withWrittenLimit(call: RelayCall, model: string, tokens: number): RelayCall {
  const { client, body } = call;
  const json = parsedObject(body.toString("utf8"));
  return { ...call, body: client.writeOutputLimit?.(body, json, model, tokens) ?? body };
}

/** The request of an attempt, which tells its provider of the trace where the operator lets it. */
export function tracedCall(
  call: RelayCall,
  { channel, candidate }: ChannelAttempt,
  { trace }: Exchange,
  { tracing }: Pick<RelayDeps, "tracing">,
): RelayCall {
  const url = trace && channel.urlsFor(candidate.cost.model)[call.upstream.endpoint];
  if (!tracing || !url) return call;
  const sendsContext = channel.settings.config[traceContextMember];
  const headers = tracing.startAttempt(trace, { url, channelType: channel.type, sendsContext });
  return headers.length === 0 ? call : { ...call, headers: [...call.headers, ...headers] };
}

/** The attempts of an admitted call, best channel first. */
export function attemptsOf({ choice, routing, recorder }: AdmittedCall, deps: RelayDeps) {
  const onSkip = (candidate: ChannelCandidate, why: ExclusionReason): void => recorder.skip(candidate, why);
  return attempts(choice.candidates, routing, deps, onSkip);
}

export function failAttempt(
  attempt: ChannelAttempt,
  error: UpstreamError,
  { recorder }: AdmittedCall,
  deps: RelayDeps,
) {
  const { channel, key } = attempt;
  recorder.failAttempt(error);
  if (error.reported) deps.onUpstreamError(channel.id, key.index, { status: error.status, ...error.reported });
  attempt.failed(error);
}

export async function settle(exchange: Exchange, settlement: CallSettlement, deps: RelayDeps): Promise<void> {
  const log = deps.settings.logsContent() ? settlement.log : { ...settlement.log, content: "" };
  // Before the settlement is written: the client may already send its next call.
  exchange.admission?.finish(log.prompt_tokens + log.completion_tokens);
  const { charge, trace, target, measures } = settlement;
  const beganAt = performance.now();
  await deps.holds.settle({ id: exchange.id, charge, log, trace, target });
  deps.callMetrics.settleTook(performance.now() - beganAt);
  deps.callMetrics.settled(log, measures);
  if (exchange.trace) deps.tracing?.ended(tracedEnd(exchange, exchange.trace, settlement, deps.now()), log.elapsed_ms);
  deps.onCallEnd?.(summaryOf(log, exchange));
}

/** What the thread that makes spans gets. */
function tracedEnd(
  { requestId, address }: Exchange,
  trace: CallTrace,
  { log, trace: record, measures }: CallSettlement,
  settledAt: number,
): TracedCall {
  return {
    trace,
    record,
    requestId,
    address,
    entry: measures.entry,
    userId: log.user_id,
    tokenId: log.token_id,
    requestedModel: log.origin_model_name,
    model: log.model_name,
    isStream: log.is_stream === 1,
    outcome: log.outcome,
    charge: log.quota,
    ttftMs: log.ttft_ms,
    usage: measures.usage,
    usageDetails: log.usage_details,
    results: measures.attempts.map(({ result }) => result),
    settledAt,
  };
}

export const quotaRefusals: Record<FundsRefusal, RelayRefusal> = {
  wallet_in_debt: {
    status: 403,
    type: "insufficient_quota",
    code: "wallet_in_debt",
    message:
      "The account is in debt: an earlier call cost more than its balance. Add quota to pay the debt; what is left then pays for calls",
  },
  insufficient_user_quota: {
    status: 403,
    type: "insufficient_quota",
    code: "insufficient_user_quota",
    message: "The balance does not cover this call",
  },
  pre_consume_token_quota_failed: {
    status: 403,
    type: "insufficient_quota",
    code: "pre_consume_token_quota_failed",
    message: "The remaining quota of the API key does not cover this call",
  },
};

export const internalError: RelayRefusal = {
  status: 500,
  type: "internal_error",
  code: "internal_error",
  message: "Something went wrong in the gateway",
};

/** The refusal for anything that a step threw. */
export function refusalOf(error: unknown, onError: (error: unknown) => void): RelayRefusal {
  if (error instanceof RelayRefused) return error.refusal;
  onError(error);
  if (error instanceof StorageUnavailable) {
    // No call is served unbilled: what cannot be held is refused.
    return {
      status: 503,
      type: "server_error",
      code: "storage_unavailable",
      message: "Storage is not available",
      retryAfter: 2,
    };
  }
  return internalError;
}

const namelessReasons: Readonly<Record<number, string>> = {
  401: "key_not_valid",
  403: "not_allowed",
  429: "rate_limited",
  503: "no_channel",
};

/** What a refusal before the hold is counted as. Its codes are the gateway's own: no provider was asked. */
export const refusalReason = ({ code, status }: RelayRefusal): string =>
  typeof code === "string" && code !== "" ? code : (namelessReasons[status] ?? "bad_request");
