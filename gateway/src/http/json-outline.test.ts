import * as fc from "fast-check";
import { expect, test } from "vitest";
import {
  bodyBounds,
  findExcess,
  isNestedDeeperThan,
  outlineHasRepetition,
  outlineJson,
} from "./json-outline.ts";

const spacings = fc.constantFrom(undefined, 1, 10, "\t", "\n".repeat(10));

/** `countedIn` does the same by walking the parsed value. */
function countedIn(value: unknown): { members: number; parts: number; numbers: number } {
  if (typeof value === "string") return { members: 0, parts: 1, numbers: 0 };
  if (typeof value !== "object" || value === null) return { members: 0, parts: 0, numbers: 0 };
  const inside = Object.values(value).map(countedIn);
  const sum = (name: "members" | "parts" | "numbers") =>
    inside.reduce((total, one) => total + one[name], 0);
  const own = Object.values(value).length;
  const plain = Object.values(value).filter(
    (one) => typeof one !== "string" && (typeof one !== "object" || one === null),
  );
  return Array.isArray(value)
    ? { members: sum("members"), parts: sum("parts") + 1, numbers: sum("numbers") + plain.length }
    : { members: sum("members") + own, parts: sum("parts") + 1 + own, numbers: sum("numbers") };
}

test("members, objects, arrays, strings and numbers are counted without parsing", {
  tags: ["FT-25"],
}, () => {
  fc.assert(
    fc.property(fc.jsonValue({ maxDepth: 6 }), spacings, (value, space) => {
      const { depth: _, ...outline } = outlineJson(JSON.stringify(value, null, space));
      expect(outline).toEqual(countedIn(value));
    }),
  );
});

test("texts full of quotes and backslashes are passed as a whole", () => {
  const parts = fc.constantFrom('"', "\\", "a", '\\"', "\n", "long enough to be no near quote");
  fc.assert(
    fc.property(fc.array(parts, { maxLength: 400 }), (texts) => {
      const value = { text: texts.join(""), next: [texts.join(""), 1] };
      expect(outlineJson(JSON.stringify(value))).toEqual({
        depth: 2,
        members: 2,
        parts: 6,
        numbers: 1,
      });
    }),
  );
  const dense = { text: '"'.repeat(10_000), next: "x" };
  expect(outlineJson(JSON.stringify(dense))).toMatchObject({ members: 2, parts: 5 });
});

test("an excess ends the count, however long the text is", () => {
  const members = `{${Array.from({ length: 60_000 }, (_, n) => `"m${n}":"x"`).join(",")}}`;
  const outline = outlineJson(members, bodyBounds);
  expect(findExcess(outline, bodyBounds)).toBe("parts");
  expect(outline.parts).toBe(bodyBounds.parts + 1);
  expect(findExcess(outlineJson(`[${"0,".repeat(100_000)}0]`, bodyBounds), bodyBounds)).toBe(
    "numbers",
  );
  expect(
    findExcess(outlineJson(`[${"0,".repeat(99_999)}0]`, bodyBounds), bodyBounds),
  ).toBeUndefined();
  expect(findExcess(outlineJson("[".repeat(1_000), bodyBounds), bodyBounds)).toBe("depth");
});

test("an object that has a member twice is found at any depth, and in no other text", {
  tags: ["S2-08"],
}, () => {
  fc.assert(
    fc.property(fc.jsonValue({ maxDepth: 6 }), spacings, (value, space) => {
      const json = JSON.stringify(value, null, space);
      expect(outlineHasRepetition(outlineJson(json), JSON.parse(json))).toBe(false);
    }),
  );
  const repeated = [
    '{"max_tokens":20000,"max_tokens":1}',
    '{"service_tier":"priority","service_tier":"default"}',
    '{"a":[1,[{"file_id":"hers","file_id":"his"}]]}',
    '{"a":{"file_id":"hers","\\u0066ile_id":null}}',
    '{"__proto__":1,"__proto__":2}',
    '{"":{},"":{}}',
    '[{"a":{"b":1},"a":2}]',
  ];
  const single = [
    '{"a":":","b":{"a":"\\":\\\\"}}',
    '[{"a":1},{"a":1}]',
    '{"a":"b","b":"a"}',
    '"a:b"',
    "null",
    "[]",
  ];
  const isRepeated = (json: string) => outlineHasRepetition(outlineJson(json), JSON.parse(json));
  expect(repeated.map(isRepeated)).toEqual(repeated.map(() => true));
  expect(single.map(isRepeated)).toEqual(single.map(() => false));
});

test("the depth of a body ignores brackets inside strings", () => {
  const depthOf = (value: unknown): number =>
    typeof value === "object" && value !== null
      ? 1 + Math.max(0, ...Object.values(value).map(depthOf))
      : 0;
  fc.assert(
    fc.property(fc.jsonValue({ maxDepth: 6 }), fc.nat(6), (value, max) => {
      expect(isNestedDeeperThan(JSON.stringify(value), max)).toBe(depthOf(value) > max);
    }),
  );
});
