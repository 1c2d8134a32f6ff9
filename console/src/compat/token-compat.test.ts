import { expect, test } from "vitest";
import { listAddressBlocks, listModelNames } from "./token-compat.ts";

test("model names are read from a comma-separated list, an array or an empty value", () => {
  expect(listModelNames("gpt-4o, gpt-4o-mini,")).toEqual(["gpt-4o", "gpt-4o-mini"]);
  expect(listModelNames(["a", "b"])).toEqual(["a", "b"]);
  expect(listModelNames(null)).toEqual([]);
});

test.each([
  ["", ""],
  ["10.0.0.0/8", "10.0.0.0/8"],
  [" 192.168.1.1 , 10.0.0.0/8,", "192.168.1.1/32,10.0.0.0/8"],
  ["2001:db8::1", "2001:db8::1/128"],
  ["nonsense", "nonsense"],
])("the subnet %j is sent as %j", (typed, sent) => {
  expect(listAddressBlocks(typed)).toBe(sent);
});
