import { expect, test } from "vitest";
import { problemsOverTime, timeSteps } from "./problem-steps.ts";

const hour = 3_600;
const day = 24 * hour;

test("steps are as short as sixty of them allow, and begin at whole multiples of their length", () => {
  expect(timeSteps(0, 59 * 60)).toEqual({ from: 0, step: 60, count: 60 });
  expect(timeSteps(30, hour + 30)).toEqual({ from: 0, step: 300, count: 13 });
  expect(timeSteps(day + 7, 2 * day + 7)).toMatchObject({ from: day, step: hour, count: 25 });
  expect(timeSteps(0, 30 * day - 1)).toMatchObject({ step: day, count: 30 });
  expect(timeSteps(5, 5)).toEqual({ from: 0, step: 60, count: 1 });
});

test("a span of any length has at most sixty steps, and they cover it", () => {
  for (let days = 1; days < 20_000; days += 97) {
    const first = days * 1_234;
    const { from, step, count } = timeSteps(first, first + days * day);
    expect(count).toBeLessThanOrEqual(60);
    expect(from).toBeLessThanOrEqual(first);
    expect(from + step * count).toBeGreaterThan(first + days * day);
  }
});

test("eight reasons have a series, most calls first, and the rest is one sum", () => {
  const steps = { from: 0, step: 60, count: 2 };
  const found = Array.from({ length: 10 }, (_, index) => [
    { outcome: "failed", content: `status ${index}`, step: 0, calls: index + 1 },
    { outcome: "failed", content: `status ${index}`, step: 1, calls: 1 },
  ]).flat();
  const { reasons, other } = problemsOverTime(found, steps);
  expect(reasons.map(({ content }) => content)).toEqual([9, 8, 7, 6, 5, 4, 3, 2].map((index) => `status ${index}`));
  expect(reasons[0]?.calls).toEqual([10, 1]);
  expect(other).toEqual([1 + 2, 2]);
});

test("the same words of another outcome are another reason", () => {
  const found = ["failed", "cut"].map((outcome) => ({ outcome, content: "closed", step: 0, calls: 1 }));
  expect(problemsOverTime(found, { from: 0, step: 60, count: 1 }).reasons).toHaveLength(2);
});
