import { expect, test } from "vitest";
import { memberOf, withMember, withoutMember } from "./channel-json-text.ts";

test("setting a member keeps the others", () => {
  expect(JSON.parse(withMember('{"region":"eu","x":[1]}', "api_format", "response"))).toEqual({
    region: "eu",
    x: [1],
    api_format: "response",
  });
  expect(JSON.parse(withMember("", "api_format", "response"))).toEqual({ api_format: "response" });
  expect(withMember("{broken", "api_format", "response")).toBe("{broken");
  expect(memberOf('{"a":1}', "a")).toBe(1);
  expect(memberOf("{broken", "a")).toBeUndefined();
});

test("removing a member keeps the others, and keeps the text as written without that member", () => {
  expect(JSON.parse(withoutMember('{"region":"eu","x":[1]}', "region"))).toEqual({ x: [1] });
  expect(withoutMember('{"region":"eu"}', "region")).toBe("");
  expect(withoutMember('{"x": 1}', "region")).toBe('{"x": 1}');
  expect(withoutMember("{broken", "region")).toBe("{broken");
});
