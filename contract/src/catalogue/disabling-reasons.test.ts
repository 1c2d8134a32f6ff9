import { expect, test } from "vitest";
import {
  readDisablingReason,
  writeDisablingReason,
  writeLastKeyReason,
} from "./disabling-reasons.ts";

test.each([
  ["key_refused", ["invalid_api_key"], "The provider refused the key: invalid_api_key"],
  ["test_failed", ["status 500: a\nb"], "Channel test failed: status 500: a\nb"],
  ["test_slow", ["5.1", "5"], "The test took 5.1 s; the limit is 5 s"],
  ["not_covered", ["3"], "3 calls within a day cost more than hold, balance and debt cover"],
] as const)("the reason %s is read back out of its sentence", (kind, values, sentence) => {
  expect(writeDisablingReason(kind, ...values)).toBe(sentence);
  expect(readDisablingReason(sentence)).toEqual({
    kind,
    values: [values[0], values[1]],
    isOfLastKey: false,
  });
  expect(readDisablingReason(writeLastKeyReason(sentence))).toMatchObject({
    kind,
    isOfLastKey: true,
  });
});

test("a sentence of another server stays what it is", () => {
  expect(readDisablingReason("insufficient quota")).toBeUndefined();
  expect(readDisablingReason("")).toBeUndefined();
});
