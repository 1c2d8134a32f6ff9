import { expect, test } from "vitest";
import { addMember, buildMember, stripMember } from "./channel-json-text.ts";

test("setting a member keeps the others", () => {
  expect(JSON.parse(addMember('{"region":"eu","x":[1]}', "api_format", "response"))).toEqual({
    region: "eu",
    x: [1],
    api_format: "response",
  });
  expect(JSON.parse(addMember("", "api_format", "response"))).toEqual({ api_format: "response" });
  expect(addMember("{broken", "api_format", "response")).toBe("{broken");
  expect(buildMember('{"a":1}', "a")).toBe(1);
  expect(buildMember("{broken", "a")).toBeUndefined();
});

test("removing a member keeps the others, and keeps the text as written without that member", () => {
  expect(JSON.parse(stripMember('{"region":"eu","x":[1]}', "region"))).toEqual({ x: [1] });
  expect(stripMember('{"region":"eu"}', "region")).toBe("");
  expect(stripMember('{"x": 1}', "region")).toBe('{"x": 1}');
  expect(stripMember("{broken", "region")).toBe("{broken");
});
