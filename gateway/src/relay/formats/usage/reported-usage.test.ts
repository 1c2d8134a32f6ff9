import { itemBuckets } from "@tollgate/contract/figures/usage-buckets.ts";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import {
  buckets,
  computeCompletionTokens,
  noUsage,
  promptTokens,
  type Usage,
} from "../../../money/prices/price.ts";
import { parseOpenAiUsage } from "./openai-usage.ts";
import {
  buildChargedUsage,
  buildUsageCeilings,
  findTokenCount,
  formatUsageNote,
  type ReportedUsage,
  type UsageLimits,
  unlimited,
} from "./reported-usage.ts";

test.each([
  [0, 0],
  [7, 7],
  [1_000_000_000_000, 1_000_000_000_000],
  [1_000_000_000_001, 1_000_000_000_000],
  [2 ** 53, undefined],
  [-1, undefined],
  [1.5, undefined],
  [Number.NaN, undefined],
  [Number.POSITIVE_INFINITY, undefined],
  ["7", undefined],
  [[7], undefined],
  [null, undefined],
  [undefined, undefined],
])("%j is a token count of %j", (value, tokens) => {
  expect(findTokenCount(value)).toBe(tokens);
});

const estimate = { ...noUsage, input: 100, output: 50 };
const seen: UsageLimits = { ...unlimited, isPromptSeen: () => true, isOutputSeen: () => true };
const distrusted: UsageLimits = { ...seen, isDistrusted: true };
const reportOf = (usage: Partial<Usage>, more: Partial<ReportedUsage> = {}): ReportedUsage => ({
  usage: { ...noUsage, ...usage },
  hiddenOutput: 0,
  isCorrected: false,
  ...more,
});

const tokens = fc.nat({ max: 900_000 });
const anyUsage = fc
  .record(Object.fromEntries(buckets.map((bucket) => [bucket, fc.option(tokens, { nil: 0 })])))
  .map((usage) => {
    const items = Object.fromEntries(
      itemBuckets.map((bucket) => [bucket, Math.min(usage[bucket] ?? 0, 10_000)]),
    );
    return { ...usage, ...items } as Usage;
  });

describe("the charged usage", () => {
  test("is the provider's final count, however far from what was seen", { tags: ["S2-02"] }, () => {
    fc.assert(
      fc.property(anyUsage, anyUsage, fc.boolean(), (usage, other, isSeen) => {
        const limits = {
          ...unlimited,
          promptMax: 1e9,
          completionMax: 1e9,
          isPromptSeen: () => isSeen,
          isOutputSeen: () => isSeen,
        };
        const charged = buildChargedUsage(reportOf(usage), other, limits);
        expect(charged.usage).toEqual(usage);
        expect(charged.reason).toBeUndefined();
        expect(charged.uncounted).toBeUndefined();
      }),
    );
  });
  test("is far from what was seen above four times of it and 1,000, and says so", {
    tags: ["S2-02"],
  }, () => {
    const marksOf = (usage: Partial<Usage>, limits = seen) =>
      buildChargedUsage(reportOf(usage), estimate, limits).marks;
    expect(marksOf({ input: 1_400, output: 1_200 })).toEqual([]);
    expect(marksOf({ input: 1_401, output: 1 })).toEqual(["usage_far"]);
    expect(marksOf({ input: 1, output: 1_201 })).toEqual(["usage_far"]);
    expect(marksOf({ input: 1_401, output: 1_201 }, unlimited)).toEqual([]);
  });
  test.each([
    { prompt_tokens: 1_401, completion_tokens: 1 },
    { prompt_tokens: 1, completion_tokens: 1_201 },
  ])("is the estimate when a distrusted provider reports %j", { tags: ["S2-02"] }, (wire) => {
    const charged = buildChargedUsage(parseOpenAiUsage(wire), estimate, distrusted);
    expect(charged).toMatchObject({
      usage: estimate,
      reason: "distrusted",
      marks: ["usage_far"],
      uncounted: { hasPrompt: true },
    });
    expect(charged.uncounted).toEqual({ hasPrompt: true, completionMin: 0 });
    expect(formatUsageNote(charged)).toBe(
      "usage estimated: the provider claimed far more than was seen, and may report false usage on this channel",
    );
  });
  test("of a distrusted provider keeps what is paid per use", { tags: ["S2-02"] }, () => {
    const usage = { input: 90_000, web_searches: 3, images: 1, seconds: 9, input_audio: 50_000 };
    expect(buildChargedUsage(reportOf(usage), estimate, distrusted).usage).toStrictEqual({
      ...estimate,
      web_searches: 3,
      images: 1,
      seconds: 9,
    });
  });
  test("of a distrusted provider keeps no more of what is paid per use than one call can have", {
    tags: ["S2-02"],
  }, () => {
    const claimed = { input: 90_000, web_searches: 20_000, code_runs: 10_000 };
    const charged = buildChargedUsage(reportOf(claimed), estimate, distrusted);
    expect(charged.usage).toStrictEqual({ ...estimate, web_searches: 10_000, code_runs: 10_000 });
    expect(charged.marks).toEqual(["usage_capped", "usage_far"]);
  });
  test("of a distrusted provider judges neither what is hidden nor what cannot be seen", {
    tags: ["S2-02"],
  }, () => {
    const usage = { ...noUsage, input: 1_400 + 7, output: 1_200 + 9 };
    const isBelieved = (hiddenOutput: number, hiddenPrompt: number) =>
      buildChargedUsage(reportOf(usage, { hiddenOutput, hiddenPrompt }), estimate, distrusted)
        .reason === undefined;
    expect([isBelieved(9, 7), isBelieved(8, 7), isBelieved(9, 6)]).toEqual([true, false, false]);
    const files = { ...distrusted, isPromptSeen: () => false };
    expect(buildChargedUsage(reportOf({ input: 90_000 }), estimate, files).usage.input).toBe(
      90_000,
    );
    const thoughts = { ...distrusted, isOutputSeen: () => false };
    expect(buildChargedUsage(reportOf({ output: 90_000 }), estimate, thoughts).usage.output).toBe(
      90_000,
    );
  });
  test("notes a fee that the provider bills and does not count", () => {
    const charged = buildChargedUsage(
      reportOf({ input: 1 }, { hasUnknownFee: true }),
      estimate,
      seen,
    );
    expect(charged).toStrictEqual({ usage: { ...noUsage, input: 1 }, marks: ["fee_unknown"] });
    const ofCall = (hasCallFee?: boolean) =>
      buildChargedUsage(reportOf({ input: 1 }, { hasUnknownFee: "of_call" }), estimate, {
        ...seen,
        ...(hasCallFee !== undefined && { hasCallFee }),
      }).marks;
    expect([ofCall(), ofCall(false), ofCall(true)]).toEqual([["fee_unknown"], ["fee_unknown"], []]);
    expect(formatUsageNote(charged)).toContain("whose fee the provider does not report");
  });
  test("notes when reported counts had to be corrected", () => {
    const charged = buildChargedUsage(
      reportOf({ input: 1 }, { isCorrected: true }),
      estimate,
      seen,
    );
    expect(charged).toStrictEqual({ usage: { ...noUsage, input: 1 }, marks: ["usage_corrected"] });
    expect(formatUsageNote(charged)).toBe(
      "usage corrected: the provider counted more cached than prompt tokens",
    );
    expect(formatUsageNote(buildChargedUsage(reportOf({ input: 1 }), estimate, seen))).toBe("");
  });
  test("is the estimate when there is no usage, and notes it", () => {
    const charged = buildChargedUsage(undefined, estimate, seen);
    expect(charged).toEqual({
      usage: estimate,
      reason: "none_reported",
      marks: [],
      uncounted: { hasPrompt: true, completionMin: 0 },
    });
    expect(formatUsageNote(charged)).toContain("gave none");
  });
});

test.each([undefined, true] as const)(
  "a prompt that its provider has not counted is estimated; partial: %j",
  (isPartial) => {
    const reported = reportOf(
      { output: 90 },
      { isPromptUncounted: true, ...(isPartial && { isPartial }) },
    );
    const charged = buildChargedUsage(reported, estimate);
    expect(charged.usage).toStrictEqual({ ...noUsage, input: 100, output: 90 });
    expect(charged.reason).toBe(isPartial ? "ended_early" : "none_reported");
    expect(reported.usage.input).toBe(0);
  },
);

describe("the charge of a stream that ended before its final count", () => {
  test("is the provider's prompt and the larger of its count and what was delivered", {
    tags: ["S2-01"],
  }, () => {
    fc.assert(
      fc.property(anyUsage, anyUsage, (usage, delivered) => {
        const limits = { ...unlimited, promptMax: 1e9, completionMax: 1e9 };
        const charged = buildChargedUsage(reportOf(usage, { isPartial: true }), delivered, limits);
        expect(charged.usage.input).toBe(usage.input);
        expect(charged.usage.cache_read).toBe(usage.cache_read);
        for (const bucket of ["output", "output_audio", "output_image", "web_searches"] as const) {
          expect(charged.usage[bucket] ?? 0).toBe(
            Math.max(usage[bucket] ?? 0, delivered[bucket] ?? 0),
          );
        }
        expect(charged).toMatchObject({
          reason: "ended_early",
          uncounted: { hasPrompt: false, completionMin: usage.output },
        });
      }),
    );
  });
});

test("of items that the provider or the gateway saw alone, each is charged, and no other is added", () => {
  const reported = reportOf({ input: 9, output: 5, web_searches: 2 }, { isPartial: true });
  const delivered: Usage = { ...noUsage, output: 50, images: 1 };
  expect(buildChargedUsage(reported, delivered)).toStrictEqual({
    usage: { ...noUsage, input: 9, output: 50, web_searches: 2, images: 1 },
    reason: "ended_early",
    marks: [],
    uncounted: { hasPrompt: false, completionMin: 5 },
  });
});

test("a count that is believed although it is far is noted", () => {
  expect(formatUsageNote({ marks: ["usage_far"] })).toBe(
    "the provider's usage is far from what was seen",
  );
  expect(formatUsageNote({ reason: "ended_early", marks: ["usage_far"] })).toContain(
    "far from what was seen",
  );
  expect(
    formatUsageNote({ reason: "distrusted", marks: ["usage_far", "usage_corrected"] }),
  ).toContain("usage corrected");
});

describe("the ceiling", () => {
  test.each<[string, [number, number, number, boolean], number, number]>([
    ["of an unknown model", [0, 0, 1, false], 1_000_000, 1_000_000],
    ["of a small window", [128_000, 16_384, 1, false], 1_000_000, 16_384],
    ["of a large window", [2_000_000, 65_536, 1, false], 2_000_000, 65_536],
    ["with tools of the provider", [200_000, 64_000, 1, true], 12_800_000, 64_000],
    ["of an unknown model with tools of the provider", [0, 0, 1, true], 1_000_000, 1_000_000],
    ["of several answers", [128_000, 1_000, 5, false], 1_000_000, 5_000],
    ["of a model that writes one token", [0, 1, 1, false], 1_000_000, 1],
    ["of no answer", [8_192, 0, 0, false], 1_000_000, 1_000_000],
  ])(
    "%s is far above what one call uses",
    { tags: ["S2-02"] },
    (_, [window, answer, answers, turns], promptMax, completionMax) => {
      expect(buildUsageCeilings(window, answer, answers, turns)).toEqual({
        promptMax,
        completionMax,
      });
    },
  );

  const limits: UsageLimits = { ...seen, promptMax: 1_000_000, completionMax: 5_000 };
  test("is charged where the provider reports more, and the row is marked", {
    tags: ["S2-02"],
  }, () => {
    const charged = buildChargedUsage(
      reportOf({ input: 1_000_001, output: 5_001 }),
      estimate,
      limits,
    );
    expect(charged).toMatchObject({
      usage: { input: 1_000_000, output: 5_000 },
      marks: ["usage_capped", "usage_far"],
    });
    expect(formatUsageNote(charged)).toContain("usage capped");
    expect(
      buildChargedUsage(reportOf({ input: 1_000_000, output: 5_000 }), estimate, limits).marks,
    ).toEqual(["usage_far"]);
  });
  test("bounds every count of any provider, and lowers none that is below", {
    tags: ["S2-02"],
  }, () => {
    const wild = fc.record(
      Object.fromEntries(buckets.map((bucket) => [bucket, fc.nat({ max: 1e12 })])),
    );
    fc.assert(
      fc.property(wild, (usage) => {
        const charged = buildChargedUsage(reportOf(usage as Usage), estimate, limits).usage;
        expect(promptTokens(charged)).toBe(
          Math.min(promptTokens(usage as Usage), limits.promptMax),
        );
        expect(computeCompletionTokens(charged)).toBe(
          Math.min(computeCompletionTokens(usage as Usage), limits.completionMax),
        );
        expect(charged.web_searches).toBe(Math.min(usage.web_searches ?? 0, 10_000));
        for (const bucket of buckets)
          expect(charged[bucket] ?? 0).toBeLessThanOrEqual(usage[bucket] ?? 0);
      }),
    );
  });
  test.each([
    "web_searches",
    "grounded_requests",
    "file_searches",
    "search_units",
    "code_runs",
    "container_sessions",
    "pages",
    "annotated_pages",
    "calls",
    "images",
    "seconds",
  ] as const)("of %s is ten thousand in one call", { tags: ["S2-02"] }, (bucket) => {
    const of = (count: number) =>
      buildChargedUsage(reportOf({ input: 1, [bucket]: count }), estimate, limits);
    expect(of(10_000)).toMatchObject({ usage: { [bucket]: 10_000 }, marks: [] });
    expect(of(10_001)).toMatchObject({ usage: { [bucket]: 10_000 }, marks: ["usage_capped"] });
  });
  test("of an answer holds where the prompt is small", { tags: ["S2-02"] }, () => {
    expect(buildChargedUsage(reportOf({ output: 5_001 }), estimate, limits)).toMatchObject({
      usage: { output: 5_000 },
      marks: ["usage_capped", "usage_far"],
    });
    expect(unlimited).toMatchObject({ promptMax: 1_000_000, completionMax: 1_000_000 });
  });
  test("ordinary tokens stay before cached ones", () => {
    const usage = { input: 600_000, cache_read: 600_000 };
    expect(buildChargedUsage(reportOf(usage), estimate, limits).usage).toMatchObject({
      input: 600_000,
      cache_read: 400_000,
    });
  });
});
