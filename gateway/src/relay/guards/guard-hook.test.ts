import fc from "fast-check";
import { expect, test } from "vitest";
import { GuardHookFailed, readAnswer, showMessage } from "./guard-hook.ts";

test("an answer is allow, deny, or a replacement for each text", () => {
  expect(readAnswer('{"action":"allow"}', 2)).toEqual({ action: "allow" });
  expect(readAnswer('{"action":"deny","message":"no"}', 2)).toEqual({
    action: "deny",
    message: "no",
  });
  expect(readAnswer('{"action":"replace","texts":["a","b"]}', 2)).toEqual({
    action: "replace",
    texts: ["a", "b"],
  });
  expect(() => readAnswer('{"action":"replace","texts":["a"]}', 2)).toThrow(GuardHookFailed);
});

test("anything else is a failure of the hook, and never allows a call", () => {
  fc.assert(
    fc.property(fc.oneof(fc.string(), fc.json()), (text) => {
      expect(() => readAnswer(text, 1)).toThrow(GuardHookFailed);
    }),
  );
});

test("the words of the hook are one short line", () => {
  expect(showMessage(" not\r\nthis\u202E ")).toBe("not this");
  expect(showMessage("x".repeat(10_000))).toHaveLength(500);
});
