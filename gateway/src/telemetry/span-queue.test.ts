import fc from "fast-check";
import { expect, test } from "vitest";
import { createSpanQueue } from "./span-queue.ts";

const call = (name: string, isKept: boolean, count = 1) => ({
  spans: Array.from({ length: count }, (_, at) => `${name}.${at}`),
  isKept,
});

test("the oldest call that went well gives way first, then the oldest that failed", () => {
  const queue = createSpanQueue<string>(3);
  expect(queue.add(call("failed 1", true))).toBe(0);
  expect(queue.add(call("ok 1", false))).toBe(0);
  expect(queue.add(call("ok 2", false))).toBe(0);
  expect(queue.add(call("failed 2", true))).toBe(1);
  expect(queue.add(call("failed 3", true))).toBe(1);
  expect(queue.add(call("failed 4", true))).toBe(1);
  expect(queue.take(10)).toEqual(["failed 2.0", "failed 3.0", "failed 4.0"]);
});

test("a batch holds whole calls, and one that is larger than a batch is sent alone", () => {
  const queue = createSpanQueue<string>(100);
  for (const name of ["a", "b", "c"]) queue.add(call(name, false, 3));
  queue.add(call("large", false, 9));
  expect(queue.take(7)).toHaveLength(6);
  expect(queue.take(7)).toHaveLength(3);
  expect(queue.take(7)).toHaveLength(9);
  expect(queue.take(7)).toEqual([]);
});

test("every span is taken or counted as dropped, and the queue never exceeds its bound", () => {
  const steps = fc.array(
    fc.oneof(
      fc.record({ add: fc.integer({ min: 1, max: 5 }), isKept: fc.boolean() }),
      fc.record({ take: fc.integer({ min: 1, max: 9 }) }),
    ),
    { maxLength: 200 },
  );
  fc.assert(
    fc.property(fc.integer({ min: 5, max: 30 }), steps, (max, acts) => {
      const queue = createSpanQueue<string>(max);
      let added = 0;
      let left = 0;
      for (const act of acts) {
        if ("take" in act) left += queue.take(act.take).length;
        else {
          added += act.add;
          left += queue.add(call("x", act.isKept, act.add));
        }
        expect(queue.size).toBe(added - left);
        expect(queue.size).toBeLessThanOrEqual(max);
      }
    }),
  );
});
