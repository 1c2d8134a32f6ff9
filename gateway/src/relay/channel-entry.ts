/**
 * The amount that a call sets aside on the budgets of the channels that it is tried on. It is held
 * for before a channel is chosen, so that this changes with each attempt; the guard is in the
 * statement (docs/decisions/0180-budgets-of-channels.md).
 */

import type { LiveBudgets } from "../accounts/budgets/live-budgets.ts";
import type { LiveHolds } from "../money/holds/live-holds.ts";
import { computeBudgetId, isBudgetRefusal } from "../storage/money-commands.ts";
import { computeIdTime } from "../storage/time-ids.ts";
import type { CallRecorder } from "./call-recorder.ts";
import type { ArrivedRequest } from "./exchange-parts.ts";
import type { AttemptOptions } from "./routing/attempts.ts";
import type { ChannelCandidate } from "./routing/choose-channels.ts";
import { computeSeconds, describeReason, type ExclusionReason } from "./routing/routing-reasons.ts";
import type { UpstreamError } from "./upstream/upstream-error.ts";
import { refuseNoUsableChannel } from "./wire/relay-refusal.ts";

/** `ChannelEntryDeps` are what a call enters a channel with. */
export interface ChannelEntryDeps {
  budgets: LiveBudgets;
  holds: Pick<LiveHolds, "enter">;
}

/** `UnitsAt` is what a call may come to on the channel of a candidate. */
export type UnitsAt = (candidate: ChannelCandidate) => number;

interface EnteringCall {
  exchange: Pick<ArrivedRequest, "id">;
  recorder: Pick<CallRecorder, "snapshot">;
}

export function buildChannelEntry(
  { exchange: { id }, recorder: { snapshot } }: EnteringCall,
  unitsAt: UnitsAt,
  { budgets, holds }: ChannelEntryDeps,
): NonNullable<AttemptOptions["enter"]> {
  const at = computeIdTime(id);
  let entered: ChannelCandidate | undefined;
  return async (candidate, lostAt) => {
    const { channel, model } = candidate;
    // Another key of the same account; another model may cost more there.
    if (entered?.channel.id === channel.id && entered.model === model) return undefined;
    const own = budgets.ofChannel(channel.id, at, [snapshot.origin_model_name, model]);
    if (own.length === 0 && entered === undefined) return undefined;
    const amount = own.length === 0 ? 0 : unitsAt(candidate);
    const result = await holds.enter(id, {
      channelId: channel.id,
      budgets: own,
      amount,
      keeps: lostAt,
    });
    if (isBudgetRefusal(result)) {
      const full = own.find((one) => one.id === computeBudgetId(result));
      return { reason: "channel_budget_full", until: full?.end ?? null };
    }
    entered = own.length === 0 ? undefined : candidate;
    return undefined;
  };
}

/**
 * `findFullChannels` gives the answer to a client whose call no channel's budget covers; undefined
 * where none was passed over for that.
 */
export function findFullChannels(
  skipped: readonly ExclusionReason[],
  model: string,
  now: number,
): UpstreamError | undefined {
  const full = skipped.filter((why) => why.reason === "channel_budget_full");
  const [first] = full;
  if (!first) return undefined;
  const until = Math.min(...full.map((one) => one.until ?? Number.POSITIVE_INFINITY));
  const message = `No channel is available for the model ${model} at the moment`;
  const { refusal } = refuseNoUsableChannel(message);
  const { retryAfter: _, ...unending } = refusal;
  return {
    status: 503,
    isRetryable: false,
    reason: describeReason(first),
    publicReason: "no channel is available at the moment",
    refusal: Number.isFinite(until)
      ? { ...refusal, retryAfter: Math.max(1, computeSeconds(until - now)) }
      : unending,
  };
}
