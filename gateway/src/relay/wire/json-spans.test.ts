import * as fc from "fast-check";
import { expect, test } from "vitest";
import { addMembers, findLeadingText, listTopLevelSpans, stripMembers } from "./json-spans.ts";

const objects = fc.dictionary(fc.string({ unit: "grapheme" }), fc.jsonValue());
const spacings = fc.constantFrom(undefined, 1, 2, "\t", "\n");

test("every top-level value is found at its offsets", () => {
  fc.assert(
    fc.property(objects, spacings, (object, space) => {
      const bytes = Buffer.from(JSON.stringify(object, null, space));
      const found = listTopLevelSpans(bytes).map(({ key, start, end }) => [
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
      const changed = JSON.parse(
        addMembers(bytes, { model: JSON.stringify(value) }).toString("utf8"),
      );
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
  expect(addMembers(Buffer.from(before), { a: "1" }).toString()).toBe(after);
});

test("removing members leaves the others as they were written", () => {
  fc.assert(
    fc.property(objects, spacings, fc.jsonValue(), (object, space, value) => {
      const bytes = Buffer.from(
        JSON.stringify({ models: value, ...object, fallbacks: value }, null, space),
      );
      const { models: _, fallbacks: __, ...rest } = JSON.parse(bytes.toString("utf8"));
      expect(JSON.parse(stripMembers(bytes, ["models", "fallbacks"]).toString("utf8"))).toEqual(
        rest,
      );
    }),
  );
  const text = '{"models":["a"],"seed":12345678901234567890, "x" : 1.0}';
  expect(stripMembers(Buffer.from(text), ["models"]).toString()).toBe(
    '{"seed":12345678901234567890, "x" : 1.0}',
  );
});

test("large numbers and odd spellings elsewhere survive to the digit", () => {
  const body = '{"seed":12345678901234567890123,"model":"m","x":1.50e+3}';
  expect(addMembers(Buffer.from(body), { model: '"n"' }).toString()).toBe(
    body.replace('"m"', '"n"'),
  );
});

test("a text at the beginning is found wherever the rest breaks off, and only at the top", () => {
  const whole = Buffer.from(
    JSON.stringify({ stream: true, tools: [{ model: "not this" }], model: 'm"1', more: "x" }),
  );
  const modelEnd = whole.indexOf(',"more"');
  for (let length = 0; length <= whole.length; length += 1)
    expect(findLeadingText(whole.subarray(0, length), "model")).toBe(
      length > modelEnd ? 'm"1' : undefined,
    );
  expect(findLeadingText(Buffer.from('{"model":7,"x":1}'), "model")).toBeUndefined();
  expect(findLeadingText(Buffer.from("no JSON"), "model")).toBeUndefined();
});

test("a text full of quotes ends where it ends", () => {
  const value = { a: '"'.repeat(1_000), b: `${"\\".repeat(100)}"x`, model: "m" };
  expect(listTopLevelSpans(Buffer.from(JSON.stringify(value))).map(({ key }) => key)).toEqual([
    "a",
    "b",
    "model",
  ]);
});
