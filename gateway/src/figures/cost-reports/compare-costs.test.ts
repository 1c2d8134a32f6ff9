import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { type CostLine, compareCosts, differsAbove } from "./compare-costs.ts";
import { collectModelGroups } from "./model-aliases.ts";

const dayMs = 86_400_000;
const day = 20_000;
/** Two days after the day's end: nothing is added any more. */
const late = (of: number) => (of + 3) * dayMs;
const read = (of: number, more: object = {}) => ({
  day: of,
  readAt: late(of),
  isIncomplete: false,
  ...more,
});
const line = (
  model: string,
  cost_micros: number | null,
  more: Partial<CostLine> = {},
): CostLine => ({
  day,
  model,
  requests: 1,
  prompt_tokens: 10,
  completion_tokens: 5,
  cost_micros,
  ...more,
});

test("a model has both sides in one line, with the difference that the provider charged beyond ours", () => {
  const { days, total } = compareCosts(
    [read(day)],
    [line("gpt-4o", 900)],
    [line("gpt-4o-2024-08-06", 1_000)],
  );
  expect(days).toHaveLength(1);
  expect(days[0]).toMatchObject({
    day: "2024-10-04",
    state: "closed",
    lines: [
      {
        models: ["gpt-4o", "gpt-4o-2024-08-06"],
        charged: { requests: 1, prompt_tokens: 10, completion_tokens: 5, cost_micros: 900 },
        reported: { cost_micros: 1_000 },
        difference_micros: 100,
        difference_percent: 10,
      },
    ],
  });
  expect(total).toMatchObject({ models: [], difference_micros: 100, difference_percent: 10 });
});

test("a day counts in the totals once it is closed and its log rows were whole", () => {
  const days = [
    read(day),
    read(day + 1, { readAt: (day + 2) * dayMs + 1 }),
    read(day + 2, { isIncomplete: true }),
  ];
  const lines = days.map((one) => line("m", 100, { day: one.day }));
  const compared = compareCosts(days, lines, lines);
  expect(compared.days.map(({ state }) => state)).toEqual(["incomplete", "open", "closed"]);
  expect(compared.closed_days).toBe(1);
  expect(compared.total.charged?.cost_micros).toBe(100);
});

test("fees without a model and calls that the provider does not know stand alone, and a missing cost is no zero", () => {
  const { models } = compareCosts(
    [read(day)],
    [line("ours", 7)],
    [line("web search", 5, { prompt_tokens: null })],
  );
  expect(models).toMatchObject([
    { models: ["ours"], reported: null, difference_micros: -7, difference_percent: null },
    { models: ["web search"], charged: null, difference_micros: 5, difference_percent: 100 },
  ]);
  const byTokens = compareCosts([read(day)], [line("m", 7)], [line("m", null)]);
  expect(byTokens.total).toMatchObject({ difference_micros: null, difference_percent: null });
});

test("a difference is noticed above the threshold and above a cent, or by tokens where no cost is reported", () => {
  const compared = (ours: number, theirs: number | null, tokens = 10) =>
    compareCosts([read(day)], [line("m", ours)], [line("m", theirs, { prompt_tokens: tokens })])
      .total;
  expect(differsAbove(compared(1_000_000, 1_010_000), 1)).toBe(false);
  expect(differsAbove(compared(1_000_000, 1_020_000), 1)).toBe(true);
  expect(differsAbove(compared(1_020_000, 1_000_000), 1)).toBe(true);
  expect(differsAbove(compared(5_000, 9_000), 1)).toBe(false);
  expect(differsAbove(compared(5_000, null, 11), 5)).toBe(true);
  expect(differsAbove(compared(5_000, null, 10), 5)).toBe(false);
});

describe("names of models", () => {
  test.each([
    ["gpt-4o", "gpt-4o-2024-08-06"],
    ["claude-3-5-sonnet-latest", "claude-3-5-sonnet-20241022"],
    ["claude-sonnet-4-0", "claude-sonnet-4-20250514"],
    ["openai/gpt-4.1:nitro", "openai/gpt-4.1"],
    ["GPT-4o", "gpt-4o"],
  ])("%s is reported as %s", (ours, theirs) => {
    const groups = collectModelGroups(new Set([ours]), new Set([theirs]));
    expect(groups.get(ours)).toBe(groups.get(theirs));
  });

  test("models of one family stay apart, and so do dated versions that are named alike on both sides", () => {
    const names = new Set([
      "gpt-4o",
      "gpt-4o-mini",
      "gpt-4o-mini-2024-07-18",
      "claude-sonnet-4-5-20250929",
    ]);
    expect(new Set(collectModelGroups(names, names).values()).size).toBe(4);
    const alias = collectModelGroups(new Set(["gpt-4o"]), new Set(["gpt-4o-mini-2024-07-18"]));
    expect(new Set(alias.values()).size).toBe(2);
  });
});

test("whatever the names and days are, no call and no cent is lost or counted twice", () => {
  const days = [day, day + 1, day + 2];
  const names = [
    "gpt-4o",
    "gpt-4o-2024-08-06",
    "gpt-4o-2024-11-20",
    "gpt-4o-latest",
    "GPT-4o",
    "web search",
    "m",
    "",
  ];
  const figure = fc.option(fc.integer({ min: 0, max: 1e9 }), { nil: null });
  const lines = fc.uniqueArray(
    fc.record({
      day: fc.constantFrom(...days),
      model: fc.constantFrom(...names),
      requests: figure,
      prompt_tokens: figure,
      completion_tokens: figure,
      cost_micros: figure,
    }),
    { selector: ({ day: of, model }) => `${of} ${model}` },
  );
  fc.assert(
    fc.property(lines, lines, fc.subarray(days), (charged, reported, readDays) => {
      const compared = compareCosts(
        readDays.map((one) => read(one)),
        charged,
        reported,
      );
      for (const [side, all] of [["charged", charged] as const, ["reported", reported] as const]) {
        for (const name of [
          "requests",
          "prompt_tokens",
          "completion_tokens",
          "cost_micros",
        ] as const) {
          const sum = (values: (number | null | undefined)[]) =>
            values.reduce<number>((total, value) => total + (value ?? 0), 0);
          const expected = sum(
            all.filter((one) => readDays.includes(one.day)).map((one) => one[name]),
          );
          expect(compared.total[side]?.[name] ?? 0).toBe(expected);
          expect(sum(compared.models.map((model) => model[side]?.[name]))).toBe(expected);
          expect(sum(compared.days.map(({ total }) => total[side]?.[name]))).toBe(expected);
          expect(
            sum(compared.days.flatMap((one) => one.lines.map((model) => model[side]?.[name]))),
          ).toBe(expected);
        }
      }
      for (const {
        models,
        difference_micros,
        charged: ours,
        reported: theirs,
      } of compared.models) {
        expect(models.length).toBeGreaterThan(0);
        if (difference_micros !== null)
          expect(difference_micros).toBe((theirs?.cost_micros ?? 0) - (ours?.cost_micros ?? 0));
      }
    }),
  );
});
