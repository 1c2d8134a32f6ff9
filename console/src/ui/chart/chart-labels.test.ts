import fc from "fast-check";
import { expect, test } from "vitest";
import { placeLabels, writeTicks } from "./chart-labels.ts";

const measure = (text: string) => text.length * 6.5;
const listDays = (first: string, count: number) =>
  Array.from({ length: count }, (_, index) =>
    new Date(Date.parse(`${first}T00:00:00Z`) + index * 86_400_000).toISOString().slice(0, 10),
  );

test("labels do not touch, have equal distances and stay inside, whatever the width and range", () => {
  fc.assert(
    fc.property(
      fc.integer({ min: 1, max: 400 }),
      fc.integer({ min: 240, max: 1_400 }),
      (count, width) => {
        const plot = { left: 40, top: 8, width, height: 200 };
        const labels = listDays("2025-11-20", count);
        const x = (index: number) => plot.left + ((index + 0.5) * width) / count;
        const placed = placeLabels({ labels, areTimes: false, plot, x, measure });
        const edges = placed
          .map(({ text, x: at, anchor }) => {
            const size = measure(text);
            const from = anchor === "middle" ? at - size / 2 : anchor === "end" ? at - size : at;
            return [from, from + size] as const;
          })
          .toSorted((one, other) => one[0] - other[0]);
        expect(placed.length).toBeGreaterThan(0);
        for (const [place, [from, to]] of edges.entries()) {
          expect(from).toBeGreaterThanOrEqual(-0.01);
          expect(to).toBeLessThanOrEqual(plot.left + width + 20);
          expect(from).toBeGreaterThan((edges[place - 1]?.[1] ?? -1) - 0.01);
        }
      },
    ),
  );
});

test("the year is written where it begins, and nowhere within one year", () => {
  const plot = { left: 0, top: 0, width: 900, height: 100 };
  const write = (first: string, count: number) =>
    placeLabels({
      labels: listDays(first, count),
      areTimes: false,
      plot,
      x: (index) => (index * 900) / count,
      measure,
    })
      .map(({ text }) => text)
      .filter((text) => text.length > 5)
      .map((text) => text.slice(0, 4))
      .toSorted();
  expect(write("2025-11-20", 365)).toEqual(["2025", "2026"]);
  expect(write("2026-02-01", 30)).toEqual([]);
});

test("a unit that all ticks share stands at the uppermost alone", () => {
  expect(writeTicks([0, 10, 20], (value) => `${value} s`)).toEqual(["0", "10", "20 s"]);
  expect(writeTicks([0, 500, 1000], (value) => (value < 1000 ? `${value} ms` : "1 s"))).toEqual([
    "0 ms",
    "500 ms",
    "1 s",
  ]);
  expect(writeTicks([0, 10], (value) => `$${value}`)).toEqual(["$0", "$10"]);
});
