import { expect, test } from "vitest";
import { listBarPaths, listStackTops } from "./stack.ts";

test("each series is stacked on those before it", () => {
  expect(
    listStackTops([
      [1, 2],
      [10, 0],
      [100, 5],
    ]),
  ).toEqual([
    [1, 2],
    [11, 2],
    [111, 7],
  ]);
});

test("a path has one bar for every value that is not zero", () => {
  const plot = { left: 0, top: 0, width: 100, height: 100 };
  // two slots of 50 px with bars of 36 px in the middle; a value of 10 is 10 px high
  expect(
    listBarPaths(
      listStackTops([
        [10, 0],
        [5, 20],
      ]),
      plot,
      (value) => 100 - value,
    ),
  ).toEqual(["M7 100V90h36V100z", "M7 90V85h36V90zM57 100V80h36V100z"]);
});
