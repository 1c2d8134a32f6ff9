import fc from "fast-check";
import { expect, test } from "vitest";
import { differentModels } from "./model-difference-rules.ts";

const name: fc.Arbitrary<string> = fc.constantFrom("a", "b", "c", "d", "e", "f");
const names = fc.uniqueArray(name);
const mappings = fc.dictionary(name, name);

test("a model that the provider knows by another name is neither new nor gone", () => {
  const channel = { models: "fast,exact,old", model_mapping: '{"fast":"model-2026-01"}' };
  expect(differentModels(channel, ["model-2026-01", "exact", "new"], true)).toEqual({
    added: ["new"],
    gone: ["old"],
  });
});

test("of a list that may go on, no model counts as gone", () => {
  expect(differentModels({ models: "a,b", model_mapping: null }, ["b", "c"], false)).toEqual({
    added: ["c"],
    gone: [],
  });
});

test("a difference that was taken over is not reported again, and what is offered stays", () => {
  fc.assert(
    fc.property(names, names, mappings, (own, offered, mapping) => {
      const model_mapping = JSON.stringify(mapping);
      const { added, gone } = differentModels(
        { models: own.join(","), model_mapping },
        offered,
        true,
      );
      const kept = own.filter((model) => !gone.includes(model));
      expect(kept.every((model) => offered.includes(mapping[model] ?? model))).toBe(true);
      expect(added.some((model) => own.includes(model))).toBe(false);
      // A new name that the mapping leads elsewhere is a name of its own, which the provider may
      // not know.
      const taken = added.filter((model) => offered.includes(mapping[model] ?? model));
      const next = differentModels(
        { models: [...kept, ...taken].join(","), model_mapping },
        offered,
        true,
      );
      expect(next.gone).toEqual([]);
      expect(next.added.every((model) => !taken.includes(model))).toBe(true);
    }),
  );
});
