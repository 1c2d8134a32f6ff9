/** The life of one relayed call, top to bottom. */

import type { LiveHolds } from "../money/holds/live-holds.ts";
import type { CallMetrics } from "../telemetry/call-metrics.ts";
import type { RelayCaller } from "./admission/api-keys.ts";
import { authenticate, authorize, requireCredential } from "./admission/authenticate.ts";
import {
  type AdmissionDeps,
  type AdmittedCall,
  admitCall,
  buildAttempts,
  buildRefusal,
  buildTracedCall,
  failAttempt,
  internalError,
  type OverloadDeps,
  placeCall,
  readRefusalReason,
  refuseWhenOverloaded,
  type TracingDeps,
  type TryDeps,
} from "./admit-call.ts";
import type { CallResult, UpstreamPrice, UsageMeter } from "./answer/call-result.ts";
import { addCountedUsage } from "./answer/counted-usage.ts";
import { buildLostAnswerResult } from "./answer/lost-answer.ts";
import { respond } from "./answer/respond.ts";
import { addSessionsDue, addStartedContainers } from "./answer/started-containers.ts";
import type { CachedAnswers } from "./cached-answers/cached-answers.ts";
import type { BodyKeeper } from "./call-bodies/body-keeper.ts";
import { callCharge } from "./call-charge.ts";
import type { CallSettlement } from "./call-recorder.ts";
import { findFullChannels } from "./channel-entry.ts";
import type { CallerDeps } from "./endpoints/json-endpoint.ts";
import type { Exchange } from "./exchange.ts";
import type { ClientFormat, RelayCall } from "./formats/api-format.ts";
import { detectFormat } from "./formats/detect-format.ts";
import { isReasoningRejected, stripEarlierReasoning } from "./formats/rejected-reasoning.ts";
import { findServedTermsInHeaders, findUpstreamRequestId } from "./formats/usage/served-terms.ts";
import type { Guards } from "./guards/guards.ts";
import type { ProviderStates } from "./provider-states/provider-states.ts";
import type { ReasoningHomes } from "./provider-states/reasoning-homes.ts";
import { composeMarksNote, setPromptMarks } from "./providers/prompt-marks.ts";
import { freeTerms } from "./read-body.ts";
import { type ReadRequestOptions, readRequest } from "./read-request.ts";
import { buildChargedByModel, type ReadingDeps, refuseUnpaidCall } from "./refuse-unpaid.ts";
import type { RefusedCalls } from "./refused-calls.ts";
import type { EstimateSettings, RelaySettings, RetrySettings } from "./relay-settings.ts";
import type { ChannelAttempt, Revision } from "./routing/attempts.ts";
import { type ChannelCandidate, refuseKeyRateLimited } from "./routing/choose-channels.ts";
import { endHeaders } from "./routing/model-end-headers.ts";
import { describeReason } from "./routing/routing-reasons.ts";
import type {
  CallConversation,
  PreferredChannel,
  SessionAffinity,
} from "./routing/session-affinity.ts";
import { planUpstreamCall, type UpstreamPlan } from "./routing/translation-registry.ts";
import { type SettleDeps, settle } from "./settle-call.ts";
import { answerInShadow, type ShadowCallDeps } from "./shadow/answer-in-shadow.ts";
import type { StoredResponses } from "./stored-responses/stored-responses.ts";
import { redactSecrets } from "./upstream/redact-secrets.ts";
import { type SendDeps, type SendResult, send } from "./upstream/send.ts";
import {
  addStateNamed,
  buildConnectionFailed,
  isSentOn,
  type LostAnswer,
  type UpstreamError,
} from "./upstream/upstream-error.ts";
import type { UsageAlerts } from "./usage-alerts.ts";
import type { KnownRefusals, RefusalPlace } from "./value-rules/known-refusals.ts";
import { stripConditions } from "./value-rules/member-path.ts";
import { correctRefused } from "./value-rules/refused-members.ts";
import type { ValueRule } from "./value-rules/value-rule.ts";

/** `RelayCallDeps` are what the steps of a call need, and the rooms that may change one. */
export type RelayCallDeps = OverloadDeps &
  CallerDeps &
  ReadingDeps &
  SendDeps &
  ShadowCallDeps &
  AdmissionDeps &
  TryDeps &
  TracingDeps &
  SettleDeps &
  CallRooms &
  CallFrame;

interface CallFrame {
  settings: EstimateSettings & RetrySettings & Pick<RelaySettings, "cacheHitRatio">;
  holds: Pick<LiveHolds, "track">;
  usageAlerts: UsageAlerts;
  refusedCalls: RefusedCalls;
  callMetrics: Pick<CallMetrics, "began" | "refused" | "ended">;
  onError(error: unknown): void;
}

interface CallRooms {
  guards: Guards;
  cachedAnswers: CachedAnswers;
  /** Missing where no contents are kept. */
  bodyKeeper: BodyKeeper | undefined;
  storedResponses: StoredResponses;
  providerStates: ProviderStates;
  reasoningHomes: ReasoningHomes;
  sessionAffinity: SessionAffinity;
  knownRefusals: KnownRefusals;
}

/**
 * `heartbeatBeforeAnswerMs` is the time without any response from the upstream after which a stream
 * begins its heartbeats.
 */
const heartbeatBeforeAnswerMs = 15_000;

/** `ReadCall` says how the request of a call is read; throws `RelayRefused`. */
export type ReadCall = (options: ReadRequestOptions) => Promise<RelayCall> | RelayCall;

export async function relayCall(
  exchange: Exchange,
  format: ClientFormat,
  deps: RelayCallDeps,
  readCall: ReadCall = (options) => readRequest(exchange.request, format, options),
  addressModel?: string,
): Promise<void> {
  exchange.speak(format.errorFormat);
  exchange.learn({ trace: deps.tracing?.begin(exchange.request.headers) });
  deps.callMetrics.began(format.endpoint);
  try {
    refuseWhenOverloaded(deps);
    const { headers, url } = exchange.request;
    const credential = requireCredential(headers, deps.settings.keyPrefix, url);
    const shadow = deps.shadow.current();
    const caller = await authenticate(
      credential,
      deps.apiKeys,
      exchange,
      deps.now(),
      shadow !== undefined,
    );
    const formatFor = (json: unknown): ClientFormat => {
      const own = detectFormat(format, json);
      exchange.speak(own.errorFormat);
      return own;
    };
    const { snapshot } = deps.channels;
    const { hasChoice, channelsBehind, namesNeeded } = snapshot;
    const isServed = (model: string): boolean => channelsBehind(model).length > 0;
    // In a dual run, the other gateway knows who can pay.
    const terms = shadow
      ? freeTerms(exchange, deps)
      : buildChargedByModel(exchange, deps, addressModel);
    const isEstimateRough = deps.settings.isEstimateRough();
    const reading = { formatFor, isEstimateRough, hasChoice, isServed, terms };
    const read = await readCall(reading);
    exchange.learn({ model: read.model });
    if (shadow) return await answerInShadow(shadow, exchange, read, caller, credential, deps);
    const authorized = authorize(caller, read, namesNeeded);
    if (deps.guards.isOn()) await refuseUnpaidCall(authorized, caller, deps);
    const request = deps.guards.isOn()
      ? await deps.guards.inspect(authorized, caller, exchange)
      : authorized;
    const call =
      request.client.endpoint === "response_api"
        ? await deps.storedResponses.withHistory(request, caller)
        : request;
    const preferred =
      call.conversation && (await findPreferred(call, call.conversation, caller.tokenId, deps));
    const state = await deps.providerStates.bind(call, caller, snapshot);
    const admitted = await admitCall(
      exchange,
      addSessionsDue(call, state),
      caller,
      credential,
      deps,
      preferred,
      state,
    );
    if (caller.bodies !== "") deps.bodyKeeper?.watch(exchange, call, caller);
    if (!(deps.cachedAnswers.isOn() && (await serveCached(admitted, deps))))
      await serve(admitted, deps);
  } catch (error) {
    const refusal = buildRefusal(error, deps.onError);
    exchange.refuse(refusal);
    deps.refusedCalls.record(exchange, error);
    deps.callMetrics.refused(format.endpoint, readRefusalReason(refusal), refusal.budget);
  } finally {
    deps.callMetrics.ended(format.endpoint);
    exchange.facts.admission?.finish(0);
    if (exchange.recorder) deps.bodyKeeper?.ended(exchange);
  }
}

/**
 * `findPreferred` says where the conversation was answered last: the account that signed its
 * reasoning, else the one with its prompt cache.
 */
async function findPreferred(
  call: RelayCall,
  conversation: CallConversation,
  tokenId: number,
  {
    reasoningHomes,
    sessionAffinity,
    channels,
  }: Pick<RelayCallDeps, "reasoningHomes" | "sessionAffinity" | "channels">,
): Promise<PreferredChannel | undefined> {
  const home = await reasoningHomes.find(tokenId, call, channels.snapshot);
  return home ?? sessionAffinity.preferredChannel(tokenId, call.model, conversation);
}

/** Answers from the response cache and settles, if it has the answer. */
async function serveCached(admitted: AdmittedCall, deps: RelayCallDeps): Promise<boolean> {
  const { exchange, call, caller, routing, recorder } = admitted;
  const hit = deps.cachedAnswers.answer(
    exchange,
    call,
    caller,
    routing.pin,
    deps.settings.cacheHitRatio(),
  );
  if (!hit) return false;
  await settle(
    exchange,
    recorder.finishCached(exchange.hasClientLeft ? 0 : hit.charge, hit.note),
    deps,
  );
  return true;
}

/**
 * Tries the candidates in order. Every hold that was opened ends here, exactly once, however the
 * call ends.
 */
async function serve(admitted: AdmittedCall, deps: RelayCallDeps): Promise<void> {
  const { exchange, call, recorder } = admitted;
  let upstreamError: UpstreamError | undefined;
  let lostAttempt: LostAttempt | undefined;
  try {
    if (call.isStream && !call.upstream.replies.nonJsonReply)
      exchange.keepAlive(heartbeatBeforeAnswerMs);
    for await (const attempt of buildAttempts(admitted, deps)) {
      upstreamError = undefined;
      if (exchange.hasClientLeft) break;
      const { candidate, channel, key } = attempt;
      recorder.startAttempt(candidate, key);
      const plan = addTraceContext(
        addMarks(planAttempt(attempt, call, deps), attempt),
        attempt,
        exchange,
        deps,
      );
      const sent = await send(deps, plan.call, channel, candidate.cost.model, (upstream) =>
        exchange.onClientLeave(() => upstream.abort("the client left")),
      );
      if ("answer" in sent)
        deps.toldLimits.hear(channel.id, key.index, candidate.model, sent.answer.headers);
      const error =
        "error" in sent ? sent.error : await deliver(sent, attempt, plan, admitted, deps);
      if (!error) return;
      if (exchange.hasClientLeft) break;
      const revision = reviseRefused(plan.call, error, attempt);
      if (revision && attempt.revise(revision)) {
        recorder.failAttempt(error);
        if (revision.rule) exchange.note(composeCorrectionNote(revision.rule));
        continue;
      }
      upstreamError = addStateNamed(error, namesState(call));
      failAttempt(attempt, upstreamError, admitted, deps);
      if (upstreamError.lost) {
        const isSentAgain = lostAttempt === undefined && deps.settings.sendsLostCallsAgain();
        lostAttempt = { candidate, error: upstreamError, lost: upstreamError.lost };
        if (!isSentAgain) break;
      } else if (!isSentOn(upstreamError, deps.settings.retryStatuses(), namesState(call))) {
        if (!mayOtherModelHelp(upstreamError, admitted)) break;
        attempt.giveUpModel();
      }
    }
    // Other calls used up what was left of budgets or limits.
    if (!upstreamError && !exchange.hasClientLeft)
      upstreamError =
        findFullChannels(recorder.listSkipped(), call.model, deps.now()) ??
        (await readChannelLimitError(admitted, deps));
  } catch (error) {
    deps.onError(error);
    upstreamError = { ...buildConnectionFailed("internal error"), refusal: internalError };
    recorder.failAttempt(upstreamError);
  }
  if (upstreamError) exchange.refuse(upstreamError.refusal);
  const settlement = lostAttempt
    ? await readSettlementOfLost(lostAttempt, admitted, deps)
    : recorder.finishUnanswered(upstreamError);
  await settle(exchange, settlement, deps);
}

function planAttempt(attempt: ChannelAttempt, call: RelayCall, deps: RelayCallDeps): UpstreamPlan {
  const { candidate, channel, revised } = attempt;
  const { model } = candidate.cost;
  const planned = planUpstreamCall(
    placeCall(call, candidate),
    channel.urlsFor(model),
    model,
    channel.type,
  );
  const plan = call.storeAs ? deps.storedResponses.recording(planned) : planned;
  if (revised)
    return addLost(
      { ...plan, call: revised.call },
      revised.rule && revised.isLost ? [revised.rule.member] : [],
    );
  const { call: sent, lost } = deps.knownRefusals.apply(
    plan.call,
    readRefusalPlace(attempt, plan.call),
  );
  return sent === plan.call ? plan : addLost({ ...plan, call: sent }, lost);
}

/** The operator may want marks for the prompt cache where a client sets none. */
function addMarks(
  plan: UpstreamPlan,
  { candidate: { cost }, channel }: ChannelAttempt,
): UpstreamPlan {
  if (channel.settings.config.mark_prompt_cache !== true || plan.call.form) return plan;
  const marked = setPromptMarks(
    plan.call.body,
    plan.call.upstream.endpoint,
    cost.model,
    cost.price.rates,
  );
  return marked
    ? { ...plan, call: { ...plan.call, body: marked.body }, marks: marked.marks }
    : plan;
}

/** The plan with members of its request that are left out since it was made. */
const addLost = (plan: UpstreamPlan, members: readonly string[]): UpstreamPlan => {
  const nameFor = plan.clientName ?? ((path: string) => path);
  const names = members
    .map((member) => nameFor(stripConditions(member)))
    .filter((name) => name !== null);
  return names.length === 0
    ? plan
    : { ...plan, dropped: [...new Set([...plan.dropped, ...names])].toSorted() };
};

const readRefusalPlace = (
  { candidate: { cost }, channel }: ChannelAttempt,
  { upstream }: RelayCall,
): RefusalPlace => ({
  channelId: channel.id,
  channelType: channel.type,
  host: channel.urlsFor(cost.model)[upstream.endpoint]?.hostname,
  model: cost.model,
});

/** Two keys of one account show no more than one. */
const nameOwner = ({ userId, tokenId }: RelayCaller): string =>
  userId > 0 ? `user ${userId}` : `key ${tokenId}`;

const composeCorrectionNote = ({ id, member }: ValueRule): string =>
  `The provider refused ${stripConditions(member)}; the request was sent once more in a form that it takes (rule ${id})`;

/** The provider learns of the trace where the operator lets it. */
function addTraceContext(
  plan: UpstreamPlan,
  attempt: ChannelAttempt,
  exchange: Exchange,
  deps: TracingDeps,
): UpstreamPlan {
  const traced = buildTracedCall(plan.call, attempt, exchange, deps);
  return traced === plan.call ? plan : { ...plan, call: traced };
}

/** Answers the client and settles the call, or returns why another channel may still answer. */
async function deliver(
  { answer, framing }: Extract<SendResult, { answer: unknown }>,
  attempt: ChannelAttempt,
  plan: UpstreamPlan,
  { exchange, call, caller, recorder, routing }: AdmittedCall,
  deps: RelayCallDeps,
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
  if (plan.marks) exchange.note(composeMarksNote(plan.marks, result.usage, cost.frozen));
  const endedAt = Date.now();
  const counted = result.uncounted
    ? await addCountedUsage(result, call, cost.model, deps.tokenCounting)
    : result;
  const settlement = recorder.finish(candidate, counted, endedAt);
  if (exchange.recorder && result.outcome === "success")
    deps.cachedAnswers.keep(exchange, settlement.charge);
  await settle(exchange, settlement, deps);
  await keeper?.countContext(settlement.log.prompt_tokens + settlement.log.completion_tokens);
  return undefined;
}

/** A key that may use the virtual model may use the ids in its answers. */
const asRequested = (call: RelayCall): RelayCall =>
  call.requestedModel === undefined ? call : { ...call, model: call.requestedModel };

/** Another target of a virtual model may have a larger context, or accept what this one refused. */
function mayOtherModelHelp(
  { requestFault }: UpstreamError,
  { call, choice: { routed } }: AdmittedCall,
): boolean {
  if (!routed || namesState(call)) return false;
  return (
    requestFault === "context" || (requestFault === "content" && routed.retries_refused_content)
  );
}

/**
 * The request in a form that this channel may take: without the reasoning of earlier turns, which
 * another account signed, or with the member corrected that the refusal names.
 */
function reviseRefused(
  call: RelayCall,
  { status, refusal, reported }: UpstreamError,
  attempt: ChannelAttempt,
): Revision | undefined {
  if (status !== 400) return undefined;
  const { message, param } = refusal;
  if (isReasoningRejected({ status, message, code: reported?.code ?? null })) {
    const unsigned = stripEarlierReasoning(call);
    return unsigned && { call: unsigned };
  }
  return correctRefused(
    call,
    { status, message, param },
    attempt.candidate.cost.model,
    readRefusalPlace(attempt, call),
  );
}

/** An attempt whose provider took the whole request and may have done the work. */
interface LostAttempt {
  candidate: ChannelCandidate;
  error: UpstreamError;
  lost: LostAnswer;
}

async function readSettlementOfLost(
  { candidate, error, lost }: LostAttempt,
  { call, recorder }: AdmittedCall,
  { tokenCounting }: Pick<RelayCallDeps, "tokenCounting">,
): Promise<CallSettlement> {
  const result = buildLostAnswerResult(call, candidate.cost, error, lost);
  const endedAt = Date.now();
  return recorder.finish(
    candidate,
    await addCountedUsage(result, call, candidate.cost.model, tokenCounting),
    endedAt,
  );
}

/**
 * `namesState` says whether the request names something that one provider keeps: an earlier
 * response, a file, or an id of an unknown kind.
 */
const namesState = ({ refersTo, namesItems, unseen }: AdmittedCall["call"]): boolean =>
  refersTo !== undefined ||
  namesItems === true ||
  [unseen?.stored_state, unseen?.file, unseen?.unknown_id].some(
    (count) => count !== undefined && count > 0,
  );

async function readChannelLimitError(
  { choice, routing: { model, tokenId } }: AdmittedCall,
  { channelLimits }: Pick<RelayCallDeps, "channelLimits">,
): Promise<UpstreamError> {
  const channels = choice.candidates.map(({ channel }) => channel);
  const waits = await channelLimits.waitsFor(tokenId, channels);
  const waitMs = Math.min(...channels.map(({ id }) => waits.get(id) ?? 0));
  const reason = describeReason({ reason: "limit_reached" });
  return {
    status: 429,
    isRetryable: false,
    reason,
    publicReason: reason,
    refusal: refuseKeyRateLimited(model, waitMs).refusal,
  };
}
