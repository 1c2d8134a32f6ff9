import { expect, test } from "vitest";
import { readProcessCount } from "./process-group.ts";

test.each([
  [[], 1],
  [["--processes", "4"], 4],
  [["--processes=16"], 16],
  [["--processes", "17"], undefined],
  [["--processes", "0"], undefined],
  [["--processes"], undefined],
  [["--processes", "two"], undefined],
  [["--processes", "2", "3"], undefined],
  [["4"], undefined],
])("of the arguments %j, %s processes are read", (args, count) => {
  expect(readProcessCount(args)).toBe(count);
});
