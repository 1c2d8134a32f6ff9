import { expect, test } from "vitest";
import { findOnlyModels } from "./only-models.ts";

const channel = (id: number, models: string, group = "default", status = 1) => ({
  id,
  models,
  group,
  status,
});

test("a model is lost with the last enabled channel that offers it to one of its groups", () => {
  const gone = channel(1, "small, big,rare", "default,vip");
  expect(findOnlyModels(gone, [gone])).toEqual(["small", "big", "rare"]);
  const others = [
    gone,
    channel(2, "small", "default,vip"),
    channel(3, "big", "vip"),
    channel(4, "rare", "default,vip", 2),
  ];
  expect(findOnlyModels(gone, others)).toEqual(["big", "rare"]);
  expect(findOnlyModels({ ...gone, status: 2 }, [])).toEqual([]);
});
