import * as fc from "fast-check";
import { expect, test } from "vitest";
import { endsInText, endsText, parseStatedEnds } from "./told-ends.ts";

const ends = (...entries: unknown[]) =>
  [...parseStatedEnds(entries)].map(([model, { ends_on, replacement }]) => [
    model,
    ends_on,
    replacement,
  ]);

test.each([
  ["OpenAI's", { id: "m", shutdown_date: "2026-12-11" }, [["m", "2026-12-11", ""]]],
  ["OpenAI's, of one that stays", { id: "m", shutdown_date: null }, [["m", "", ""]]],
  ["OpenRouter's", { id: "a/m", expiration_date: "2026-12-11" }, [["a/m", "2026-12-11", ""]]],
  [
    "Mistral's",
    { id: "m", deprecation: "2026-08-31T12:00:00Z", deprecation_replacement_model: "newer" },
    [["m", "2026-08-31", "newer"]],
  ],
  [
    "Azure's",
    { id: "m", deprecation: { fine_tune: 1, inference: 1_796_947_200 } },
    [["m", "2026-12-11", ""]],
  ],
  ["a silent", { id: "m", created: 1 }, []],
  ["an odd", { id: "m", shutdown_date: "soon" }, []],
  ["an impossible", { id: "m", shutdown_date: "2026-13-40" }, []],
])("the day is read from %s entry", (_, entry, expected) => {
  expect(ends(entry)).toEqual(expected);
});

test("whatever a provider sends, a day is a day, and what a row holds is what was read", () => {
  const entry = fc.record(
    {
      id: fc.anything(),
      shutdown_date: fc.anything(),
      expiration_date: fc.anything(),
      deprecation: fc.anything(),
    },
    { requiredKeys: [] },
  );
  fc.assert(
    fc.property(fc.array(fc.oneof(entry, fc.anything())), (entries) => {
      const read = parseStatedEnds(entries);
      for (const { ends_on } of read.values()) expect(ends_on).toMatch(/^(?:20\d\d-\d\d-\d\d)?$/);
      const kept = endsInText(endsText(read));
      for (const [model, end] of read)
        if (model !== "__proto__") expect(kept.get(model)).toEqual(end);
    }),
  );
});
