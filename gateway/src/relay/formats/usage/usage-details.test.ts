import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { noUsage } from "../../../money/prices/price.ts";
import { parseMessagesUsage } from "./messages-usage.ts";
import { parseOpenAiUsage } from "./openai-usage.ts";
import { buildChargedUsage } from "./reported-usage.ts";
import { buildFlatCounts, buildUsageDetails, formatUnknownNote } from "./usage-details.ts";

test("a row keeps what the provider reported, by path", () => {
  const wire = {
    input_tokens: 3,
    output_tokens: 4,
    cache_creation: { ephemeral_5m_input_tokens: 2 },
    iterations: [{ type: "advisor_message", input_tokens: 1, output_tokens: 5 }],
    service_tier: "standard",
  };
  const details = buildUsageDetails(buildChargedUsage(parseMessagesUsage(wire), noUsage));
  expect(details).toStrictEqual({
    family: "anthropic",
    reported: {
      input_tokens: 3,
      output_tokens: 4,
      "cache_creation.ephemeral_5m_input_tokens": 2,
      "iterations.0.type": "advisor_message",
      "iterations.0.input_tokens": 1,
      "iterations.0.output_tokens": 5,
      service_tier: "standard",
    },
  });
});

test("counts that the gateway does not know are named, unless they are 0", () => {
  const wire = {
    prompt_tokens: 1,
    completion_tokens: 1,
    moon_tokens: 9,
    details: { dust: 3, none: 0 },
  };
  const details = buildUsageDetails(buildChargedUsage(parseOpenAiUsage(wire), noUsage));
  expect(details.unknown).toEqual(["moon_tokens", "details.dust"]);
  expect(formatUnknownNote(details)).toContain("moon_tokens, details.dust");
  expect(formatUnknownNote({})).toBe("");
});

test("a single mark, and a single count that the gateway does not know, are kept", () => {
  const wire = { prompt_tokens: 1, completion_tokens: 1, moon_tokens: 9 };
  const charged = buildChargedUsage(parseOpenAiUsage(wire), noUsage);
  const details = buildUsageDetails({ ...charged, marks: ["usage_far"] });
  expect([details.marks, details.unknown]).toEqual([["usage_far"], ["moon_tokens"]]);
});

test("a row without usage of the provider has its reason", () => {
  expect(buildUsageDetails(buildChargedUsage(undefined, noUsage))).toEqual({
    reason: "none_reported",
  });
});

test("whatever a provider sends, little is kept", () => {
  fc.assert(
    fc.property(
      fc.dictionary(fc.string(), fc.jsonValue({ maxDepth: 8 }), { maxKeys: 200 }),
      (members) => {
        const counts = Object.entries(buildFlatCounts(members as Record<string, unknown>));
        expect(counts.length).toBeLessThanOrEqual(64);
        for (const [path, value] of counts) {
          expect(path.length).toBeLessThanOrEqual(100);
          expect(String(value).length).toBeLessThanOrEqual(40);
        }
      },
    ),
  );
});

describe("the counts that a row keeps", () => {
  const names = (count: number): Record<string, number> =>
    Object.fromEntries(Array.from({ length: count }, (_, n) => [`m${n}`, n]));

  test("are 64 counts at most", () => {
    expect(Object.keys(buildFlatCounts(names(64)))).toHaveLength(64);
    expect(Object.keys(buildFlatCounts(names(65)))).toHaveLength(64);
  });
  test("are words of 40 letters and paths of 100 at most", () => {
    const [longest, longer] = ["a".repeat(40), "a".repeat(41)];
    expect(buildFlatCounts({ longest, longer })).toEqual({ longest });
    expect(buildFlatCounts({ ["p".repeat(100)]: 1, ["p".repeat(101)]: 2 })).toEqual({
      ["p".repeat(100)]: 1,
    });
  });
  test("are counts that lie five objects deep at most", () => {
    expect(buildFlatCounts({ a: { b: { c: { d: { e: 1, f: { g: 2 } } } } } })).toEqual({
      "a.b.c.d.e": 1,
    });
  });
});
