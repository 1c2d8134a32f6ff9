import fc from "fast-check";
import { expect, test } from "vitest";
import { composeBodyKey, openBody, sealBody } from "./sealed-body.ts";

const text = fc.record({
  text: fc.string({ unit: "binary" }),
  type: fc.string(),
  is_cut: fc.boolean(),
});
const body = fc.record({
  mode: fc.constantFrom("redacted" as const, "full" as const),
  request: text,
  answer: text,
});

test("what was sealed is read with its key, and nothing of it stands in the object", () => {
  fc.assert(
    fc.property(body, fc.integer({ min: 1 }), (kept, callId) => {
      const key = composeBodyKey();
      expect(openBody(sealBody(kept, callId, key), callId, key)).toEqual(kept);
    }),
  );
  const plain = { text: "the quick brown fox", type: "application/json", is_cut: false };
  const sealed = sealBody({ mode: "full", request: plain, answer: plain }, 1, composeBodyKey());
  expect(sealed.toString("latin1")).not.toContain("quick");
});

test("an object is not read with another key, in the place of another one, or after a change of any byte", () => {
  const key = composeBodyKey();
  const part = { text: "x", type: "", is_cut: false };
  const sealed = sealBody({ mode: "full", request: part, answer: part }, 7, key);
  expect(() => openBody(sealed, 7, composeBodyKey())).toThrow();
  expect(() => openBody(sealed, 8, key)).toThrow();
  for (let at = 0; at < sealed.length; at += 1) {
    const changed = Buffer.from(sealed);
    changed.writeUInt8(changed.readUInt8(at) ^ 1, at);
    expect(() => openBody(changed, 7, key)).toThrow();
  }
  expect(() => openBody(sealed.subarray(0, 20), 7, key)).toThrow("cut short");
});
