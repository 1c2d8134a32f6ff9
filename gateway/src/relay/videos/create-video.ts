/**
 * `POST /v1/videos` and `/v1/videos/{id}/remix`: checked and held for as a call, and made after the
 * response.
 */
import {
  type ApiKeyCredential,
  authenticate,
  authorize,
  requireCredential,
} from "../admission/authenticate.ts";
import type {
  CallerFunds,
  CallerIdentity,
  CallerReach,
  KeyRules,
} from "../admission/caller-parts.ts";
import { admitWithinLimits } from "../admission/token-limits.ts";
import type { FrameDeps } from "../call-refusals.ts";
import { refuseWhenOverloaded } from "../call-refusals.ts";
import { runAsCreation } from "../creations/as-creation.ts";
import { sendJson } from "../endpoints/json-endpoint.ts";
import type { KnownCall, ReplyToClient, SentAnswer, StreamToClient } from "../exchange-parts.ts";
import type { ClientFormat } from "../formats/api-format.ts";
import { buildMeasuresAsked, buildRemix, type VideoMeasures, videos } from "../formats/videos.ts";
import type { Guards } from "../guards/guards.ts";
import type { ObjectHome } from "../provider-states/provider-states.ts";
import { readRequest } from "../read-request.ts";
import { buildChargedByModel, type ReadingDeps, refuseUnpaidCall } from "../refuse-unpaid.ts";
import type { EstimateSettings, RoutingSettings } from "../relay-settings.ts";
import { buildRoutingRequest, type RoutingDeps, routeCall } from "../route-call.ts";
import type { ObjectRequestDeps } from "../stored-files/admit-object-request.ts";
import { type BeginVideoDeps, beginVideo } from "./begin-video.ts";
import { readFinishedVideo } from "./own-video.ts";
import { buildMeasures, buildVideo } from "./video-object.ts";

export type VideoDeps = BeginVideoDeps &
  FrameDeps &
  ObjectRequestDeps &
  ReadingDeps &
  RoutingDeps & {
    settings: RoutingSettings & EstimateSettings;
    guards: Guards;
  };

/** `VideoSource` is what a request for a video may be made of. */
interface VideoSource {
  format: ClientFormat;
  /**
   * `remixed` is that of a remix: the video that it is made from, and the account that keeps that
   * one.
   */
  remixed?: { id: string; home: ObjectHome; measures: VideoMeasures };
}

export const createVideo = (
  exchange: KnownCall & ReplyToClient & StreamToClient & SentAnswer,
  deps: VideoDeps,
): Promise<void> => asCall(exchange, deps, () => Promise.resolve({ format: videos }));

export const remixVideo = (
  exchange: KnownCall & ReplyToClient & StreamToClient & SentAnswer,
  id: string,
  deps: VideoDeps,
): Promise<void> =>
  asCall(exchange, deps, async (caller) => {
    const { row, home } = await readFinishedVideo(caller, id, deps);
    const video = buildVideo(row);
    const measures = buildMeasures(video);
    const format = buildRemix(row.upstream_id ?? "", String(video.model), measures);
    return { format, remixed: { id, home, measures } };
  });

const asCall = (
  exchange: KnownCall & ReplyToClient & StreamToClient & SentAnswer,
  deps: VideoDeps,
  sourceFor: (caller: CallerIdentity & CallerReach) => Promise<VideoSource>,
): Promise<void> =>
  runAsCreation(videos.endpoint, async () => {
    refuseWhenOverloaded(deps);
    const { headers, url } = exchange.request;
    const credential = requireCredential(headers, deps.settings.keyPrefix, url);
    const caller = await authenticate(credential, deps.apiKeys, exchange, deps.now());
    await makeVideo(exchange, { caller, credential }, await sourceFor(caller), deps);
  })(exchange, deps);

/** Throws `RelayRefused` before anything is held. */
async function makeVideo(
  exchange: KnownCall & ReplyToClient & StreamToClient & SentAnswer,
  {
    caller,
    credential,
  }: {
    caller: CallerIdentity & CallerReach & CallerFunds & KeyRules;
    credential: ApiKeyCredential;
  },
  { format, remixed }: VideoSource,
  deps: VideoDeps,
): Promise<void> {
  const { channels, settings, guards } = deps;
  const { channelsBehind, namesNeeded } = channels.snapshot;
  const read = await readRequest(exchange.request, format, {
    formatFor: () => format,
    isEstimateRough: settings.isEstimateRough(),
    // A video continues no conversation.
    hasChoice: () => false,
    isServed: (model) => channelsBehind(model).length > 0,
    terms: buildChargedByModel(exchange, deps),
  });
  exchange.learn({ model: read.model });
  const authorized = authorize(caller, read, namesNeeded);
  if (guards.isOn()) await refuseUnpaidCall(authorized, caller, deps);
  const call = guards.isOn() ? await guards.inspect(authorized, caller, exchange) : authorized;
  const routing = {
    ...buildRoutingRequest(call, caller, credential.pin, settings),
    ...(remixed && { state: bindHome(remixed.home) }),
  };
  const choice = await routeCall(routing, deps);
  await admitWithinLimits(exchange, caller, 0, deps);
  const measures = remixed?.measures ?? buildMeasuresAsked(call);
  const remixedFrom = remixed?.id ?? null;
  const video = await beginVideo(
    { exchange, call, caller, routing, choice, measures, remixedFrom },
    deps,
  );
  if (video) sendJson(exchange, video);
}

/** A remix goes to the account that keeps what it is made from. */
const bindHome = ({ channel, key }: ObjectHome) => ({
  contextTokens: [],
  mayReceive: ({ id }: { id: number }) => id === channel.id,
  keyFor: () => key,
});
