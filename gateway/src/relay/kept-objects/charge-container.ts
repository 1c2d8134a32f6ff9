/**
 * The charge for a container of `/v1/containers`: held before its provider is asked, charged once
 * the provider has done it. A container lives until it was unused for 20 minutes, so that its
 * creation is charged that long, and each later use the time that has passed since.
 */

import type { LiveHolds } from "../../money/holds/live-holds.ts";
import { callCost } from "../../money/prices/buying-price.ts";
import { charge, noUsage, type Usage } from "../../money/prices/price.ts";
import { computeChannelUnits } from "../../storage/money-commands.ts";
import {
  type AccountAnswer,
  type AskDeps,
  askAccounts,
  type MadeAt,
} from "../creations/ask-accounts.ts";
import type { ProviderCreation } from "../creations/creation.ts";
import { type FixedHoldDeps, holdFixed } from "../hold-fixed.ts";
import type { ChannelAttempt } from "../routing/attempts.ts";
import type { ChannelCandidate } from "../routing/choose-channels.ts";
import { type SettleDeps, settle } from "../settle-call.ts";
import { noRetryHeaders } from "../wire/relay-refusal.ts";

export type ContainerDeps = FixedHoldDeps &
  AskDeps &
  SettleDeps & { holds: Pick<LiveHolds, "release"> };

const lostMessage = "The provider's answer was lost; it bills the container, which is charged";

/** The name of its price, which operators can state, and of its rows. */
export const containerModel = "container";

interface ContainerWork<Made> {
  /** Held. */
  sessions: number;
  ask(attempt: ChannelAttempt): Promise<AccountAnswer<Made>>;
  /** Sessions to charge: 0 where another call has paid them meanwhile. */
  pay?(): Promise<number>;
}

/**
 * Undefined where it was not done, which the client has been told: then nothing is charged, unless
 * the provider's answer was lost, which bills its container all the same. Throws `RelayRefused`
 * where wallet, key or a budget do not cover it.
 */
export async function readChargingContainer<Made>(
  creation: ProviderCreation,
  { sessions, ask, pay = async () => sessions }: ContainerWork<Made>,
  deps: ContainerDeps,
): Promise<MadeAt<Made> | undefined> {
  const { exchange, caller, choice, recorder, tags } = creation;
  const amount = Math.max(
    ...choice.candidates.map((one) => chargeUsage(one, buildUsage(sessions))),
  );
  const { snapshot } = recorder;
  await holdFixed(exchange, caller, { amount, snapshot, tags }, deps);
  const onChannel = (one: ChannelCandidate): number => {
    const usage = buildUsage(sessions);
    return computeChannelUnits(chargeUsage(one, usage), callCost(one.cost.frozen, usage));
  };
  const end = await askAccounts({ ...creation, unitsAt: onChannel }, ask, deps).catch(
    async (error: unknown) => {
      await deps.holds.release(exchange.id);
      throw error;
    },
  );
  if ("attempt" in end) {
    const { candidate } = end.attempt;
    const usage = buildUsage(await pay());
    const quota = chargeUsage(candidate, usage);
    const charged = { quota, usage, outcome: "success", content: "", priced: true } as const;
    await settle(exchange, recorder.finishFixed(candidate, charged), deps);
    return end;
  }
  const { error, isLost, at } = end;
  if (!isLost || !at) {
    await settle(exchange, recorder.finishUnanswered(error), deps);
    exchange.refuse(error.refusal);
    return undefined;
  }
  const usage = buildUsage(await pay());
  const content = `the provider's answer was lost (${error.refusal.message}); it bills the container`;
  const charged = {
    quota: chargeUsage(at, usage),
    usage,
    outcome: "cut",
    content,
    priced: true,
  } as const;
  await settle(exchange, recorder.finishFixed(at, charged, error.refusal.status), deps);
  exchange.refuse({ ...error.refusal, message: lostMessage, headers: noRetryHeaders });
  return undefined;
}

const buildUsage = (container_sessions: number): Usage => ({ ...noUsage, container_sessions });

const chargeUsage = ({ cost: { price, frozen } }: ChannelCandidate, usage: Usage): number =>
  charge(price, usage, frozen.group_ratio);
