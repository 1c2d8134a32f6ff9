import fc from "fast-check";
import { expect, test } from "vitest";
import { parseFolded, toggleFolded } from "./folded-cards.ts";

test("what is folded twice is as it was, and other cards stay as they are", () => {
  const names = fc.uniqueArray(fc.constantFrom("spenders", "busy-hours", "cache", "speed"));
  fc.assert(
    fc.property(names, fc.constantFrom("spenders", "speed"), (folded, card) => {
      const once = parseFolded(toggleFolded(folded.join(","), card));
      expect(once.includes(card)).toBe(!folded.includes(card));
      expect(once.filter((name) => name !== card)).toEqual(folded.filter((name) => name !== card));
      expect(parseFolded(toggleFolded(once.join(","), card)).toSorted()).toEqual(folded.toSorted());
    }),
  );
});

test("a stored text of another program folds nothing", () => {
  for (const text of ["", "{}", "[1]", "<b>", ",,"]) expect(parseFolded(text)).toEqual([]);
});
