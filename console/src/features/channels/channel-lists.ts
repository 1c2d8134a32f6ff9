import {
  listChannels,
  listChannelTags,
  searchChannels,
} from "@tollgate/contract/catalogue/channels.ts";

/** `channelLists` are what shows channels: their rows, and how many have which tag. */
export const channelLists = [listChannels, searchChannels, listChannelTags] as const;
