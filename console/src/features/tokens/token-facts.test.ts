import { expect, test } from "vitest";
import { computeAddressCount, listUnofferedModels } from "./token-facts.ts";

test("a chosen model that no channel serves is named, once the offered ones are known", () => {
  expect(listUnofferedModels(["gpt-5", "gone"], ["gpt-5", "o3"])).toEqual(["gone"]);
  expect(listUnofferedModels(["gpt-5", "gone"], [])).toEqual([]);
});

test("addresses and ranges are counted without the blanks and empty parts between them", () => {
  expect(computeAddressCount(" ")).toBe(0);
  expect(computeAddressCount("10.0.0.0/8, ,203.0.113.7,")).toBe(2);
});
