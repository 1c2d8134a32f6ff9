/** The answer of a provider, to the client and into the settlement. */

import type { LiveHolds } from "../money/holds/live-holds.ts";
import type { CallerIdentity } from "./admission/caller-parts.ts";
import type { AdmittedCall } from "./admit-call.ts";
import type { CallResult, UpstreamPrice, UsageMeter } from "./answer/call-result.ts";
import { addCountedUsage } from "./answer/counted-usage.ts";
import { respond } from "./answer/respond.ts";
import { addStartedContainers } from "./answer/started-containers.ts";
import type { CachedAnswers } from "./cached-answers/cached-answers.ts";
import { callCharge } from "./call-charge.ts";
import type { TokenCounting } from "./counting/token-counting.ts";
import type { AskedModel } from "./formats/call-parts.ts";
import { findServedTermsInHeaders, findUpstreamRequestId } from "./formats/usage/served-terms.ts";
import { readRefusalPlace } from "./plan-attempt.ts";
import type { CallStates } from "./provider-states/provider-states.ts";
import type { ReasoningHomes } from "./provider-states/reasoning-homes.ts";
import { composeMarksNote, computeMarksSaved } from "./providers/prompt-marks.ts";
import type { ChannelAttempt } from "./routing/attempts.ts";
import { endHeaders } from "./routing/model-end-headers.ts";
import type { SessionAffinity } from "./routing/session-affinity.ts";
import type { UpstreamPlan } from "./routing/translation-registry.ts";
import { type SettleDeps, settle } from "./settle-call.ts";
import { redactSecrets } from "./upstream/redact-secrets.ts";
import type { SendDeps, SendResult } from "./upstream/send.ts";
import type { UpstreamError } from "./upstream/upstream-error.ts";
import type { UsageAlerts } from "./usage-alerts.ts";
import type { KnownRefusals } from "./value-rules/known-refusals.ts";

/** `DeliverDeps` are who tracks, remembers and learns from an answer. */
export type DeliverDeps = SettleDeps &
  Pick<SendDeps, "providerTokens"> & {
    holds: Pick<LiveHolds, "track">;
    providerStates: Pick<CallStates, "keeperFor">;
    knownRefusals: KnownRefusals;
    sessionAffinity: SessionAffinity;
    reasoningHomes: ReasoningHomes;
    usageAlerts: UsageAlerts;
    tokenCounting: TokenCounting;
    cachedAnswers: Pick<CachedAnswers, "keep">;
  };

/** Two keys of one account show no more than one. */
const nameOwner = ({ userId, tokenId }: CallerIdentity): string =>
  userId > 0 ? `user ${userId}` : `key ${tokenId}`;

/** Answers the client and settles the call, or returns why another channel may still answer. */
export async function deliverAnswer(
  { answer, framing }: Extract<SendResult, { answer: unknown }>,
  attempt: ChannelAttempt,
  plan: UpstreamPlan,
  { exchange, call, caller, recorder, routing }: AdmittedCall,
  deps: DeliverDeps,
): Promise<UpstreamError | undefined> {
  const { candidate, channel, key, succeeded, revised } = attempt;
  const { cost } = candidate;
  recorder.upstreamAnswered(answer.status, answer.answeredAt);
  exchange.learn({
    upstreamRequestId: findUpstreamRequestId(answer.headers),
    servedModel: candidate.target?.model,
  });
  if (channel.modelEnds)
    exchange.learn({ endHeaders: endHeaders(channel, cost.model, deps.now()) });
  const keeper = plan.translator
    ? undefined
    : deps.providerStates.keeperFor(asRequested(plan.call), caller, channel, key);
  const completed = (result: CallResult): CallResult => ({
    ...result,
    usage: addStartedContainers(result.usage, plan.call, keeper),
    served: { ...findServedTermsInHeaders(answer.headers), ...result.served },
  });
  const priced: UpstreamPrice = {
    ...cost,
    isDistrusted: channel.mayReportFalseUsage,
    chargeOf: (result) => callCharge(candidate, completed(result)).quota,
  };
  const onMeter = (meter: UsageMeter) =>
    deps.holds.track(exchange.id, {
      channelId: channel.id,
      channelName: channel.name,
      model: cost.model,
      target: candidate.target?.model,
      price: cost.frozen,
      ...meter,
      usage: () => addStartedContainers(meter.usage(), plan.call, keeper),
    });
  const responded = await respond(exchange, answer, { ...plan, keeper }, priced, onMeter, framing);
  if ("error" in responded) {
    const error = redactSecrets(responded.error, ...answer.secrets);
    // Some providers report an expired token inside a response whose status is 200.
    if (error.status === 401) deps.providerTokens.invalidate(channel);
    return error;
  }
  const result = completed(responded.result);
  exchange.facts.admission?.releaseSlot();
  if (result.outcome === "success") {
    succeeded(result.firstContentAt);
    if (revised?.rule)
      deps.knownRefusals.confirm(
        readRefusalPlace(attempt, plan.call),
        revised.rule,
        nameOwner(caller),
      );
    if (call.conversation) {
      const servedBy = { channelId: channel.id, keyIndex: key.index };
      deps.sessionAffinity.remember(routing.tokenId, call.model, call.conversation, servedBy);
      if (result.isSigned) deps.reasoningHomes.keep(routing.tokenId, call, channel, key);
    }
  }
  deps.usageAlerts.record(channel, result.details);
  const marksSaved = plan.marks ? computeMarksSaved(result.usage, cost.frozen) : undefined;
  if (plan.marks && marksSaved !== undefined)
    exchange.note(composeMarksNote(plan.marks, result.usage, marksSaved));
  const endedAt = Date.now();
  const counted = result.uncounted
    ? await addCountedUsage(result, call, cost.model, deps.tokenCounting)
    : result;
  const settlement = recorder.finish(
    candidate,
    marksSaved === undefined ? counted : { ...counted, marksSaved },
    endedAt,
  );
  if (exchange.recorder && result.outcome === "success")
    deps.cachedAnswers.keep(exchange, settlement.charge);
  await settle(exchange, settlement, deps);
  await keeper?.countContext(settlement.log.prompt_tokens + settlement.log.completion_tokens);
  return undefined;
}

/** A key that may use the virtual model may use the ids in its answers. */
const asRequested = <Call extends AskedModel>(call: Call): Call =>
  call.requestedModel === undefined ? call : { ...call, model: call.requestedModel };
