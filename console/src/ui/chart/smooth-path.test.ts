import fc from "fast-check";
import { expect, test } from "vitest";
import { smoothPath } from "./smooth-path.ts";

const numbers = (path: string) => [...path.matchAll(/-?\d+(?:\.\d+)?/g)].map(Number);

test("one point is a start, two are joined by a straight line", () => {
  expect(smoothPath([])).toBe("");
  expect(smoothPath([[3, 7]])).toBe("M3,7");
  expect(
    smoothPath([
      [0, 0],
      [30, 60],
    ]),
  ).toBe("M0,0C10,20,20,40,30,60");
});

test("the line is flat at a peak", () => {
  expect(
    smoothPath([
      [0, 0],
      [30, 60],
      [60, 0],
    ]),
  ).toBe("M0,0C10,20,20,60,30,60C40,60,50,20,60,0");
});

test("the line never leaves the range of the values that it joins", () => {
  const values = fc.array(fc.integer({ min: 0, max: 500 }), { minLength: 2, maxLength: 40 });
  fc.assert(
    fc.property(values, (heights) => {
      const points = heights.map((height, index): [number, number] => [index * 9, height]);
      const [, , ...rest] = numbers(smoothPath(points));
      for (let index = 1; index < points.length; index += 1) {
        const controls = rest.slice((index - 1) * 6, index * 6);
        const ends = [heights[index - 1] ?? 0, heights[index] ?? 0];
        for (const y of [controls[1] ?? Number.NaN, controls[3] ?? Number.NaN]) {
          expect(y).toBeGreaterThanOrEqual(Math.min(...ends) - 0.01);
          expect(y).toBeLessThanOrEqual(Math.max(...ends) + 0.01);
        }
      }
    }),
  );
});
