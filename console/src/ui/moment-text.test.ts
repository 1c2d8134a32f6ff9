import { expect, test } from "vitest";
import { fromMomentText, toMomentText } from "./moment-text.ts";

test("a moment survives the form field to the second", () => {
  expect(fromMomentText(toMomentText(1_795_100_005))).toBe(1_795_100_005);
  expect(fromMomentText("")).toBeUndefined();
  expect(fromMomentText("soon")).toBeUndefined();
});
