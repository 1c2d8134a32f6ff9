// What is written is read back by a strict reader of the format; Prometheus itself reads it in
// tests/src/relay.
import { readPrometheusText } from "@tollgate/tests/support/prometheus-text.ts";
import fc from "fast-check";
import { expect, test } from "vitest";
import { createMetricRegistry } from "./metric-registry.ts";
import { buildMetricFormat, formatMetricText } from "./metric-text.ts";

const model = { name: "model", isOpen: true };
const registryOf = (seriesMax = 1_000) => createMetricRegistry(seriesMax);

/** `label` is what has a meaning in the format, and some that looks as if it had. */
const label = fc.string({
  unit: fc.constantFrom("a", '"', "\\", "\n", "\r", "}", "{", ",", "=", " ", "é", "\u2028", "n"),
});

test("any text in a label and any counted value are read back as they were", async () => {
  const values = fc.array(fc.tuple(label, fc.nat()), { maxLength: 20 });
  await fc.assert(
    fc.asyncProperty(values, async (counted) => {
      const registry = registryOf();
      const family = registry.counter({ name: "c_total", help: "a\\b\nc", labels: [model] });
      const expected = new Map<string, number>();
      for (const [name, amount] of counted) {
        family.child(name).add(amount);
        expected.set(name, (expected.get(name) ?? 0) + amount);
      }
      const { samples } = readPrometheusText(await formatMetricText(registry.families, "text"));
      expect(new Map(samples.map(({ labels, value }) => [labels.model, value]))).toEqual(expected);
    }),
  );
});

test("a histogram has cumulative buckets, and a value on a bound is in its bucket", async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(fc.nat({ max: 50 })), async (values) => {
      const registry = registryOf();
      const bounds = [0, 10, 20];
      const family = registry.histogram({
        name: "h_seconds",
        help: "h",
        labels: [],
        bounds,
        perUnit: 10,
      });
      for (const value of values) family.child().observe(value);
      const { sum } = readPrometheusText(await formatMetricText(registry.families, "text"));
      if (values.length === 0) return;
      for (const bound of bounds) {
        const within = values.filter((value) => value <= bound).length;
        expect(sum("h_seconds_bucket", { le: String(bound / 10) })).toBe(within);
      }
      expect(sum("h_seconds_count")).toBe(values.length);
      expect(sum("h_seconds_sum")).toBeCloseTo(
        values.reduce((all, value) => all + value, 0) / 10,
        6,
      );
    }),
  );
});

test("OpenMetrics names a counter without the end of its samples, and says where the text ends", async () => {
  const registry = registryOf();
  registry.counter({ name: "c_total", help: "help", labels: [] }).child().add(3);
  expect(await formatMetricText(registry.families, "openmetrics")).toBe(
    "# HELP c help\n# TYPE c counter\nc_total 3\n# EOF\n",
  );
  expect(await formatMetricText(registry.families, "text")).toBe(
    "# HELP c_total help\n# TYPE c_total counter\nc_total 3\n",
  );
  expect(buildMetricFormat("application/openmetrics-text;version=1.0.0,text/plain;q=0.5")).toBe(
    "openmetrics",
  );
  expect(buildMetricFormat("*/*")).toBe("text");
});

test("a large answer lets others run in between", async () => {
  const registry = registryOf();
  const family = registry.counter({ name: "c_total", help: "help", labels: [model] });
  for (let at = 0; at < 10; at += 1) family.child(String(at)).add(1);
  // By this clock, every look at it takes longer than a slice.
  let clock = 0;
  const now = (): number => {
    clock += 10;
    return clock;
  };
  let turns = 0;
  let isDone = false;
  const count = (): void => {
    turns += 1;
    if (!isDone) setImmediate(count);
  };
  setImmediate(count);
  await formatMetricText(registry.families, "text", now);
  isDone = true;
  expect(turns).toBeGreaterThanOrEqual(10);
});
