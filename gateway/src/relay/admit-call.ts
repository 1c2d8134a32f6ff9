/**
 * Steps that relayed calls and realtime sessions share: routing and hold before the first attempt,
 * settlement after the last.
 */

import { traceContextMember } from "@tollgate/contract/catalogue/channel-overrides.ts";
import { channelTypeIds } from "@tollgate/contract/catalogue/channel-types.ts";
import type { PayingKey } from "../accounts/budgets/live-budgets.ts";
import type { Counters } from "../limits/counters.ts";
import { findLargestThatFits } from "../money/holds/hold-reach.ts";
import type { LiveHolds } from "../money/holds/live-holds.ts";
import { StorageUnavailable } from "../storage/database.ts";
import {
  computeBudgetId,
  type HeldBudget,
  type HoldCommand,
  isBudgetRefusal,
  isOneOfTargets,
  type MoneyResult,
} from "../storage/money-commands.ts";
import { computeIdTime } from "../storage/time-ids.ts";
import type { CallTracing } from "../telemetry/call-tracing.ts";
import type { ApiKeys, RelayCaller } from "./admission/api-keys.ts";
import type { ApiKeyCredential } from "./admission/authenticate.ts";
import {
  type BudgetDeps,
  type BudgetStopDeps,
  callBudgetRefused,
} from "./admission/budget-refusals.ts";
import type { CallTags, TagReader } from "./admission/call-tags.ts";
import { type FundsDeps, refuseForFunds } from "./admission/funds-refusals.ts";
import { admitWithinLimits } from "./admission/token-limits.ts";
import { CallRecorder, callSnapshot } from "./call-recorder.ts";
import { buildChannelEntry, type ChannelEntryDeps, type UnitsAt } from "./channel-entry.ts";
import type { Exchange } from "./exchange.ts";
import type { RelayCall } from "./formats/api-format.ts";
import {
  buildOutputHold,
  computeUnseenInputTokens,
  findMediaOutput,
  holdAmount,
  type OutputHold,
} from "./formats/hold-size/token-estimate.ts";
import { buildExtrasInPriceUnit } from "./formats/usage/media-usage.ts";
import type { StateBinding } from "./provider-states/provider-states.ts";
import type { HoldSettings, RoutingSettings } from "./relay-settings.ts";
import { buildRoutingRequest, type RoutingDeps, routeCall } from "./route-call.ts";
import {
  type AttemptDeps,
  type AttemptOptions,
  type ChannelAttempt,
  makeAttempts,
} from "./routing/attempts.ts";
import type { ChannelCandidate, ChannelChoice, RoutingRequest } from "./routing/choose-channels.ts";
import type { ExclusionReason } from "./routing/routing-reasons.ts";
import type { PreferredChannel } from "./routing/session-affinity.ts";
import { admitRun, type RunDeps } from "./runs/admit-run.ts";
import type { UpstreamError } from "./upstream/upstream-error.ts";
import { parseObject } from "./wire/json-parts.ts";
import { overloaded, type RelayRefusal, RelayRefused } from "./wire/relay-refusal.ts";

/** A call whose hold is open: it must be settled exactly once. */
export interface AdmittedCall {
  exchange: Exchange;
  call: RelayCall;
  caller: RelayCaller;
  routing: RoutingRequest;
  choice: ChannelChoice;
  recorder: CallRecorder;
  /**
   * `unitsAt` gives the most that it may cost on a channel, for the budgets of channels; missing
   * where none has one.
   */
  unitsAt?: UnitsAt;
}

/** `AdmissionDeps` are the things that admission reads and counts besides. */
export type AdmissionDeps = RoutingDeps &
  RunDeps &
  BudgetStopDeps &
  FundsDeps & {
    holds: Pick<LiveHolds, "open">;
    apiKeys: Pick<ApiKeys, "invalidate">;
    settings: RoutingSettings & HoldSettings;
    counters: Counters;
    tags: TagReader;
  };

export interface OverloadDeps {
  /** `isOverloaded` says whether the process lacks a resource, so that new calls are refused. */
  isOverloaded(): boolean;
}

/** `TryDeps` are what one attempt after another reads, enters and reports to. */
export type TryDeps = AttemptDeps &
  ChannelEntryDeps & {
    /** The upstream answered with an error, which may disable the channel or one of its keys. */
    onUpstreamError(
      channelId: number,
      keyIndex: number,
      error: { status: number; type: string; code: unknown },
    ): void;
  };

export interface TracingDeps {
  /** Missing where no spans are sent. */
  tracing: CallTracing | undefined;
}

/**
 * Throws `RelayRefused` before a key is looked up or a body is read: a call that cannot be served
 * must cost nothing.
 */
export function refuseWhenOverloaded({ isOverloaded }: OverloadDeps): void {
  if (isOverloaded()) throw new RelayRefused(overloaded);
}

/**
 * Throws `RelayRefused` when no channel can be tried, when the key has reached a limit, and when
 * its quota or the balance does not cover the call.
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
  const { holds, apiKeys, settings, now } = deps;
  admitRun(exchange, call, caller, deps);
  const routing = {
    ...buildRoutingRequest(call, caller, credential.pin, settings, preferred),
    state,
  };
  const routed = await routeCall(routing, deps);
  const tags = deps.tags.of(exchange, caller, call.bodyTags);
  await admitWithinLimits(exchange, caller, call.promptEstimate, deps);
  const at = computeIdTime(exchange.id);
  const snapshot = callSnapshot(exchange, caller, call, tags);
  const open = ({ amount, least }: WantedHold, budgets: readonly HeldBudget[] | undefined) =>
    holds.open({
      id: exchange.id,
      walletId: caller.walletId,
      userId: caller.userId,
      tokenId: caller.tokenId,
      tokenIsUnlimited: caller.isUnlimited,
      amount,
      least,
      snapshot,
      budgets,
    });
  const { held, wanted, choice } = await holdWithinBudgets(
    { call, tags, run: exchange.facts.run?.run },
    caller,
    at,
    routed,
    deps,
    open,
    state?.contextTokens,
  );
  const recorder = new CallRecorder(exchange, caller, call.client.endpoint, choice, snapshot);
  if (exchange.facts.trace) exchange.facts.trace.heldAt = now();
  const admit = (admitted: RelayCall): AdmittedCall => {
    const result: AdmittedCall = { exchange, call: admitted, caller, routing, choice, recorder };
    if (deps.budgets.hasChannels())
      result.unitsAt = (candidate) =>
        computeCandidateUnits(admitted, candidate, settings, state?.contextTokens);
    return result;
  };
  if (held === "held") return admit(call);
  if (typeof held === "number") {
    const limited = addOutputLimit(call, wanted.outputLimit(held), choice);
    recorder.limitOutput(limited.maxOutputTokens);
    return admit(limited);
  }
  if (isBudgetRefusal(held))
    throw await callBudgetRefused(
      held,
      { at, least: wanted.least, caller, run: exchange.facts.run?.run },
      deps,
    );
  apiKeys.invalidate(credential);
  throw await refuseForFunds(held, wanted.least, caller, deps);
}

/**
 * Opens the hold of a call that began at `at`. A target of a virtual model whose own budget does
 * not cover the call is left out, as long as another one remains.
 */
export async function holdWithinBudgets(
  { call, tags, run }: { call: RelayCall; tags: CallTags | undefined; run?: string | undefined },
  { tokenId, userId, teamId, memberId }: PayingKey,
  at: number,
  routed: ChannelChoice,
  { budgets, settings }: Pick<BudgetDeps, "budgets"> & { settings: HoldSettings },
  open: (
    wanted: WantedHold,
    budgets: readonly HeldBudget[] | undefined,
  ) => MoneyResult<HoldCommand> | Promise<MoneyResult<HoldCommand>>,
  contextTokens?: readonly number[],
): Promise<{ held: MoneyResult<HoldCommand>; wanted: WantedHold; choice: ChannelChoice }> {
  for (let choice = routed; ; ) {
    const wanted = readWantedHold(call, choice, settings, contextTokens);
    const targets = () => choice.candidates.flatMap(({ target }) => target?.model ?? []);
    const counted = budgets.heldBy({
      ...{
        at,
        tokenId,
        userId,
        teamId,
        memberId,
        model: call.model,
        tags: tags?.counted,
        run,
        targets,
      },
    });
    const held = await open(wanted, counted);
    const full = isBudgetRefusal(held)
      ? counted?.find(({ id }) => id === computeBudgetId(held))?.target
      : null;
    const rest = full == null ? choice : stripTargets(choice, full);
    if (rest === choice || rest.candidates.length === 0) return { held, wanted, choice };
    choice = rest;
  }
}

function stripTargets(choice: ChannelChoice, targets: string): ChannelChoice {
  const { true: left = [], false: candidates = [] } = Object.groupBy(
    choice.candidates,
    ({ target }) => (isOneOfTargets(targets, target?.model) ? "true" : "false"),
  );
  const excluded = left.map(({ channel, target }) => ({
    channel,
    reason: { reason: "budget_full" } as const,
    ...(target && { target }),
  }));
  return { ...choice, candidates, excluded: [...choice.excluded, ...excluded] };
}

/** `WantedHold` is what a call needs to start, whichever of its candidates answers. */
export interface WantedHold {
  /** Units for the whole answer, at the dearest candidate. */
  amount: number;
  /** The least that the call starts with; smaller only where the request states no limit. */
  least: number;
  /** Completion tokens of one answer that this many units cover at every candidate. */
  outputLimit(units: number): number;
}

export function readWantedHold(
  call: RelayCall,
  { candidates }: Pick<ChannelChoice, "candidates">,
  settings: HoldSettings,
  contextTokens: readonly number[] = [],
): WantedHold {
  const unread = computeUnread(call, settings, contextTokens);
  const holds = candidates.map((candidate) => buildCandidateHold(call, candidate, unread));
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
      const tokens = holds.map(({ units, output }) =>
        findLargestThatFits(output.wanted, (n) => units(n) <= held),
      );
      return Math.floor(Math.min(...tokens) / call.choiceCount);
    },
  };
}

/** Tokens that the provider reads and the estimate does not see. */
const computeUnread = (
  { unseen = {} }: RelayCall,
  settings: HoldSettings,
  contextTokens: readonly number[] = [],
): number => settings.addedHoldTokens() + computeUnseenInputTokens(unseen, contextTokens);

/**
 * `computeCandidateUnits` is what the call may come to on the channel of a candidate, its whole answer
 * included: what the operator pays, without any ratio of a group, and where that is unknown what is
 * charged.
 */
export function computeCandidateUnits(
  call: RelayCall,
  candidate: ChannelCandidate,
  settings: HoldSettings,
  contextTokens?: readonly number[],
): number {
  const { price, frozen } = candidate.cost;
  const { buying } = price;
  const paid = buying && {
    ...candidate.cost,
    price: { ...price, ...buying },
    frozen: { ...frozen, group_ratio: 1 },
  };
  const at = paid ? { ...candidate, cost: paid } : candidate;
  const { output, units } = buildCandidateHold(
    call,
    at,
    computeUnread(call, settings, contextTokens),
  );
  return units(output.wanted);
}

interface CandidateHold {
  output: OutputHold;
  /** Units to hold for this many completion tokens. */
  units(outputTokens: number): number;
}

/** Other servers than Anthropic's may take a limit of 0 for none. */
const fillsCacheAlone = ({ writesNothing }: RelayCall, { channel }: ChannelCandidate): boolean =>
  writesNothing === true &&
  channel.type === channelTypeIds.anthropic &&
  !channel.mayReportFalseUsage;

function buildCandidateHold(
  call: RelayCall,
  candidate: ChannelCandidate,
  unread: number,
): CandidateHold {
  const { price, frozen } = candidate.cost;
  const extras = {
    ...price.heldBeside,
    ...(call.extras && buildExtrasInPriceUnit(call.extras, price.rates)),
  };
  const media = findMediaOutput(price.rates, call);
  return {
    output: fillsCacheAlone(call, candidate)
      ? { wanted: 0, least: 0 }
      : buildOutputHold(call.maxOutputTokens, price.max_tokens, call.choiceCount),
    units: (tokens) =>
      holdAmount(price, call.promptEstimate, unread, tokens, frozen.group_ratio, extras, media),
  };
}

/** The call as this candidate serves it: the answer names the target of a virtual model. */
export function placeCall(call: RelayCall, { target }: ChannelCandidate): RelayCall {
  if (target === undefined) return call;
  const { model } = target;
  const { limitToWrite } = call;
  const limited = limitToWrite === undefined ? call : addWrittenLimit(call, model, limitToWrite);
  return { ...limited, model, requestedModel: call.model };
}

/**
 * The balance covers less than the largest output, so the provider must not write more: the limit
 * joins the client's body.
 */
function addOutputLimit(
  call: RelayCall,
  maxOutputTokens: number,
  { routed }: ChannelChoice,
): RelayCall {
  if (!call.client.writeOutputLimit) return call;
  const limited = { ...call, maxOutputTokens };
  // Models differ in the member that they read, and the target is not known yet.
  return routed
    ? { ...limited, limitToWrite: maxOutputTokens }
    : addWrittenLimit(limited, call.model, maxOutputTokens);
}

function addWrittenLimit(call: RelayCall, model: string, tokens: number): RelayCall {
  const { client, body } = call;
  const json = parseObject(body.toString("utf8"));
  return { ...call, body: client.writeOutputLimit?.(body, json, model, tokens) ?? body };
}

/** The request of an attempt, which tells its provider of the trace where the operator lets it. */
export function buildTracedCall(
  call: RelayCall,
  { channel, candidate }: ChannelAttempt,
  { facts: { trace } }: Exchange,
  { tracing }: TracingDeps,
): RelayCall {
  const url = trace && channel.urlsFor(candidate.cost.model)[call.upstream.endpoint];
  if (!tracing || !url) return call;
  const sendsContext = channel.settings.config[traceContextMember];
  const headers = tracing.startAttempt(trace, { url, channelType: channel.type, sendsContext });
  return headers.length === 0 ? call : { ...call, headers: [...call.headers, ...headers] };
}

/** `TriedCall` is what is asked of one channel after another. */
export type TriedCall = Pick<AdmittedCall, "exchange" | "choice" | "recorder" | "unitsAt"> & {
  routing: AttemptOptions;
};

/** The attempts of an admitted call, best channel first. */
export function buildAttempts(tried: TriedCall, deps: TryDeps) {
  const { choice, routing, recorder } = tried;
  const onSkip = (candidate: ChannelCandidate, why: ExclusionReason): void =>
    recorder.skip(candidate, why);
  const enter = tried.unitsAt && buildChannelEntry(tried, tried.unitsAt, deps);
  return makeAttempts(choice.candidates, enter ? { ...routing, enter } : routing, deps, onSkip);
}

export function failAttempt(
  attempt: ChannelAttempt,
  error: UpstreamError,
  { recorder }: Pick<AdmittedCall, "recorder">,
  deps: Pick<TryDeps, "onUpstreamError">,
) {
  const { channel, key } = attempt;
  recorder.failAttempt(error);
  if (error.reported)
    deps.onUpstreamError(channel.id, key.index, { status: error.status, ...error.reported });
  attempt.failed(error);
}

export const internalError: RelayRefusal = {
  status: 500,
  type: "internal_error",
  code: "internal_error",
  message: "Something went wrong in the gateway",
};

/** The refusal for anything that a step threw. */
export function buildRefusal(error: unknown, onError: (error: unknown) => void): RelayRefusal {
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

/**
 * `readRefusalReason` gives what a refusal before the hold is counted as. Its codes are the
 * gateway's own: no provider was asked.
 */
export const readRefusalReason = ({ code, status }: RelayRefusal): string =>
  typeof code === "string" && code !== "" ? code : (namelessReasons[status] ?? "bad_request");
