/**
 * Chooses the channels to try for a call to a virtual model: those of its targets, in the order of
 * the targets. Pure.
 */
import { listTargets } from "../../catalogue/models/virtual-model-rules.ts";
import {
  modelNotFoundCode,
  RelayRefused,
  refuseBadRequest,
  refuseDenied,
  refuseModelNotFound,
  refuseNoUsableChannel,
} from "../wire/relay-refusal.ts";
import { formatGroupsText } from "./channel-groups.ts";
import type { ChannelSnapshot } from "./channel-table.ts";
import {
  type ChannelCandidate,
  type ChannelChoice,
  chooseChannels,
  NoChannel,
  type RoutingRequest,
} from "./choose-channels.ts";
import { candidatesMax, type RoutingState } from "./order-channels.ts";
import type { RoutedName } from "./routed-name.ts";
import { computeSeconds } from "./routing-reasons.ts";
import { type OrderedTarget, orderTargets, type TargetMeasures } from "./target-order.ts";

/** Throws `NoChannel` when no channel of any target can be tried. */
export function chooseTargets(
  request: RoutingRequest,
  routed: RoutedName,
  snapshot: ChannelSnapshot,
  state: RoutingState,
  measures: Omit<TargetMeasures, "estimatedCost">,
  now: number,
  random: () => number,
): ChannelChoice {
  const models = [...new Set(listTargets(routed))];
  if (isEmbedding(request) && models.length > 1) throw refuseVectorsWouldMix(routed.name);
  const refusals = new Map<string, RelayRefused>();
  const choices = new Map<string, ChannelChoice>();
  for (const model of models) {
    try {
      choices.set(model, chooseChannels({ ...request, model }, snapshot, state, now, random));
    } catch (error) {
      if (!(error instanceof RelayRefused)) throw error;
      refusals.set(model, error);
    }
  }
  const estimatedCost = (model: string): number | undefined => {
    const first = choices.get(model)?.candidates[0];
    return first && request.estimateAt?.(first.cost);
  };
  const targets = orderTargets(
    routed.tiers,
    { firstContentMs: measures.firstContentMs, runningCalls: measures.runningCalls, estimatedCost },
    { random, stickyId: findStickyId(request, routed) },
  );
  const ready: ChannelCandidate[] = [];
  const lastResort: ChannelCandidate[] = [];
  const excluded: ChannelChoice["excluded"] = [];
  for (const target of targets) {
    const choice = choices.get(target.model);
    const refusal = refusals.get(target.model);
    for (const candidate of choice?.candidates ?? []) {
      const list = isLastResort(candidate) ? lastResort : ready;
      list.push({ ...candidate, target });
    }
    const left = choice?.excluded ?? (refusal instanceof NoChannel ? refusal.excluded : []);
    excluded.push(...left.map((one) => ({ ...one, target })));
  }
  const ordered = [...ready, ...lastResort];
  if (ordered.length === 0) throw buildNoTarget(request, routed, targets, refusals, excluded);
  for (const { channel, target } of ordered.slice(candidatesMax)) {
    excluded.push({ channel, reason: { reason: "attempts_used_up" }, ...(target && { target }) });
  }
  return { candidates: ordered.slice(0, candidatesMax), excluded, routed };
}

/** `isLastResort` is as among channels: a channel that just failed comes after all others. */
const isLastResort = ({ reason: { reason } }: ChannelCandidate): boolean =>
  reason === "on_trial" || reason === "last_resort";

const isEmbedding = ({ endpoint }: RoutingRequest): boolean =>
  endpoint === "embeddings" || endpoint === "gemini_embeddings";

/** Vectors of two models cannot be compared, even where they are equally long. */
const refuseVectorsWouldMix = (name: string): RelayRefused =>
  refuseBadRequest(
    "model_not_supported",
    `The model ${name} stands for several models, whose vectors cannot be compared. Name one of them for embeddings`,
    "model",
  );

/** Undefined where each call is drawn anew, also where it belongs to no conversation. */
function findStickyId(
  { tokenId, userId, conversationId }: RoutingRequest,
  { sticky, seed }: RoutedName,
) {
  switch (sticky) {
    case "none":
      return undefined;
    case "conversation":
      return conversationId === undefined
        ? undefined
        : `${seed} conversation ${userId} ${conversationId}`;
    case "user":
      return `${seed} user ${userId}`;
    case "key":
      return `${seed} key ${tokenId}`;
  }
}

/** `buildNoTarget` names reasons that blame the request first, then those that waiting helps. */
function buildNoTarget(
  { groups }: RoutingRequest,
  { name }: RoutedName,
  targets: readonly OrderedTarget[],
  refusals: ReadonlyMap<string, RelayRefused>,
  excluded: ChannelChoice["excluded"],
): NoChannel {
  const all = targets.flatMap(({ model }) => refusals.get(model) ?? []);
  const waitsMs = all.flatMap(({ refusal }) =>
    refusal.status === 429 ? [(refusal.retryAfter ?? 1) * 1_000] : [],
  );
  const isMissing = ({ refusal: { code } }: RelayRefused): boolean => code === modelNotFoundCode;
  if (all.length > 0 && all.every(isMissing))
    return new NoChannel(refuseModelNotFound(name), excluded);
  const ofRequest = all.find(
    (one) => one.refusal.status !== 429 && one.refusal.status !== 503 && !isMissing(one),
  );
  if (ofRequest) return new NoChannel(ofRequest, excluded);
  const message = `No channel is available for any target of the model ${name} in the ${formatGroupsText(groups)}`;
  if (waitsMs.length === 0) return new NoChannel(refuseNoUsableChannel(message), excluded);
  const waitS = Math.max(1, computeSeconds(Math.min(...waitsMs)));
  return new NoChannel(
    refuseDenied(429, `Every target of the model ${name} is rate limited`, waitS),
    excluded,
  );
}
