import { expect, test } from "vitest";
import { buildBurnDown } from "./burn-down.ts";

const now = Date.UTC(2026, 10, 20, 12);
const day = 86_400_000;

test("a balance lasts as many days as it holds of the mean day", () => {
  expect(buildBurnDown(1_000, 100, now)).toEqual({
    kind: "until",
    dayMs: now + 10 * day,
    isSoon: false,
  });
  expect(buildBurnDown(650, 100, now)).toEqual({
    kind: "until",
    dayMs: now + 6.5 * day,
    isSoon: true,
  });
});

test("nothing spent, nothing left, and more than a year have no date", () => {
  expect(buildBurnDown(1_000, 0, now)).toEqual({ kind: "idle" });
  expect(buildBurnDown(0, 10, now)).toEqual({ kind: "empty" });
  expect(buildBurnDown(366, 1, now)).toEqual({ kind: "long" });
  expect(buildBurnDown(365, 1, now).kind).toBe("until");
});
