import { expect, test } from "vitest";
import { actsBack, modelsAfter, noModelsChosen } from "./chosen-models.ts";

test("what was chosen comes and goes, and all else stays in its order", () => {
  const channel = { models: "c,a,b" };
  expect(modelsAfter(channel, noModelsChosen)).toEqual(["c", "a", "b"]);
  expect(modelsAfter(channel, { added: ["z", "a"], gone: ["c"] })).toEqual(["a", "b", "z"]);
  expect(modelsAfter({ models: "" }, noModelsChosen)).toEqual([]);
});

test("Undo first brings back what went, then takes away what came", () => {
  expect(actsBack("c1", { added: ["z", "a"], gone: ["c"] })).toEqual([
    { ids: ["c1"], verb: "add_models", models: "c" },
    { ids: ["c1"], verb: "remove_models", models: "z,a" },
  ]);
  expect(actsBack("c1", noModelsChosen)).toEqual([]);
});
