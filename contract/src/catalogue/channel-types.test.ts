import { expect, test } from "vitest";
import { channelTypeIds, channelTypes } from "./channel-types.ts";

test("each id of a provider type has one row", () => {
  const named = Object.values(channelTypeIds).toSorted((one, other) => one - other);
  expect(channelTypes.map(({ id }) => id)).toEqual(named);
});
