import { expect, test } from "vitest";
import { modelsAfter, noModelsChosen } from "./chosen-models.ts";

test("what was chosen comes and goes, and all else stays in its order", () => {
  const channel = { models: "c,a,b" };
  expect(modelsAfter(channel, noModelsChosen)).toEqual(["c", "a", "b"]);
  expect(modelsAfter(channel, { added: ["z", "a"], gone: ["c"] })).toEqual(["a", "b", "z"]);
  expect(modelsAfter({ models: "" }, noModelsChosen)).toEqual([]);
});
