/** Causes of alerts about channels whose calls fail so often that they are passed over. Pure. */
import { channelStatus } from "@tollgate/contract/catalogue/channels.ts";
import type { Cause, CauseChannel } from "./operator-causes.ts";
import { hasFailingCalls, listLongestSuspensions, type Suspension } from "./suspensions.ts";

const minuteMs = 60_000;
const suspendedForMs = 10 * minuteMs;

/** Ends when a call has succeeded, or when no call has asked for ten minutes. */
export function listSuspensionCauses(
  channels: readonly CauseChannel[],
  nodes: readonly (readonly Suspension[])[],
  now: number,
): Cause[] {
  const byId = new Map(channels.map((channel) => [channel.id, channel]));
  return listLongestSuspensions(nodes, now).flatMap((suspension) => {
    const channel = byId.get(suspension.channel);
    if (channel?.status !== channelStatus.enabled) return [];
    const { id, name } = channel;
    const { model, reason, since } = suspension;
    const minutes = Math.floor((now - since) / minuteMs);
    const facts = { kind: "channel_suspended", channel: name, model, reason, minutes } as const;
    const measure = { value: minutes, threshold: suspendedForMs / minuteMs };
    const event = {
      rule: "channel.suspended",
      subject: { kind: "channel", id, name },
      facts,
      measure,
    } as const;
    return [{ event, begins: now - since >= suspendedForMs && hasFailingCalls(suspension, now) }];
  });
}
