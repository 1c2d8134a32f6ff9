import { expect, test } from "vitest";
import { formatCodesFileName, isUsed } from "./redemption-screen-rules.ts";

test("only a used code is final", () => {
  expect([1, 2, 3].map((status) => isUsed({ status }))).toEqual([false, false, true]);
});

test.each([
  ["gift", "codes-gift.txt"],
  ["Sommer 2026 / ärger", "codes-Sommer-2026-ärger.txt"],
  ["../../etc", "codes-etc.txt"],
  ["***", "codes.txt"],
])("codes named %j are saved as %s", (name, file) => {
  expect(formatCodesFileName(name)).toBe(file);
});
