import * as fc from "fast-check";
import { expect, test } from "vitest";
import { hasRepeatedMember, isNestedDeeperThan, topLevelSpans, withMembers, withoutMembers } from "./json-spans.ts";

const objects = fc.dictionary(fc.string({ unit: "grapheme" }), fc.jsonValue());
const spacings = fc.constantFrom(undefined, 1, 2, "\t", "\n");

test("every top-level value is found at its offsets", () => {
  fc.assert(
    fc.property(objects, spacings, (object, space) => {
      const bytes = Buffer.from(JSON.stringify(object, null, space));
      const found = topLevelSpans(bytes).map(({ key, start, end }) => [
        key,
        JSON.parse(bytes.toString("utf8", start, end)),
      ]);
      expect(found).toEqual(Object.entries(JSON.parse(bytes.toString("utf8"))));
    }),
  );
});

test("replacing members changes them and nothing else", () => {
  fc.assert(
    fc.property(objects, spacings, fc.jsonValue(), (object, space, value) => {
      const bytes = Buffer.from(JSON.stringify(object, null, space));
      const changed = JSON.parse(withMembers(bytes, { model: JSON.stringify(value) }).toString("utf8"));
      expect(changed).toEqual(JSON.parse(JSON.stringify({ ...object, model: value })));
    }),
  );
});

test.each([
  ["{}", '{"a":1}'],
  ['{"b":2}', '{"a":1,"b":2}'],
  ['{ "a" : 7 , "b":{"a":3} }', '{ "a" : 1 , "b":{"a":3} }'],
  ['{"a":"x\\"}{","a":2}', '{"a":1,"a":1}'],
])("%s with a set to 1 is %s", (before, after) => {
  expect(withMembers(Buffer.from(before), { a: "1" }).toString()).toBe(after);
});

test("removing members leaves the others as they were written", () => {
  fc.assert(
    fc.property(objects, spacings, fc.jsonValue(), (object, space, value) => {
      const bytes = Buffer.from(JSON.stringify({ models: value, ...object, fallbacks: value }, null, space));
      const { models: _, fallbacks: __, ...rest } = JSON.parse(bytes.toString("utf8"));
      expect(JSON.parse(withoutMembers(bytes, ["models", "fallbacks"]).toString("utf8"))).toEqual(rest);
    }),
  );
  const text = '{"models":["a"],"seed":12345678901234567890, "x" : 1.0}';
  expect(withoutMembers(Buffer.from(text), ["models"]).toString()).toBe('{"seed":12345678901234567890,"x" : 1.0}');
});

test("large numbers and odd spellings elsewhere survive to the digit", () => {
  const body = '{"seed":12345678901234567890123,"model":"m","x":1.50e+3}';
  expect(withMembers(Buffer.from(body), { model: '"n"' }).toString()).toBe(body.replace('"m"', '"n"'));
});

test("an object that has a member twice is found at any depth, and in no other text", { tags: ["S2-08"] }, () => {
  fc.assert(
    fc.property(fc.jsonValue({ maxDepth: 6 }), spacings, (value, space) => {
      const json = JSON.stringify(value, null, space);
      expect(hasRepeatedMember(json, JSON.parse(json))).toBe(false);
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
  const single = ['{"a":":","b":{"a":"\\":\\\\"}}', '[{"a":1},{"a":1}]', '{"a":"b","b":"a"}', '"a:b"', "null", "[]"];
  const isRepeated = (json: string) => hasRepeatedMember(json, JSON.parse(json));
  expect(repeated.map(isRepeated)).toEqual(repeated.map(() => true));
  expect(single.map(isRepeated)).toEqual(single.map(() => false));
});

test("the depth of a body ignores brackets inside strings", () => {
  const depthOf = (value: unknown): number =>
    typeof value === "object" && value !== null ? 1 + Math.max(0, ...Object.values(value).map(depthOf)) : 0;
  fc.assert(
    fc.property(fc.jsonValue({ maxDepth: 6 }), fc.nat(6), (value, max) => {
      expect(isNestedDeeperThan(JSON.stringify(value), max)).toBe(depthOf(value) > max);
    }),
  );
});
