import { expect, test } from "vitest";
import { buildProblemsOverTime, timeSteps } from "./problem-steps.ts";

const hour = 3_600;
const day = 24 * hour;
const anywhere = { channel_id: 0, channel_name: "" };

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
    { ...anywhere, outcome: "failed", content: `status ${index}`, step: 0, calls: index + 1 },
    { ...anywhere, outcome: "failed", content: `status ${index}`, step: 1, calls: 1 },
  ]).flat();
  const { reasons, other, by_channel } = buildProblemsOverTime(found, steps, false);
  expect(by_channel).toBeUndefined();
  expect(reasons.map(({ content }) => content)).toEqual(
    [9, 8, 7, 6, 5, 4, 3, 2].map((index) => `status ${index}`),
  );
  expect(reasons[0]?.calls).toEqual([10, 1]);
  expect(other).toEqual([1 + 2, 2]);
});

test("the same words of another outcome are another reason", () => {
  const found = ["failed", "cut"].map((outcome) => ({
    ...anywhere,
    outcome,
    content: "closed",
    step: 0,
    calls: 1,
  }));
  expect(buildProblemsOverTime(found, { from: 0, step: 60, count: 1 }, false).reasons).toHaveLength(
    2,
  );
});

test("channels have a series each, whatever the reasons, and a renamed one is one", () => {
  const failed = { outcome: "failed", content: "closed", calls: 1 };
  const found = [
    { ...failed, channel_id: 1, channel_name: "North", step: 0 },
    { ...failed, channel_id: 1, channel_name: "North again", step: 1, outcome: "cut" },
    ...Array.from({ length: 8 }, (_, index) => ({
      ...failed,
      channel_id: index + 2,
      channel_name: "South",
      step: 1,
    })),
  ];
  const { by_channel } = buildProblemsOverTime(found, { from: 0, step: 60, count: 2 }, true);
  expect(by_channel?.channels[0]).toEqual({
    channel: 1,
    channel_name: "North again",
    calls: [1, 1],
  });
  expect(by_channel?.channels).toHaveLength(8);
  expect(by_channel?.other).toEqual([0, 1]);
});
