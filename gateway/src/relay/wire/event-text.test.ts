import fc from "fast-check";
import { expect, test } from "vitest";
import { ownValueStart } from "./event-text.ts";

const typeOf = (data: string): unknown => {
  const start = ownValueStart(data, "type");
  return start < 0 ? undefined : data.slice(start, data.indexOf('"', start + 1) + 1);
};

test.each([
  ['{"type":"done","response":{"type":"inner"}}', '"done"'],
  ['{"response":{"output":[{"type":"inner"}],"type":"inner"},"type":"done"}', '"done"'],
  ['{"items":[{"type":"inner"}], "type": "done"}', '"done"'],
  [String.raw`{"text":"a \"quote\" { [","part":{"type":"inner"},"type":"done"}`, '"done"'],
  [String.raw`{"part":{"text":"\\"},"type":"done"}`, '"done"'],
  ['{"value":"type","part":{"type":"inner"},"type":"done"}', '"done"'],
  ['{"response":{"type":"inner"}}', undefined],
  ['{"list":[{"type":"inner"}]}', undefined],
  ['{"part":{"text":"never ends', undefined],
  ["{}", undefined],
])("in %s the type of the event is %s", (data, type) => {
  expect(typeOf(data)).toBe(type);
});

test("the member of the object itself is found in any JSON, in any order", () => {
  const inner = fc.jsonValue({ maxDepth: 3 });
  const members = fc.dictionary(
    fc.stringMatching(/^[a-s]{1,5}$/),
    fc.oneof(inner, fc.constant({ type: "inner" })),
  );
  fc.assert(
    fc.property(members, members, (before, after) => {
      expect(typeOf(JSON.stringify({ ...before, type: "own", ...after }))).toBe('"own"');
    }),
  );
});
