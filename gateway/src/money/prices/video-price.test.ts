// Which price a size of video has.
import { expect, test } from "vitest";
import { findVideoSecondRate, inSize, priceSizes } from "./video-price.ts";

test("a size is found as it stands first, and then lying for upright", () => {
  const listed = { "1280x720": 1, "720x1280": 2, "1792*1024": 3, large: 4 };
  const found = ["1280x720", "720x1280", "1024x1792", "1024×1792", "LARGE", "1x1", ""].map((size) =>
    inSize(listed, size),
  );
  expect(found).toEqual([1, 2, 3, 3, 4, undefined, undefined]);
});

test("the sizes of an entry are those with a multiplier", () => {
  expect(priceSizes({ resolution_multipliers: { "1280x720": 1, large: 4 } })).toEqual([
    "1280x720",
    "large",
  ]);
  expect(priceSizes({ per_second_usd: 1 })).toEqual([]);
});

test("a second costs its dollars where no size is stated, asked for or listed", () => {
  const dollar = 1_000_000_000_000n;
  expect([
    findVideoSecondRate({ per_second_usd: 1 }, ""),
    findVideoSecondRate({ per_second_usd: 2 }, "1x1"),
  ]).toEqual([dollar, 2n * dollar]);
  expect(findVideoSecondRate({}, "1x1")).toBeUndefined();
});
