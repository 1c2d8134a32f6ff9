import fc from "fast-check";
import { expect, test } from "vitest";
import {
  buildHatch,
  calmMark,
  chooseFailureMark,
  chooseMark,
  collectSeriesMarks,
  restMark,
} from "./chart-palette.ts";

const names = fc.uniqueArray(fc.string({ minLength: 1, maxLength: 20 }), {
  minLength: 1,
  maxLength: 40,
});

test("a model has the same mark whichever models share the chart and in whichever order", () => {
  fc.assert(
    fc.property(names, fc.nat(), (models, part) => {
      const all = collectSeriesMarks(models);
      const some = collectSeriesMarks(models.slice(0, 1 + (part % models.length)).reverse());
      for (const [model, mark] of some) expect(mark).toEqual(all.get(model));
    }),
  );
});

test("of 400 names, few of equal colour share their hatch too", () => {
  const looks = new Map<string, number>();
  for (let index = 0; index < 400; index += 1) {
    const look = JSON.stringify(chooseMark(`vendor/model-${index}`));
    looks.set(look, (looks.get(look) ?? 0) + 1);
  }
  // Fifteen colours in seven hatches, of which the solid one has four shares of ten.
  expect(looks.size).toBeGreaterThan(90);
  expect(Math.max(...looks.values())).toBeLessThan(25);
});

test("every hatch can be drawn, and a solid mark has none", () => {
  for (let index = 0; index < 200; index += 1) {
    const mark = chooseMark(`m${index}`);
    expect(buildHatch(mark) === undefined).toBe(mark.hatch === 0);
  }
});

test("the sum of the remaining models has no model's colour", () => {
  expect(collectSeriesMarks(["gpt-5", "Other models"], "Other models").get("Other models")).toEqual(
    restMark,
  );
});

test("reasons of failures are red in marks that differ, and a client that left is not red", () => {
  const marks = Array.from({ length: 9 }, (_, place) => chooseFailureMark(place));
  expect(new Set(marks.map(({ colour, hatch }) => `${colour} ${hatch}`)).size).toBe(9);
  for (const { colour } of marks) expect(colour).toContain("var(--bad)");
  expect(calmMark.colour).not.toContain("bad");
});
