/**
 * What a container of `/v1/containers` costs: held before its provider is asked, charged once the provider has done it. A container lives until
 * it was unused for 20 minutes, so that its creation is charged that long, and each later use what has passed since.
 */

import { callCost } from "../../money/buying-price.ts";
import { callLogRow } from "../../money/call-log-row.ts";
import { charge, loggedPrice, noUsage } from "../../money/price.ts";
import { idTime } from "../../storage/time-ids.ts";
import type { RelayCaller } from "../admission/api-keys.ts";
import { settle } from "../admit-call.ts";
import type { Exchange } from "../exchange.ts";
import { fixedCallSnapshot, holdFixed } from "../hold-fixed.ts";
import type { RelayDeps } from "../relay-deps.ts";
import { groupRatioFor } from "../route-call.ts";
import type { ObjectHome } from "../stored-files/provider-objects.ts";

/** The name of its price, which operators can state, and of its rows. */
export const containerModel = "container";

/** Throws `RelayRefused` where wallet, key or a budget do not cover it, and what `act` throws: then nothing is charged. */
export async function chargingContainer<Result>(
  exchange: Exchange,
  caller: RelayCaller,
  { channel }: ObjectHome,
  sessions: number,
  act: () => Promise<Result>,
  deps: RelayDeps,
): Promise<Result> {
  if (sessions === 0) return act();
  const { id, receivedAt } = exchange;
  exchange.model = containerModel;
  const ratio = groupRatioFor(caller, deps.settings)(channel);
  const { price, frozen, model } = deps.channels.snapshot.price(channel, containerModel, ratio, idTime(id));
  const usage = { ...noUsage, container_sessions: sessions };
  const quota = charge(price, usage, frozen.group_ratio);
  const tags = deps.tags.of(exchange, caller);
  const snapshot = fixedCallSnapshot(exchange, caller, { bodyBytes: 0, tags });
  await holdFixed(exchange, caller, { amount: quota, snapshot, tags }, deps);
  const began = Date.now();
  const result = await act().catch(async (error: unknown) => {
    await deps.holds.release(id);
    throw error;
  });
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
    outcome: "success",
    content: "",
    elapsedMs: endedAt - receivedAt,
    price: JSON.stringify(loggedPrice(frozen, usage)),
    costNanos: callCost(frozen, usage),
    retries: 0,
  });
  const trace = {
    url: snapshot.url,
    method: snapshot.method,
    body_size: 0,
    status: 200,
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
  return result;
}
