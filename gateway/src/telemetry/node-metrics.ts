/**
 * What Node.js says of its memory, its collections and its loop, by the names of Prometheus's
 * client for Node, whose dashboards then show them.
 */
import type { MetricRegistry, SampledMetric } from "./metric-registry.ts";

const usPerSecond = 1_000_000;
const collectionBoundsUs = [1_000, 10_000, 100_000, 1_000_000, 2_000_000, 5_000_000];

/** `loopLagNames` are figures of the delay of the event loop. */
export const loopLagNames = ["mean", "max", "p50", "p90", "p99"] as const;
type LoopLags = Record<(typeof loopLagNames)[number], SampledMetric>;

export type NodeMetrics = ReturnType<typeof defineNodeMetrics>;

export const defineNodeMetrics = ({
  gauge,
  histogram,
}: Pick<MetricRegistry, "gauge" | "histogram">) => ({
  heapTotalBytes: gauge({
    name: "nodejs_heap_size_total_bytes",
    help: "Heap that V8 has reserved in the main thread.",
    labels: [],
  }),
  heapUsedBytes: gauge({
    name: "nodejs_heap_size_used_bytes",
    help: "Heap in use in the main thread.",
    labels: [],
  }),
  externalBytes: gauge({
    name: "nodejs_external_memory_bytes",
    help: "Memory outside of the heap that its objects hold, such as buffers.",
    labels: [],
  }),
  collectionDuration: histogram({
    name: "nodejs_gc_duration_seconds",
    help: "Pauses for garbage collections of the main thread.",
    labels: [{ name: "kind", isOpen: false }],
    bounds: collectionBoundsUs,
    perUnit: usPerSecond,
  }),
  loopLags: Object.fromEntries(
    loopLagNames.map((name) => [
      name,
      gauge({
        name: `nodejs_eventloop_lag_${name}_seconds`,
        help: `How late the event loop runs what is due, ${name} of the last 15 seconds.`,
        labels: [],
        perUnit: usPerSecond,
      }),
    ]),
  ) as LoopLags,
});
