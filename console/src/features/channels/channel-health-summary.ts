/** What a channel's list row says of its health: pure. Other servers tell nothing of it. */
import type { ChannelBreaker, ChannelKey } from "@tollgate/contract/channel-health.ts";
import { type Channel, channelStatus } from "@tollgate/contract/channels.ts";

type ChannelHealthInput = Pick<Channel, "status"> & {
  breaker?: readonly ChannelBreaker[];
  keys?: readonly ChannelKey[];
};

export type ChannelHealthSummary =
  | { kind: "suspended"; secondsLeft: number; breakers: readonly ChannelBreaker[] }
  | { kind: "keys"; working: number; total: number; refused: readonly ChannelKey[] };

/** Undefined when there is nothing to tell beyond the status. */
export function summarizeHealth({
  status,
  breaker = [],
  keys = [],
}: ChannelHealthInput): ChannelHealthSummary | undefined {
  if (status !== channelStatus.enabled) return undefined;
  if (breaker.length > 0) {
    const secondsLeft = Math.max(...breaker.map(({ seconds_left }) => seconds_left));
    return { kind: "suspended", secondsLeft, breakers: breaker };
  }
  const refused = keys.filter((key) => key.status === channelStatus.autoDisabled || key.seconds_left > 0);
  if (refused.length === 0) return undefined;
  const enabled = keys.filter((key) => key.status === channelStatus.enabled && key.seconds_left === 0);
  return { kind: "keys", working: enabled.length, total: keys.length, refused };
}

/** A list that shows something which passes by itself is asked for again. */
export const hasTransientState = (channels: readonly ChannelHealthInput[]): boolean =>
  channels.some(({ breaker = [], keys = [] }) => breaker.length > 0 || keys.some((key) => key.seconds_left > 0));

/** How a key is called: by its last characters, or its place where it is too short to show any. */
export const keyName = ({ hint, place }: Pick<ChannelKey, "hint" | "place">): string =>
  hint === "" ? `#${place}` : `…${hint}`;

const hintsMax = 5;

/** Of many keys, the first few. */
export function keyNames(keys: readonly ChannelKey[]): string {
  const shown = keys.slice(0, hintsMax).map(keyName).join(", ");
  return keys.length > hintsMax ? `${shown}, … (${keys.length})` : shown;
}
