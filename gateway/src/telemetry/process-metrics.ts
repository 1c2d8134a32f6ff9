/** The resources that this process uses, by the names that Prometheus gives such values. */
import { readdirSync } from "node:fs";
import type { GatewayMetrics } from "./gateway-metrics.ts";

export function watchProcess(
  metrics: GatewayMetrics,
  { version, dialect, startedAt }: { version: string; dialect: string; startedAt: number },
): void {
  metrics.buildInfo.readFrom(() => [[[version, process.versions.node, dialect], 1]]);
  metrics.startTime.readFrom(() => [[[], startedAt]]);
  metrics.cpuSeconds.readFrom(() => {
    const { user, system } = process.cpuUsage();
    return [[[], user + system]];
  });
  metrics.residentBytes.readFrom(() => valueOrNothing(() => process.memoryUsage.rss()));
  metrics.openDescriptors.readFrom(() => valueOrNothing(() => readdirSync("/proc/self/fd").length));
}

/**
 * Both are read from files, which other systems lack and for which there may be no descriptor left.
 */
function valueOrNothing(read: () => number): [[], number][] {
  try {
    return [[[], read()]];
  } catch {
    return [];
  }
}
