import fc from "fast-check";
import { expect, test } from "vitest";
import { createMetricRegistry } from "./metric-registry.ts";

const entry = { name: "entry", isOpen: false };
const model = { name: "model", isOpen: true };

test("twenty thousand names leave the number of series at its bound, and lose no count", () => {
  const registry = createMetricRegistry(1_000);
  const calls = registry.counter({ name: "c_total", help: "c", labels: [entry, model] });
  const durations = registry.histogram({ name: "h", help: "h", labels: [model], bounds: [1, 2] });
  const names = 20_000;
  for (let at = 0; at < names; at += 1) {
    calls.child("chat", `model ${at}`).add(1);
    durations.child(`model ${at}`).observe(1);
  }
  // The two of `other` are beyond the bound.
  expect(registry.seriesCount).toBeLessThanOrEqual(1_000 + 1 + 5);
  expect(registry.droppedCount).toBeGreaterThan(0);
  const [family] = registry.families;
  const children =
    family && "children" in family && family.type === "counter" ? [...family.children()] : [];
  expect(children.reduce((sum, { value }) => sum + value.value, 0)).toBe(names);
  expect(children.find(({ labels }) => labels[1] === "other")?.labels).toEqual(["chat", "other"]);
});

test("a metric whose labels are all of the gateway's own choice is never folded", () => {
  const registry = createMetricRegistry(1);
  const calls = registry.counter({ name: "c_total", help: "c", labels: [entry] });
  for (const name of ["chat", "embeddings", "responses"]) calls.child(name).add(1);
  expect(registry.seriesCount).toBe(3);
  expect(registry.droppedCount).toBe(0);
});

test("what is forgotten makes room, and the count of series stays that of what is left", () => {
  fc.assert(
    fc.property(
      fc.array(fc.tuple(fc.boolean(), fc.nat({ max: 5 })), { maxLength: 60 }),
      (steps) => {
        const registry = createMetricRegistry(1_000);
        const calls = registry.counter({ name: "c_total", help: "c", labels: [entry, model] });
        const left = new Set<string>();
        for (const [isForgotten, number] of steps) {
          const name = String(number);
          const before = registry.generation;
          if (isForgotten) {
            registry.forget("model", name);
            expect(registry.generation).not.toBe(before);
            left.delete(name);
          } else {
            calls.child("chat", name);
            left.add(name);
          }
          expect(registry.labelValues("model")).toEqual(left);
          expect(registry.seriesCount).toBe(left.size);
        }
      },
    ),
  );
});

test("a sampled metric shows as many samples as there may be series", () => {
  const registry = createMetricRegistry(2);
  registry
    .gauge({ name: "g", help: "g", labels: [model] })
    .readFrom(() => ["a", "b", "c"].map((name) => [[name], 1]));
  const [family] = registry.families;
  expect(family && "samples" in family ? [...family.samples()] : []).toHaveLength(2);
  expect(registry.droppedCount).toBe(1);
});
