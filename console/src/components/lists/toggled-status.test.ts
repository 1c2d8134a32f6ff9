import { expect, test } from "vitest";
import { buildToggledStatus } from "./toggled-status.ts";

test("the switch of a row disables what is enabled and enables everything else", () => {
  expect([0, 1, 2, 3, 4, 99].map(buildToggledStatus)).toEqual([1, 2, 1, 1, 1, 1]);
});
