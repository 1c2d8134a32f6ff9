import { expect, test } from "vitest";
import { offeredModels } from "./model-picker-rules.ts";

const offered = ["gpt-4o", "gpt-4o-mini", "o3"];

test("typing narrows the list without regard to case", () => {
  expect(offeredModels(offered, [], "GPT", false).shown).toEqual(["gpt-4o", "gpt-4o-mini"]);
  expect(offeredModels(offered, [], "  ", false).shown).toEqual(offered);
});

test("what is chosen and no longer offered can still be unchecked", () => {
  expect(offeredModels(offered, ["old-model"], "", false).shown).toEqual([...offered, "old-model"]);
});

test("own names can be added where they are allowed, several at once", () => {
  expect(offeredModels(offered, [], "mine", true).addable).toEqual(["mine"]);
  expect(offeredModels(offered, [], "o3", true).addable).toBeUndefined();
  expect(offeredModels(offered, [], "a, b,a,o3", true).addable).toEqual(["a", "b"]);
  expect(offeredModels(offered, [], "mine", false).addable).toBeUndefined();
});
