import { listChannels, listChannelTags, searchChannels } from "@tollgate/contract/channels.ts";

/** What shows channels: their rows, and how many have which tag. */
export const channelLists = [listChannels, searchChannels, listChannelTags] as const;
