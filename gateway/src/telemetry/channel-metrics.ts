/** The state of each channel, from the memory of this node. */
import type { GatewayMetrics } from "./gateway-metrics.ts";
import type { MetricSample } from "./metric-registry.ts";

interface SampledChannel {
  id: number;
  name: string;
  type: number;
  status: number;
}

export interface ChannelSources {
  channels(): readonly SampledChannel[];
  breakers: { list(): readonly { channelId: number; isOpen: boolean }[] };
  keyCooldowns: { list(): readonly { channelId: number }[] };
}

export function sampleChannels(
  metrics: GatewayMetrics,
  { channels, breakers, keyCooldowns }: ChannelSources,
): void {
  metrics.channelInfo.readFrom(() =>
    channels().map(({ id, name, type }): MetricSample => [[String(id), name, String(type)], 1]),
  );
  metrics.channelStatus.readFrom(() =>
    channels().map(({ id, status }): MetricSample => [[String(id)], status]),
  );
  metrics.channelBreakersOpen.readFrom(() =>
    countPerChannel(
      channels(),
      breakers.list().filter(({ isOpen }) => isOpen),
    ),
  );
  metrics.channelKeysResting.readFrom(() => countPerChannel(channels(), keyCooldowns.list()));
}

/** Channels without any are 0, so that an alert on the value ends. */
function countPerChannel(
  channels: readonly SampledChannel[],
  found: readonly { channelId: number }[],
): MetricSample[] {
  const counts = new Map<number, number>();
  for (const { channelId } of found) counts.set(channelId, (counts.get(channelId) ?? 0) + 1);
  return channels.map(({ id }): MetricSample => [[String(id)], counts.get(id) ?? 0]);
}
