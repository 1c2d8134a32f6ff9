/** The life of one relayed call, top to bottom. */
import type { BodyMemoryBudget } from "../http/body-memory-budget.ts";
import type { Counters } from "../limits/counters.ts";
import type { LiveHolds } from "../money/live-holds.ts";
import { groupRatioOf, lowestGroupRatio } from "../money/price-book.ts";
import { StorageUnavailable } from "../storage/database.ts";
import type { ApiKeys, RelayCaller } from "./admission/api-keys.ts";
import { type ApiKeyCredential, authenticate, credentialOf } from "./admission/authenticate.ts";
import { authorize } from "./admission/authorize.ts";
import { admit } from "./admission/token-limits.ts";
import { withCountedUsage } from "./answer/counted-usage.ts";
import { respond, type UsageMeter } from "./answer/respond.ts";
import { CallRecorder, type CallSettlement, type CallSummary, summaryOf } from "./call-recorder.ts";
import type { TokenCounting } from "./counting/token-counting.ts";
import type { ReadBalance } from "./endpoints/billing.ts";
import type { Exchange } from "./exchange.ts";
import type { ClientFormat, RelayCall } from "./formats/api-format.ts";
import { detectFormat } from "./formats/detect-format.ts";
import { extrasInPriceUnit } from "./formats/media-usage.ts";
import { answerTokens, holdAmount } from "./formats/token-estimate.ts";
import { readRequest } from "./read-request.ts";
import type { RelaySettings } from "./relay-settings.ts";
import { type AttemptDeps, type AttemptOptions, attempts } from "./routing/attempts.ts";
import type { RelayChannel, RelayChannelTable } from "./routing/channel-table.ts";
import {
  type ChannelCandidate,
  type ChannelChoice,
  chooseChannels,
  keyRateLimited,
  limitReached,
  type RoutingRequest,
} from "./routing/choose-channels.ts";
import type { PreferredChannel, SessionAffinity } from "./routing/session-affinity.ts";
import { planUpstreamCall } from "./routing/translation-registry.ts";
import type { StoredResponses } from "./stored-responses/stored-responses.ts";
import { redactSecrets } from "./upstream/redact-secrets.ts";
import { type SendDeps, send } from "./upstream/send.ts";
import { connectionFailed, type UpstreamError } from "./upstream/upstream-error.ts";
import { denied, overloaded, type RelayRefusal, RelayRefused } from "./wire/relay-refusal.ts";

export interface RelayDeps extends SendDeps, AttemptDeps {
  apiKeys: ApiKeys;
  channels: RelayChannelTable;
  holds: LiveHolds;
  sessionAffinity: SessionAffinity;
  storedResponses: StoredResponses;
  /** Whether the process is short of something, so that no new call may begin. */
  isOverloaded(): boolean;
  /** For the bodies of all calls. */
  bodyMemoryBudget: BodyMemoryBudget;
  counters: Counters;
  tokenCounting: TokenCounting;
  settings: RelaySettings;
  readBalance: ReadBalance;
  random(): number;
  onError(error: unknown): void;
  /** An upstream answered with an error: it, or the one of its keys, may have to be taken out of service. */
  onUpstreamError(channelId: number, keyPlace: number, refusal: { status: number; type: string; code: unknown }): void;
  /** Every call that was admitted, once, when it has ended. */
  onCallEnd(ended: CallSummary): void;
}

/** A stream whose upstream has not answered at all begins its heartbeats after this long. */
const heartbeatBeforeAnswerMs = 15_000;

export async function relayCall(exchange: Exchange, format: ClientFormat, deps: RelayDeps): Promise<void> {
  exchange.errorFormat = format.errorFormat;
  try {
    refuseWhenOverloaded(deps);
    const credential = credentialOf(exchange.request.headers, deps.settings.keyPrefix, exchange.request.url);
    if (!credential) throw denied(401, "No API key was given; send it as Authorization: Bearer sk-…");
    const caller = await authenticate(credential, deps.apiKeys, exchange.address, deps.now());
    const formatFor = (json: unknown): ClientFormat => {
      const own = detectFormat(format, json);
      exchange.errorFormat = own.errorFormat;
      return own;
    };
    const { hasChoice } = deps.channels.snapshot;
    const reserve = deps.bodyMemoryBudget.reserveUntilClosed(exchange.response);
    const reading = {
      formatFor,
      isEstimateRough: deps.settings.isEstimateRough(),
      hasChoice,
      reserve,
    };
    const request = authorize(caller, await readRequest(exchange.request, format, reading));
    const call = await deps.storedResponses.withHistory(request, caller);
    const preferred = deps.sessionAffinity.preferredChannel(caller.tokenId, call.model, call.conversation);
    const routingRequest = routingRequestFor(call, caller, credential.pin, deps.settings, preferred);
    const choice = await routeCall(routingRequest, deps);
    const recorder = new CallRecorder(exchange, caller, call, choice);
    await openHold(exchange, { call, caller, credential, choice, recorder }, deps);
    await serve(exchange, call, choice.candidates, { ...routingRequest, preferred }, recorder, deps);
  } catch (error) {
    exchange.refuse(refusalOf(error, deps.onError));
  } finally {
    exchange.admission?.finish(0);
  }
}

/** Throws `RelayRefused`, before a key is looked up or a body is read: what cannot be served must cost nothing. */
export function refuseWhenOverloaded({ isOverloaded }: Pick<RelayDeps, "isOverloaded">): void {
  if (isOverloaded()) throw new RelayRefused(overloaded);
}

/** Throws `RelayRefused` when no channel can be tried. */
export async function routeCall(
  routingRequest: RoutingRequest,
  { channels, breakers, channelLimits, now, random }: RelayDeps,
): Promise<ChannelChoice> {
  const { snapshot } = channels;
  const waits = await channelLimits.waitsFor(routingRequest.tokenId, snapshot.channelsFor(routingRequest.model));
  return chooseChannels(routingRequest, snapshot, { breakers, waits }, now(), random);
}

interface AdmittedCall {
  call: RelayCall;
  caller: RelayCaller;
  credential: ApiKeyCredential;
  choice: ChannelChoice;
  recorder: CallRecorder;
}

/** Throws `RelayRefused` when the key has reached a limit, or its quota or the balance does not cover the call. */
export async function openHold(
  exchange: Exchange,
  { call, caller, credential, choice, recorder }: AdmittedCall,
  { holds, apiKeys, settings, counters, now }: RelayDeps,
): Promise<void> {
  const { tokenId, limits } = caller;
  if (limits) {
    const admissionRequest = { id: exchange.id, tokenId, limits, promptEstimate: call.promptEstimate };
    exchange.admission = await admit(admissionRequest, counters, now);
  }
  const held = await holds.open({
    id: exchange.id,
    walletId: caller.walletId,
    userId: caller.userId,
    tokenId: caller.tokenId,
    tokenIsUnlimited: caller.isUnlimited,
    amount: Math.max(
      ...choice.candidates.map((candidate) => holdUnitsFor(call, candidate, settings.addedHoldTokens())),
    ),
    snapshot: JSON.stringify(recorder.snapshot),
  });
  if (held === "held") return;
  apiKeys.invalidate(credential.key);
  throw new RelayRefused(quotaRefusals[held]);
}

/** Tries the candidates in turn. Every hold that was opened ends here, exactly once, however the call ends. */
async function serve(
  exchange: Exchange,
  call: RelayCall,
  candidates: ChannelCandidate[],
  routingRequest: AttemptOptions,
  recorder: CallRecorder,
  deps: RelayDeps,
): Promise<void> {
  const { holds } = deps;
  let upstreamError: UpstreamError | undefined;
  try {
    if (call.isStream && !call.upstream.replies.nonJsonReply) exchange.keepAlive(heartbeatBeforeAnswerMs);
    const onSkip = (candidate: ChannelCandidate, reason: string): void => recorder.skip(candidate, reason);
    for await (const attempt of attempts(candidates, routingRequest, deps, onSkip)) {
      if (exchange.hasClientLeft) {
        upstreamError = undefined;
        break;
      }
      const { candidate, channel, key } = attempt;
      const { cost } = candidate;
      recorder.startAttempt(candidate, key);
      const plan = deps.storedResponses.recording(planUpstreamCall(call, channel.urlsFor(cost.model), cost.model));
      const sent = await send(deps, plan.call, channel, cost.model, (upstream) =>
        exchange.onClientLeave(() => upstream.abort("the client left")),
      );
      if ("answer" in sent) {
        recorder.upstreamAnswered(sent.answer.status, sent.answer.answeredAt);
        const onMeter = (meter: UsageMeter): void =>
          holds.track(exchange.id, {
            channelId: channel.id,
            channelName: channel.name,
            model: cost.model,
            price: cost.frozen,
            ...meter,
          });
        const responded = await respond(exchange, sent.answer, plan, cost, onMeter, sent.framing);
        if ("result" in responded) {
          exchange.admission?.releaseSlot();
          if (responded.result.outcome === "success") {
            attempt.succeeded();
            const by = { channelId: channel.id, keyIndex: key.index };
            deps.sessionAffinity.remember(routingRequest.tokenId, call.model, call.conversation, by);
          }
          const endedAt = Date.now();
          const result = await withCountedUsage(responded.result, call, cost.model, deps.tokenCounting);
          return await settle(exchange, recorder.finish(candidate, result, endedAt), deps);
        }
        upstreamError = redactSecrets(responded.error, ...sent.answer.secrets);
        // Some providers say inside a good answer that their short-lived secret has ended.
        if (upstreamError.status === 401) deps.providerTokens.invalidate(channel);
      } else upstreamError = sent.error;

      if (exchange.hasClientLeft) {
        upstreamError = undefined;
        break;
      }
      recorder.failAttempt(upstreamError);
      if (upstreamError.reported)
        deps.onUpstreamError(channel.id, key.index, { status: upstreamError.status, ...upstreamError.reported });
      attempt.failed(upstreamError);
      if (!upstreamError.isRetryable) break;
    }
    // Other calls of the same key took what was left of the limits.
    if (!upstreamError && !exchange.hasClientLeft)
      upstreamError = await channelLimitError(call, candidates, routingRequest, deps);
  } catch (error) {
    deps.onError(error);
    upstreamError = { ...connectionFailed("internal error"), refusal: internalError };
    recorder.failAttempt(upstreamError);
  }
  if (upstreamError) exchange.refuse(upstreamError.refusal);
  await settle(exchange, recorder.finishUnanswered(upstreamError), deps);
}

async function channelLimitError(
  { model }: RelayCall,
  candidates: ChannelCandidate[],
  { tokenId }: AttemptOptions,
  { channelLimits }: RelayDeps,
): Promise<UpstreamError> {
  const channels = candidates.map(({ channel }) => channel);
  const waits = await channelLimits.waitsFor(tokenId, channels);
  const waitMs = Math.min(...channels.map(({ id }) => waits.get(id) ?? 0));
  return { status: 429, isRetryable: false, reason: limitReached, refusal: keyRateLimited(model, waitMs).refusal };
}

export async function settle(exchange: Exchange, settlement: CallSettlement, deps: RelayDeps): Promise<void> {
  const log = deps.settings.logsContent() ? settlement.log : { ...settlement.log, content: "" };
  // Before the books are written: the next call may be on its way.
  exchange.admission?.finish(log.prompt_tokens + log.completion_tokens);
  await deps.holds.settle({ id: exchange.id, ...settlement, log });
  deps.onCallEnd(summaryOf(log, exchange.requestId));
}

/** What this call wants of a channel. */
export const routingRequestFor = (
  { model, client, refersTo, variant }: RelayCall,
  caller: RelayCaller,
  pin: string | undefined,
  settings: RelayDeps["settings"],
  preferred?: PreferredChannel,
): RoutingRequest => ({
  model,
  endpoint: client.endpoint,
  refersTo,
  variant,
  group: caller.group,
  groupRatioFor: groupRatioFor(caller, settings),
  pin,
  tokenId: caller.tokenId,
  preferredChannelId: preferred?.channelId,
  storesResponses: settings.holdsAnswers(),
  attemptsMax: 1 + settings.retryTimes(),
});

function groupRatioFor({ group }: RelayCaller, settings: RelayDeps["settings"]): (channel: RelayChannel) => number {
  const ratios = settings.groupRatios();
  if (settings.chargesByChannel()) return (channel) => lowestGroupRatio(channel.groups, ratios);
  const own = groupRatioOf(group, ratios);
  return () => own;
}

function holdUnitsFor(call: RelayCall, { cost }: ChannelCandidate, addedTokens: number): number {
  const completion = answerTokens(call.maxOutputTokens, cost.price.max_tokens, call.choiceCount);
  const { price, frozen } = cost;
  const extras = call.extras && extrasInPriceUnit(call.extras, price.rates);
  return holdAmount(price, call.promptEstimate, addedTokens, completion, frozen.group_ratio, extras);
}

const quotaRefusals: Record<"insufficient_user_quota" | "pre_consume_token_quota_failed", RelayRefusal> = {
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

const internalError: RelayRefusal = {
  status: 500,
  type: "internal_error",
  code: "internal_error",
  message: "Something went wrong in the gateway",
};

/** What the caller is told about anything that a step threw. */
export function refusalOf(error: unknown, onError: (error: unknown) => void): RelayRefusal {
  if (error instanceof RelayRefused) return error.refusal;
  onError(error);
  if (error instanceof StorageUnavailable) {
    // Nothing is served unbilled: what cannot be held is refused.
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
