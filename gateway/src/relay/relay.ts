/** The life of one relayed call, top to bottom. */

import { authenticate, authorize, requireCredential } from "./admission/authenticate.ts";
import { type AdmissionDeps, type AdmittedCall, admitCall } from "./admit-call.ts";
import { addSessionsDue } from "./answer/started-containers.ts";
import type { CachedAnswers } from "./cached-answers/cached-answers.ts";
import type { BodyKeeper } from "./call-bodies/body-keeper.ts";
import {
  type FrameDeps,
  type OverloadDeps,
  refuseCall,
  refuseWhenOverloaded,
} from "./call-refusals.ts";
import type { CallerDeps } from "./endpoints/json-endpoint.ts";
import type { Exchange } from "./exchange.ts";
import type { ClientFormat, RelayCall } from "./formats/api-format.ts";
import type { AskedModel, RoutingNeeds, SentBody } from "./formats/call-parts.ts";
import { detectFormat } from "./formats/detect-format.ts";
import type { Guards } from "./guards/guards.ts";
import type { ProviderStates } from "./provider-states/provider-states.ts";
import { freeTerms } from "./read-body.ts";
import { type ReadRequestOptions, readRequest } from "./read-request.ts";
import { buildChargedByModel, type ReadingDeps, refuseUnpaidCall } from "./refuse-unpaid.ts";
import type { EstimateSettings, RelaySettings } from "./relay-settings.ts";
import type { CallConversation, PreferredChannel } from "./routing/session-affinity.ts";
import { type ServeDeps, serveCall } from "./serve-call.ts";
import { settle } from "./settle-call.ts";
import { answerInShadow, type ShadowCallDeps } from "./shadow/answer-in-shadow.ts";
import type { StoredResponses } from "./stored-responses/stored-responses.ts";

/** `RelayCallDeps` are what the steps of a call need, each its own, and the rooms that may end one. */
export type RelayCallDeps = OverloadDeps &
  CallerDeps &
  ReadingDeps &
  ShadowCallDeps &
  AdmissionDeps &
  ServeDeps &
  FrameDeps &
  CallRooms & {
    settings: EstimateSettings & Pick<RelaySettings, "cacheHitRatio">;
  };

interface CallRooms {
  guards: Guards;
  cachedAnswers: CachedAnswers;
  /** Missing where no contents are kept. */
  bodyKeeper: BodyKeeper | undefined;
  storedResponses: StoredResponses;
  providerStates: ProviderStates;
}

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
      await serveCall(admitted, deps);
  } catch (error) {
    refuseCall(exchange, format.endpoint, error, deps);
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
  call: AskedModel & RoutingNeeds & SentBody,
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
