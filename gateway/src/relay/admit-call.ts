/** Admission of a call: routing, its limits, and the hold that is open before the first attempt. */

import type { Counters } from "../limits/counters.ts";
import type { LiveHolds } from "../money/holds/live-holds.ts";
import { type HeldBudget, isBudgetRefusal } from "../storage/money-commands.ts";
import { computeIdTime } from "../storage/time-ids.ts";
import type { ApiKeys } from "./admission/api-keys.ts";
import type { ApiKeyCredential } from "./admission/authenticate.ts";
import { type BudgetStopDeps, callBudgetRefused } from "./admission/budget-refusals.ts";
import type { TagReader } from "./admission/call-tags.ts";
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
import { type BudgetedHold, buildRerouter, holdWithinBudgets } from "./hold-within-budgets.ts";
import type { StateBinding } from "./provider-states/provider-states.ts";
import type { HoldSettings, RoutingSettings } from "./relay-settings.ts";
import { buildRoutingRequest, type RoutingDeps, routeCall } from "./route-call.ts";
import type { ChannelChoice, RoutingRequest } from "./routing/choose-channels.ts";
import type { PreferredChannel } from "./routing/session-affinity.ts";
import { admitRun, type RunDeps } from "./runs/admit-run.ts";
import { addOutputLimit, computeCandidateUnits, type WantedHold } from "./wanted-hold.ts";

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
  const budgeted = await holdWithinBudgets(
    {
      ...{ call, tags, run: exchange.facts.run?.run, contextTokens: state?.contextTokens },
      reroute: buildRerouter(call, routing, caller, deps),
    },
    caller,
    at,
    routed,
    deps,
    open,
  );
  const { held, wanted, choice, instead, barred } = budgeted;
  const recorder = new CallRecorder(exchange, caller, call.client.endpoint, choice, snapshot);
  if (exchange.facts.trace) exchange.facts.trace.heldAt = now();
  const admit = (sized: RelayCall): AdmittedCall => {
    if (instead) exchange.note(composeInsteadNote(call, instead));
    // A kept answer of this model is not one of the model that was asked for.
    const admitted = instead ? { ...sized, fallbackModels: [instead.model] } : sized;
    const result: AdmittedCall = {
      ...{ exchange, call: admitted, caller, choice, recorder },
      routing: instead?.routing ?? routing,
    };
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
      { at, least: wanted.least, caller, run: exchange.facts.run?.run, barred },
      deps,
    );
  apiKeys.invalidate(credential);
  throw await refuseForFunds(held, wanted.least, caller, deps);
}

/** The row and the trace say so besides the answer's header. */
const composeInsteadNote = (
  { model: asked }: Pick<RelayCall, "model">,
  { model, budgets }: NonNullable<BudgetedHold["instead"]>,
): string =>
  `${budgets.map((name) => `budget ${JSON.stringify(name)}`).join(" and ")} did not cover ${asked}: the call went to ${model}`;
