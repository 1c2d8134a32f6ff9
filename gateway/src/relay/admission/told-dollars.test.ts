import * as fc from "fast-check";
import { expect, test } from "vitest";
import { tellDollars } from "./told-dollars.ts";

test.each([
  [54, "up", "$0.000108"],
  [500_000, "up", "$1.00"],
  [250_000_000, "up", "$501.00"],
  [250_000_000, "down", "$499.999998"],
  [252, "up", "$0.000506"],
  [0, "down", "$0.00"],
] as const)("%d units, %s: %s", (units, towards, told) => {
  expect(tellDollars(units, towards)).toBe(told);
});

test("no sum has digits that look like a status, and none is told on the wrong side", () => {
  fc.assert(
    fc.property(fc.integer({ min: 0, max: 2 ** 40 }), (units) => {
      for (const towards of ["up", "down"] as const) {
        const told = tellDollars(units, towards);
        expect(told).not.toMatch(/429|50[0234]|524/);
        const toldUnits = Math.round(Number(told.slice(1)) * 500_000);
        expect(towards === "up" ? toldUnits >= units : toldUnits <= units).toBe(true);
      }
    }),
  );
});
