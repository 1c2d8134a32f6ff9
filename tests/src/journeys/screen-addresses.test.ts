import { expect, test } from "vitest";
import { readPagePaths, screenAddresses, visitorAddresses } from "./screen-addresses.ts";

test("each page of the console has an address at which all screens are inspected", () => {
  const rows = { ...screenAddresses, ...visitorAddresses };
  expect(Object.keys(rows).toSorted()).toEqual([...new Set(readPagePaths())].toSorted());
});
