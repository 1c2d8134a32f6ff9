/** Differences of compatible servers in channels: they send neither the hint of the stored key nor the state of keys. */
import type { ChannelKey } from "@tollgate/contract/channel-health.ts";
import type { Channel } from "@tollgate/contract/channels.ts";

export const keyHintOf = ({ key_hint }: Pick<Channel, "key_hint">): string => key_hint ?? "";

export const keysOf = ({ keys }: { keys?: readonly ChannelKey[] }): readonly ChannelKey[] => keys ?? [];
