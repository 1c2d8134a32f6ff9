/**
 * Questions to the provider of a channel about its models, and the part of the answers that is
 * kept.
 */
import type { ChannelRow } from "../channels/channel-store.ts";
import type { StatedEnds } from "./told-ends.ts";

/**
 * The provider's names, and which of them end; undefined where the type has no list. Rejects for no
 * failure of the provider.
 */
export type ListChannelModels = (
  channel: ChannelRow,
) => Promise<
  { names: string[]; isWhole: boolean; ends: StatedEnds } | { failure: string } | undefined
>;

/** Stores what was learnt of the ends of models: a measurement, no change of the channel. */
export type KeepModelEnds = (channel: ChannelRow, ends: StatedEnds) => Promise<void>;
