/** `POST /v1/videos` and `/v1/videos/{id}/remix`: checked and held for as a call, and made after the response. */
import type { RelayCaller } from "../admission/api-keys.ts";
import { type ApiKeyCredential, authenticate, authorize, requireCredential } from "../admission/authenticate.ts";
import { admit } from "../admission/token-limits.ts";
import { refusalOf, refusalReason, refuseWhenOverloaded } from "../admit-call.ts";
import { sendJson } from "../endpoints/json-endpoint.ts";
import type { Exchange } from "../exchange.ts";
import type { ClientFormat } from "../formats/api-format.ts";
import { measuresAsked, remixOf, type VideoMeasures, videos } from "../formats/videos.ts";
import { readRequest } from "../read-request.ts";
import { chargedByModel, refuseUnpaidCall } from "../refuse-unpaid.ts";
import type { RelayDeps } from "../relay-deps.ts";
import { routeCall, routingRequestFor } from "../route-call.ts";
import type { ObjectHome } from "../stored-files/provider-objects.ts";
import { beginVideo } from "./begin-video.ts";
import { finishedVideo } from "./own-video.ts";
import { measuresOf, videoOf } from "./video-object.ts";

/** What a request for a video may be made of. */
interface VideoSource {
  format: ClientFormat;
  /** Of a remix: the video that it is made from, and the account that keeps that one. */
  remixed?: { id: string; home: ObjectHome; measures: VideoMeasures };
}

export const createVideo = (exchange: Exchange, deps: RelayDeps): Promise<void> =>
  asCall(exchange, deps, () => Promise.resolve({ format: videos }));

export const remixVideo = (exchange: Exchange, id: string, deps: RelayDeps): Promise<void> =>
  asCall(exchange, deps, async (caller) => {
    const { row, home } = await finishedVideo(caller, id, deps);
    const video = videoOf(row);
    const measures = measuresOf(video);
    const format = remixOf(row.upstream_id ?? "", String(video.model), measures);
    return { format, remixed: { id, home, measures } };
  });

async function asCall(
  exchange: Exchange,
  deps: RelayDeps,
  sourceFor: (caller: RelayCaller) => Promise<VideoSource>,
): Promise<void> {
  const { callMetrics, settings, apiKeys } = deps;
  callMetrics.began(videos.endpoint);
  try {
    refuseWhenOverloaded(deps);
    const { headers, url } = exchange.request;
    const credential = requireCredential(headers, settings.keyPrefix, url);
    const caller = await authenticate(credential, apiKeys, exchange, deps.now());
    await makeVideo(exchange, { caller, credential }, await sourceFor(caller), deps);
  } catch (error) {
    const refusal = refusalOf(error, deps.onError);
    exchange.refuse(refusal);
    deps.refusedCalls.record(exchange, error);
    callMetrics.refused(videos.endpoint, refusalReason(refusal), refusal.budget);
  } finally {
    callMetrics.ended(videos.endpoint);
    exchange.admission?.finish(0);
  }
}

/** Throws `RelayRefused` before anything is held. */
async function makeVideo(
  exchange: Exchange,
  { caller, credential }: { caller: RelayCaller; credential: ApiKeyCredential },
  { format, remixed }: VideoSource,
  deps: RelayDeps,
): Promise<void> {
  const { channels, settings, guards, counters, now } = deps;
  const { channelsBehind, namesNeeded } = channels.snapshot;
  const read = await readRequest(exchange.request, format, {
    formatFor: () => format,
    isEstimateRough: settings.isEstimateRough(),
    // A video continues no conversation.
    hasChoice: () => false,
    isServed: (model) => channelsBehind(model).length > 0,
    terms: chargedByModel(exchange, deps),
  });
  exchange.model = read.model;
  const authorized = authorize(caller, read, namesNeeded);
  if (guards.isOn()) await refuseUnpaidCall(authorized, caller, deps);
  const call = guards.isOn() ? await guards.inspect(authorized, caller, exchange) : authorized;
  const routing = {
    ...routingRequestFor(call, caller, credential.pin, settings),
    ...(remixed && { state: boundTo(remixed.home) }),
  };
  const choice = await routeCall(routing, deps);
  const { tokenId, limits } = caller;
  if (limits) exchange.admission = await admit({ id: exchange.id, tokenId, limits, promptEstimate: 0 }, counters, now);
  const measures = remixed?.measures ?? measuresAsked(call);
  const remixedFrom = remixed?.id ?? null;
  const video = await beginVideo({ exchange, call, caller, routing, choice, measures, remixedFrom }, deps);
  if (video) sendJson(exchange, video);
}

/** A remix goes to the account that keeps what it is made from. */
const boundTo = ({ channel, key }: ObjectHome) => ({
  contextTokens: [],
  mayReceive: ({ id }: { id: number }) => id === channel.id,
  keyFor: () => key,
});
