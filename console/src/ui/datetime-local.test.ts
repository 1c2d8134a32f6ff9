import { expect, test } from "vitest";
import { fromDateTimeLocal, toDateTimeLocal } from "./datetime-local.ts";

test("a time survives the input field to the second", () => {
  expect(fromDateTimeLocal(toDateTimeLocal(1_795_100_005))).toBe(1_795_100_005);
  expect(fromDateTimeLocal("")).toBeUndefined();
  expect(fromDateTimeLocal("soon")).toBeUndefined();
});
