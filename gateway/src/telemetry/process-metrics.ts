/** The resources that this process uses, by the names that Prometheus gives such values. */
import { readdirSync, readFileSync } from "node:fs";
import { constants, type PerformanceEntry, PerformanceObserver } from "node:perf_hooks";
import type { GatewayMetrics } from "./gateway-metrics.ts";
import type { NodeMetrics } from "./node-metrics.ts";

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
  metrics.virtualBytes.readFrom(() => valueOrNothing(readVirtualBytes));
  metrics.maxDescriptors.readFrom(() => valueOrNothing(readMaxDescriptors));
  metrics.node.heapTotalBytes.readFrom(() => [[[], process.memoryUsage().heapTotal]]);
  metrics.node.heapUsedBytes.readFrom(() => [[[], process.memoryUsage().heapUsed]]);
  metrics.node.externalBytes.readFrom(() => [[[], process.memoryUsage().external]]);
}

const bytesPerKib = 1_024;

const readVirtualBytes = (): number =>
  readNumber("/proc/self/status", /^VmSize:\s+(\d+) kB$/m) * bytesPerKib;
/** Throws for `unlimited`, which is no number. */
const readMaxDescriptors = (): number =>
  readNumber("/proc/self/limits", /^Max open files\s+(\d+)/m);

function readNumber(file: string, pattern: RegExp): number {
  const [, found] = pattern.exec(readFileSync(file, "utf8")) ?? [];
  if (found === undefined) throw new Error(`${file} has no such line`);
  return Number(found);
}

const collectionKinds: Readonly<Record<number, string>> = {
  [constants.NODE_PERFORMANCE_GC_MINOR]: "minor",
  [constants.NODE_PERFORMANCE_GC_MAJOR]: "major",
  [constants.NODE_PERFORMANCE_GC_INCREMENTAL]: "incremental",
  [constants.NODE_PERFORMANCE_GC_WEAKCB]: "weakcb",
};
const usPerMs = 1_000;

/** `watchCollections` counts collections as they happen, until the returned function is called. */
export function watchCollections({
  collectionDuration,
}: Pick<NodeMetrics, "collectionDuration">): () => void {
  const observer = new PerformanceObserver((list) => {
    for (const entry of list.getEntries() as (PerformanceEntry & { detail?: { kind?: number } })[])
      collectionDuration
        .child(collectionKinds[entry.detail?.kind ?? 0] ?? "other")
        .observe(entry.duration * usPerMs);
  });
  observer.observe({ entryTypes: ["gc"] });
  return () => observer.disconnect();
}

/**
 * They are read from files, which other systems lack and for which there may be no descriptor left.
 */
function valueOrNothing(read: () => number): [[], number][] {
  try {
    return [[[], read()]];
  } catch {
    return [];
  }
}
