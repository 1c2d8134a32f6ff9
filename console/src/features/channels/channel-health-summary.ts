/** The health of a channel as its list row shows it. Pure. Compatible servers send none of it. */
import type { ChannelBreaker, ChannelKey } from "@tollgate/contract/channel-health.ts";
import { type Channel, channelStatus } from "@tollgate/contract/channels.ts";

type ChannelHealthInput = Pick<Channel, "status"> & {
  breaker?: readonly ChannelBreaker[];
  keys?: readonly ChannelKey[];
};

export type ChannelHealthSummary =
  | { kind: "suspended"; secondsLeft: number; breakers: readonly ChannelBreaker[] }
  | { kind: "keys"; working: number; total: number; refused: readonly ChannelKey[] };

/** Undefined when the status alone describes the channel. */
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

/** True when a list shows a state that ends by itself, so that it must be refetched. */
export const hasTransientState = (channels: readonly ChannelHealthInput[]): boolean =>
  channels.some(({ breaker = [], keys = [] }) => breaker.length > 0 || keys.some((key) => key.seconds_left > 0));

/** Names a key by its last characters, or by its position when it is too short to show any. */
export const keyName = ({ hint, place }: Pick<ChannelKey, "hint" | "place">): string =>
  hint === "" ? `#${place}` : `…${hint}`;

const hintsMax = 5;

/** Names the first few keys. */
export function keyNames(keys: readonly ChannelKey[]): string {
  const shown = keys.slice(0, hintsMax).map(keyName).join(", ");
  return keys.length > hintsMax ? `${shown}, … (${keys.length})` : shown;
}
