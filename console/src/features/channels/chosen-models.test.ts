import { expect, test } from "vitest";
import { listActsBack, listModels, noModelsChosen } from "./chosen-models.ts";

test("what was chosen comes and goes, and all else stays in its order", () => {
  const channel = { models: "c,a,b" };
  expect(listModels(channel, noModelsChosen)).toEqual(["c", "a", "b"]);
  expect(listModels(channel, { added: ["z", "a"], gone: ["c"] })).toEqual(["a", "b", "z"]);
  expect(listModels({ models: "" }, noModelsChosen)).toEqual([]);
});

test("Undo first brings back what went, then takes away what came", () => {
  expect(listActsBack("c1", { added: ["z", "a"], gone: ["c"] })).toEqual([
    { ids: ["c1"], verb: "add_models", models: "c" },
    { ids: ["c1"], verb: "remove_models", models: "z,a" },
  ]);
  expect(listActsBack("c1", noModelsChosen)).toEqual([]);
});
