import fc from "fast-check";
import { expect, test } from "vitest";
import { colourIndexOf, hatchOf, paletteSize, seriesMarks } from "./chart-palette.ts";

const names = fc.uniqueArray(fc.string({ minLength: 1, maxLength: 20 }), { minLength: 1, maxLength: paletteSize });

test("a model keeps its colour whichever models share the chart and in whichever order", () => {
  fc.assert(
    fc.property(names, (models) => {
      const marks = seriesMarks(models);
      const reversed = seriesMarks([...models].reverse());
      for (const model of models) {
        expect(marks.get(model)?.colour).toBe(`var(--series-${colourIndexOf(model) + 1})`);
        expect(reversed.get(model)).toEqual(marks.get(model));
      }
    }),
  );
});

test("two models of equal colour differ by their hatch", () => {
  fc.assert(
    fc.property(names, (models) => {
      const looks = [...seriesMarks(models).values()].map((mark) => JSON.stringify([mark.colour, hatchOf(mark)]));
      expect(new Set(looks).size).toBe(models.length);
    }),
  );
});

test("the sum of the remaining models has no model's colour", () => {
  expect(seriesMarks(["gpt-5", "Other models"], "Other models").get("Other models")?.colour).toBe("var(--faint)");
});
