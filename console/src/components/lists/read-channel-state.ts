import { channelStatus } from "@tollgate/contract/catalogue/channels.ts";

export type ChannelStateName = "active" | "paused" | "disabled" | "autoDisabled";

/**
 * A channel with a negative priority is shown as paused, but still serves when no other channel
 * can.
 */
export function readChannelState({
  status,
  priority,
}: {
  status: number;
  priority: number | null;
}): ChannelStateName {
  if (status === channelStatus.disabled) return "disabled";
  if (status === channelStatus.autoDisabled) return "autoDisabled";
  return (priority ?? 0) < 0 ? "paused" : "active";
}
