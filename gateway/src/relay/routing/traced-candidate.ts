/** The channels of a call, as traces show them. Pure. */
import type { TraceRecord } from "@tollgate/contract/figures/traces.ts";
import { readReasonWithGroup } from "./channel-groups.ts";
import type { ChannelIdentity } from "./channel-parts.ts";
import type { ChannelCandidate } from "./choose-channels.ts";
import { readReasonWithTarget } from "./target-order.ts";

/**
 * `buildTracedCandidate` gives one line of a trace about a channel; of a virtual model, with its
 * target and why that stands where it does; with the group of a key that names some.
 */
export const buildTracedCandidate = (
  {
    channel,
    target,
    group,
  }: { channel: ChannelIdentity } & Pick<ChannelCandidate, "target" | "group">,
  taken: boolean,
  reason: string,
): TraceRecord["candidates"][number] => ({
  channel_id: channel.id,
  channel_uuid: channel.uuid,
  channel_name: channel.name,
  ...(target && { model: target.model }),
  taken,
  reason: readReasonWithTarget(target, readReasonWithGroup(group, reason)),
});
