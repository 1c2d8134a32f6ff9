import { expect, test } from "vitest";
import { isNotDeleted, isUnlimited } from "./user-compat.ts";

test("deleted accounts of compatible servers are hidden, and their quota of -1 is unlimited", () => {
  expect([1, 2, 3].map((status) => isNotDeleted({ status }))).toEqual([true, true, false]);
  expect([-1, 0, 5].map((quota) => isUnlimited({ quota }))).toEqual([true, false, false]);
});
