import { expect, test } from "vitest";
import { offeredModels } from "./model-picker-rules.ts";

const offered = ["gpt-4o", "gpt-4o-mini", "o3"];

test("typing filters the list case-insensitively", () => {
  expect(offeredModels(offered, [], "GPT", false).shown).toEqual(["gpt-4o", "gpt-4o-mini"]);
  expect(offeredModels(offered, [], "  ", false).shown).toEqual(offered);
});

test("a chosen model that is no longer offered can be unchecked", () => {
  expect(offeredModels(offered, ["old-model"], "", false).shown).toEqual([...offered, "old-model"]);
});

test("custom names can be added where allowed, several at once", () => {
  expect(offeredModels(offered, [], "mine", true).addable).toEqual(["mine"]);
  expect(offeredModels(offered, [], "o3", true).addable).toBeUndefined();
  expect(offeredModels(offered, [], "a, b,a,o3", true).addable).toEqual(["a", "b"]);
  expect(offeredModels(offered, [], "mine", false).addable).toBeUndefined();
});
