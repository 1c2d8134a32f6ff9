import { expect, test } from "vitest";
import { listOfferedModels } from "./model-picker-rules.ts";

const offered = ["gpt-4o", "gpt-4o-mini", "o3"];

test("typing filters the list case-insensitively", () => {
  expect(listOfferedModels(offered, [], "GPT", false).shown).toEqual(["gpt-4o", "gpt-4o-mini"]);
  expect(listOfferedModels(offered, [], "  ", false).shown).toEqual(offered);
});

test("a chosen model that is no longer offered can be unchecked", () => {
  expect(listOfferedModels(offered, ["old-model"], "", false).shown).toEqual([
    ...offered,
    "old-model",
  ]);
});

test("custom names can be added where allowed, several at once", () => {
  expect(listOfferedModels(offered, [], "mine", true).addable).toEqual(["mine"]);
  expect(listOfferedModels(offered, [], "o3", true).addable).toBeUndefined();
  expect(listOfferedModels(offered, [], "a, b,a,o3", true).addable).toEqual(["a", "b"]);
  expect(listOfferedModels(offered, [], "mine", false).addable).toBeUndefined();
});
