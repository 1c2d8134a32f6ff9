import { expect, test } from "vitest";
import { computeAmountTyped } from "./whole-number.ts";

test("a typed amount that the form would refuse is not known", () => {
  expect(computeAmountTyped("500000")).toBe(500_000);
  for (const text of ["", " ", "-1", "1.5", "many", "Infinity"])
    expect(computeAmountTyped(text)).toBeNaN();
});
