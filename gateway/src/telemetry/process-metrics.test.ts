import { existsSync } from "node:fs";
import { collectGarbage } from "@tollgate/tests/harness/collect-garbage.ts";
import { eventually } from "@tollgate/tests/harness/eventually.ts";
import { readPrometheusText } from "@tollgate/tests/support/prometheus-text.ts";
import { expect, test } from "vitest";
import { createGatewayMetrics } from "./gateway-metrics.ts";
import { formatMetricText } from "./metric-text.ts";
import { watchCollections, watchProcess } from "./process-metrics.ts";

const read = async (metrics: ReturnType<typeof createGatewayMetrics>) =>
  readPrometheusText(await formatMetricText(metrics.registry.families, "text"));

test("a process tells its memory and its descriptors by the names of Prometheus's clients", async () => {
  const metrics = createGatewayMetrics();
  watchProcess(metrics, { version: "1", dialect: "sqlite", startedAt: 0 });
  const { sum } = await read(metrics);
  const heap = sum("nodejs_heap_size_used_bytes");
  expect(heap).toBeGreaterThan(1_000_000);
  expect(sum("nodejs_heap_size_total_bytes")).toBeGreaterThanOrEqual(heap);
  expect(sum("nodejs_external_memory_bytes")).toBeGreaterThan(0);
  if (!existsSync("/proc/self/limits")) return;
  expect(sum("process_max_fds")).toBeGreaterThan(sum("process_open_fds"));
  expect(sum("process_virtual_memory_bytes")).toBeGreaterThan(sum("process_resident_memory_bytes"));
});

test("collections are counted by kind while they are watched", async () => {
  const metrics = createGatewayMetrics();
  const stop = watchCollections(metrics.node);
  collectGarbage();
  await eventually(async () => {
    const { sum } = await read(metrics);
    expect(sum("nodejs_gc_duration_seconds_count", { kind: "major" })).toBeGreaterThan(0);
    expect(sum("nodejs_gc_duration_seconds_sum")).toBeGreaterThan(0);
  });
  stop();
});
