import { expect, test } from "vitest";
import { amountTyped } from "./whole-number.ts";

test("a typed amount that the form would refuse is not known", () => {
  expect(amountTyped("500000")).toBe(500_000);
  for (const text of ["", " ", "-1", "1.5", "many", "Infinity"]) expect(amountTyped(text)).toBeNaN();
});
