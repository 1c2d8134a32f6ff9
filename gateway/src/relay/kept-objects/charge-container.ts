/**
 * What a container of `/v1/containers` costs: held before its provider is asked, charged once the provider has done it. A container lives until
 * it was unused for 20 minutes, so that its creation is charged that long, and each later use what has passed since.
 */

import { callCost } from "../../money/buying-price.ts";
import { callLogRow } from "../../money/call-log-row.ts";
import { charge, loggedPrice, noUsage, type Usage } from "../../money/price.ts";
import { idTime } from "../../storage/time-ids.ts";
import type { RelayCaller } from "../admission/api-keys.ts";
import { settle } from "../admit-call.ts";
import type { Exchange } from "../exchange.ts";
import { fixedCallSnapshot, holdFixed } from "../hold-fixed.ts";
import type { RelayDeps } from "../relay-deps.ts";
import { groupRatioFor } from "../route-call.ts";
import { ObjectAnswerLost, type ObjectHome } from "../stored-files/provider-objects.ts";
import { noRetryHeaders, RelayRefused } from "../wire/relay-refusal.ts";

const lostMessage = "The provider's answer was lost; it bills the container, which is charged";

/** The name of its price, which operators can state, and of its rows. */
export const containerModel = "container";

interface ContainerWork<Result> {
  /** Held. */
  sessions: number;
  act(): Promise<Result>;
  /** Sessions to charge: 0 where another call has paid them meanwhile. */
  pay?(): Promise<number>;
}

/**
 * Throws `RelayRefused` where wallet, key or a budget do not cover it, and what `act` throws: then nothing is charged, unless the provider's
 * answer was lost, which bills its container all the same.
 */
export async function chargingContainer<Result>(
  exchange: Exchange,
  caller: RelayCaller,
  { channel }: ObjectHome,
  { sessions, act, pay = async () => sessions }: ContainerWork<Result>,
  deps: RelayDeps,
): Promise<Result> {
  if (sessions === 0) return act();
  const { id, receivedAt } = exchange;
  exchange.model = containerModel;
  const ratio = groupRatioFor(caller, deps.settings)(channel);
  const { price, frozen, model } = deps.channels.snapshot.price(channel, containerModel, ratio, idTime(id));
  const usageOf = (container_sessions: number): Usage => ({ ...noUsage, container_sessions });
  const unitsOf = (usage: Usage): number => charge(price, usage, frozen.group_ratio);
  const tags = deps.tags.of(exchange, caller);
  const snapshot = fixedCallSnapshot(exchange, caller, { bodyBytes: 0, tags });
  await holdFixed(exchange, caller, { amount: unitsOf(usageOf(sessions)), snapshot, tags }, deps);
  const began = Date.now();
  const ending = act()
    .catch((error: unknown) => {
      if (error instanceof ObjectAnswerLost) return error;
      throw error;
    })
    .then(async (result) => ({ result, usage: usageOf(await pay()) }));
  const { result, usage } = await ending.catch(async (error: unknown) => {
    await deps.holds.release(id);
    throw error;
  });
  const isLost = result instanceof ObjectAnswerLost;
  const quota = unitsOf(usage);
  const endedAt = Date.now();
  const log = callLogRow(snapshot, {
    id,
    userId: caller.userId,
    tokenId: caller.tokenId,
    channelId: channel.id,
    channelName: channel.name,
    model,
    quota,
    usage,
    outcome: isLost ? "cut" : "success",
    content: isLost ? `the provider's answer was lost (${result.message}); it bills the container` : "",
    elapsedMs: endedAt - receivedAt,
    price: JSON.stringify(loggedPrice(frozen, usage)),
    costNanos: callCost(frozen, usage),
    retries: 0,
  });
  const trace = {
    url: snapshot.url,
    method: snapshot.method,
    body_size: 0,
    status: isLost ? result.refusal.status : 200,
    timestamps: {
      request_received: receivedAt,
      request_forwarded: began,
      first_upstream_response: endedAt,
      upstream_completed: endedAt,
      request_completed: endedAt,
    },
    attempts: [],
    candidates: [],
  };
  const measures = { entry: "containers", group: caller.group, usage, attempts: [], overheadMs: 0 };
  await settle(exchange, { charge: quota, log, trace: JSON.stringify(trace), measures }, deps);
  if (isLost) throw new RelayRefused({ ...result.refusal, message: lostMessage, headers: noRetryHeaders });
  return result;
}
