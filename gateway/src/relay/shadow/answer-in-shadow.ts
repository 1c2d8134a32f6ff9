/**
 * A call during a dual run: the gateway of before answers it, with the caller's own key, and here
 * it is priced and logged as a shadow. Nothing is held, counted or charged: no wallet, key, budget
 * or limit knows of it.
 */
import { logTypes } from "@tollgate/contract/figures/logs.ts";
import type { ShadowRun } from "@tollgate/contract/figures/shadow.ts";
import type { ApiKeyCredential } from "../admission/authenticate.ts";
import type { CallerIdentity, CallerReach } from "../admission/caller-parts.ts";
import { addCountedUsage } from "../answer/counted-usage.ts";
import { respond } from "../answer/respond.ts";
import { buildSummary, CallRecorder, type CallSettlement, callSnapshot } from "../call-recorder.ts";
import type { TokenCounting } from "../counting/token-counting.ts";
import type { KnownCall, ReplyToClient, SentAnswer, StreamToClient } from "../exchange-parts.ts";
import type { RelayCall } from "../formats/api-format.ts";
import { findServedTermsInHeaders, findUpstreamRequestId } from "../formats/usage/served-terms.ts";
import type { RoutingSettings } from "../relay-settings.ts";
import { buildRoutingRequest, type RoutingDeps, routeCall } from "../route-call.ts";
import {
  type ChannelCandidate,
  type ChannelChoice,
  NoChannel,
} from "../routing/choose-channels.ts";
import { planUpstreamCall } from "../routing/translation-registry.ts";
import type { EndDeps, LoggedRowDeps } from "../settle-call.ts";
import { type SendDeps, send } from "../upstream/send.ts";
import { inUpstreamWords, type UpstreamError } from "../upstream/upstream-error.ts";
import { RelayRefused } from "../wire/relay-refusal.ts";
import { computeShadowCharge, readShadowId } from "./shadow-charge.ts";
import type { ShadowRuns } from "./shadow-runs.ts";

export type ShadowCallDeps = RoutingDeps &
  SendDeps &
  LoggedRowDeps &
  Pick<EndDeps, "onCallEnd"> & {
    settings: RoutingSettings;
    shadow: ShadowRuns;
    tokenCounting: TokenCounting;
  };

const modelMax = 200;
const shadowNote = "answered by the gateway of before, nothing charged here";

/** `ShadowOutcome` is what is stored of the answer beside its row. */
interface ShadowOutcome {
  settlement: CallSettlement;
  upstreamId: string;
  sourceCharge: number | null;
  hasFailed: boolean;
}

export async function answerInShadow(
  run: ShadowRun,
  exchange: KnownCall & ReplyToClient & StreamToClient & SentAnswer,
  call: RelayCall,
  caller: CallerIdentity & CallerReach,
  { whole }: ApiKeyCredential,
  deps: ShadowCallDeps,
): Promise<void> {
  const channel = deps.shadow.channelAt(run.address, whole);
  const { choice, refused } = await readChoiceHere(call, caller, deps);
  const [first] = choice.candidates;
  const cost = first?.cost ?? { ...deps.shadow.unservedPrice, model: call.model };
  const candidate: ChannelCandidate = {
    ...first,
    channel,
    model: call.model,
    cost,
    reason: { reason: "pinned" },
  };
  const recorder = new CallRecorder(
    exchange,
    caller,
    call.client.endpoint,
    choice,
    callSnapshot(exchange, caller, call),
  );
  const outcome = await answer(exchange, call, candidate, recorder, deps);
  const { settlement, upstreamId, sourceCharge, hasFailed } = outcome;
  const { log, trace } = settlement;
  const isEstimated = (log.usage_details ?? "").includes('"none_reported"');
  const words = refused && `here it would have been refused: ${refused.refusal.message}`;
  const charge = refused === undefined && !hasFailed ? settlement.charge : 0;
  deps.shadow.record({
    log: {
      ...log,
      ...{ type: logTypes.shadow, outcome: "shadow", quota: charge, cost_nanos: null },
      content: deps.settings.logsContent()
        ? [shadowNote, log.content, words].filter(Boolean).join("; ")
        : "",
    },
    trace,
    call: {
      id: exchange.id,
      model_name: call.model.slice(0, modelMax),
      upstream_id: upstreamId,
      reason:
        refused !== undefined
          ? "not_served"
          : hasFailed
            ? "failed"
            : isEstimated
              ? "estimated"
              : "",
      charge,
      source_charge: sourceCharge,
    },
  });
  deps.onCallEnd?.({ ...buildSummary(log, exchange), outcome: "shadow", quota: 0 });
}

async function answer(
  exchange: KnownCall & ReplyToClient & StreamToClient,
  call: RelayCall,
  candidate: ChannelCandidate,
  recorder: CallRecorder,
  deps: ShadowCallDeps,
): Promise<ShadowOutcome> {
  const { channel, cost } = candidate;
  const planned = planUpstreamCall(call, channel.urlsFor(call.model), call.model, channel.type);
  // The other gateway's lists of addresses are about the client, not about this gateway.
  const headers = [...planned.call.headers, "x-forwarded-for", exchange.address];
  const plan = { ...planned, call: { ...planned.call, headers } };
  recorder.startAttempt(candidate, {
    index: 0,
    key: channel.key,
    hint: "",
    status: channel.status,
  });
  const failed = (error: UpstreamError): ShadowOutcome => {
    recorder.failAttempt(error);
    if (!exchange.hasClientLeft) exchange.refuse(inUpstreamWords(error));
    const settlement = recorder.finishUnanswered(exchange.hasClientLeft ? undefined : error);
    return { settlement, upstreamId: "", sourceCharge: null, hasFailed: true };
  };
  const sent = await send(deps, plan.call, channel, call.model, (upstream) =>
    exchange.onClientLeave(() => upstream.abort("the client left")),
  );
  if ("error" in sent) return failed(sent.error);
  recorder.upstreamAnswered(sent.answer.status, sent.answer.answeredAt);
  const answered = sent.answer.headers;
  exchange.learn({ upstreamRequestId: findUpstreamRequestId(answered) });
  const responded = await respond(exchange, sent.answer, plan, cost, () => undefined, sent.framing);
  if ("error" in responded) return failed(responded.error);
  const { result } = responded;
  const counted = result.uncounted
    ? await addCountedUsage(result, call, cost.model, deps.tokenCounting)
    : result;
  const served = { ...findServedTermsInHeaders(answered), ...counted.served };
  return {
    settlement: recorder.finish(candidate, { ...counted, served }),
    upstreamId: readShadowId(answered),
    sourceCharge: computeShadowCharge(answered),
    hasFailed: false,
  };
}

/** The channels that would serve the call here, or why none would. */
async function readChoiceHere(
  call: RelayCall,
  caller: CallerIdentity & CallerReach,
  deps: ShadowCallDeps,
): Promise<{ choice: ChannelChoice; refused?: RelayRefused }> {
  try {
    return {
      choice: await routeCall(buildRoutingRequest(call, caller, undefined, deps.settings), deps),
    };
  } catch (error) {
    if (!(error instanceof RelayRefused)) throw error;
    const excluded = error instanceof NoChannel ? error.excluded : [];
    return { choice: { candidates: [], excluded }, refused: error };
  }
}
