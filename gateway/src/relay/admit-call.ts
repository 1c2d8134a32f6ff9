/** Admission of a call: routing, its limits, and the hold that is open before the first attempt. */

import type { PayingKey } from "../accounts/budgets/live-budgets.ts";
import type { Counters } from "../limits/counters.ts";
import type { LiveHolds } from "../money/holds/live-holds.ts";
import {
  computeBudgetId,
  type HeldBudget,
  type HoldCommand,
  isBudgetRefusal,
  isOneOfTargets,
  type MoneyResult,
} from "../storage/money-commands.ts";
import { computeIdTime } from "../storage/time-ids.ts";
import type { ApiKeys } from "./admission/api-keys.ts";
import type { ApiKeyCredential } from "./admission/authenticate.ts";
import {
  type BudgetDeps,
  type BudgetStopDeps,
  callBudgetRefused,
} from "./admission/budget-refusals.ts";
import type { CallTags, TagReader } from "./admission/call-tags.ts";
import type {
  CallerFunds,
  CallerIdentity,
  CallerReach,
  KeyRules,
} from "./admission/caller-parts.ts";
import { type FundsDeps, refuseForFunds } from "./admission/funds-refusals.ts";
import { admitWithinLimits } from "./admission/token-limits.ts";
import { CallRecorder, callSnapshot } from "./call-recorder.ts";
import type { UnitsAt } from "./channel-entry.ts";
import type { KnownCall, ReplyToClient, SentAnswer, StreamToClient } from "./exchange-parts.ts";
import type { RelayCall } from "./formats/api-format.ts";
import type { AskedModel, AskedSize, SentBody } from "./formats/call-parts.ts";
import type { StateBinding } from "./provider-states/provider-states.ts";
import type { HoldSettings, RoutingSettings } from "./relay-settings.ts";
import { buildRoutingRequest, type RoutingDeps, routeCall } from "./route-call.ts";
import type { ChannelChoice, RoutingRequest } from "./routing/choose-channels.ts";
import type { PreferredChannel } from "./routing/session-affinity.ts";
import { admitRun, type RunDeps } from "./runs/admit-run.ts";
import {
  addOutputLimit,
  computeCandidateUnits,
  readWantedHold,
  type WantedHold,
} from "./wanted-hold.ts";

/** A call whose hold is open: it must be settled exactly once. */
export interface AdmittedCall {
  exchange: KnownCall & ReplyToClient & StreamToClient & SentAnswer;
  call: RelayCall;
  caller: CallerIdentity & CallerReach & CallerFunds & KeyRules;
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

/**
 * Throws `RelayRefused` when no channel can be tried, when the key has reached a limit, and when
 * its quota or the balance does not cover the call.
 */
export async function admitCall(
  exchange: KnownCall & ReplyToClient & StreamToClient & SentAnswer,
  call: RelayCall,
  caller: CallerIdentity & CallerReach & CallerFunds & KeyRules,
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
  {
    call,
    tags,
    run,
  }: {
    call: AskedModel & AskedSize & SentBody;
    tags: CallTags | undefined;
    run?: string | undefined;
  },
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
