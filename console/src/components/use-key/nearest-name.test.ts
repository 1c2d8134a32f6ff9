import fc from "fast-check";
import { expect, test } from "vitest";
import { computeEditDistance, findNearestName } from "./nearest-name.ts";

test.each([
  ["gtp-5", ["gpt-5", "claude-sonnet-4-5"], "gpt-5"],
  ["openai/gpt-5", ["gpt-5-mini", "gpt-5"], "gpt-5"],
  ["Claude-Sonnet-4.5", ["gpt-5", "claude-sonnet-4-5"], "claude-sonnet-4-5"],
  ["llama", ["gpt-5"], undefined],
  ["gpt-5", [], undefined],
])("for %s among %j %s was meant", (typed, names, meant) => {
  expect(findNearestName(typed, names)).toBe(meant);
});

test("the distance is 0 for equal names alone, and the same in both directions", () => {
  const name = fc.string({ maxLength: 12 });
  fc.assert(
    fc.property(name, name, (one, other) => {
      expect(computeEditDistance(one, other)).toBe(computeEditDistance(other, one));
      expect(computeEditDistance(one, other) === 0).toBe(one === other);
    }),
  );
});
