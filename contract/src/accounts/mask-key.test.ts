import { expect, test } from "vitest";
import { isMaskedKey, maskKey } from "./mask-key.ts";

test.each([
  ["", "***"],
  ["12345678", "***"],
  ["123456789", "1234***6789"],
  ["sk-3fAbCdEfGhIj", "sk-3***GhIj"],
])("the key %j is shown as %j", { tags: ["F-100"] }, (key, masked) => {
  expect(maskKey(key)).toBe(masked);
  expect([isMaskedKey(key), isMaskedKey(masked)]).toEqual([false, true]);
});
