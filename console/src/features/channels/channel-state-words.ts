import { msg } from "@lingui/core/macro";
import type { StatusLabel } from "../../components/lists/status-badge.tsx";
import type { ChannelStateName } from "./channel-screen-rules.ts";

/** `channelStates` are the badges of what `readChannelState` finds. */
export const channelStates: Record<ChannelStateName, StatusLabel> = {
  active: { label: msg`Active`, tone: "neutral" },
  paused: { label: msg`Paused`, tone: "warn" },
  disabled: { label: msg`Disabled`, tone: "neutral" },
  autoDisabled: { label: msg`Auto-disabled`, tone: "bad" },
};
