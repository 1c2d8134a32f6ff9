import { expect, test } from "vitest";
import { readProcessCount } from "./process-group.ts";

test.each([
  [undefined, 1],
  ["4", 4],
  ["16", 16],
  ["17", undefined],
  ["0", undefined],
  ["two", undefined],
  ["", undefined],
])("of --processes %j, %s processes are read", (text, count) => {
  expect(readProcessCount(text)).toBe(count);
});
