/** What a channel's first badge says, wherever a channel is named. */
import { msg } from "@lingui/core/macro";
import type { ChannelStateName } from "./read-channel-state.ts";
import type { StatusLabel } from "./status-badge.tsx";

/** `channelStates` are the badges of what `readChannelState` finds. */
export const channelStates: Record<ChannelStateName, StatusLabel> = {
  active: { label: msg`Active`, tone: "neutral" },
  paused: { label: msg`Paused`, tone: "warn" },
  disabled: { label: msg`Disabled`, tone: "neutral" },
  autoDisabled: { label: msg`Auto-disabled`, tone: "bad" },
};
