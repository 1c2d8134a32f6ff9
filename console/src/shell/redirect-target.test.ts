import fc from "fast-check";
import { expect, test } from "vitest";
import { chooseLandingPath, redirectTarget, returnPath } from "./redirect-target.ts";
import { parseSearchParams, stringifySearchParams } from "./search-params.ts";

const origin = "https://gate.example.com";

test.each([
  ["/tokens", "/tokens"],
  ["/logs?type=2&p=3", "/logs?type=2&p=3"],
  ["/", "/"],
  ["//evil.example.com/x", undefined],
  ["/\\evil.example.com", undefined],
  ["/\t/evil.example.com", undefined],
  ["/.//evil.example.com", undefined],
  ["/%2e//evil.example.com/x", undefined],
  ["/tokens/..//evil.example.com", undefined],
  ["https://gate.example.com/tokens", undefined],
  ["javascript:alert(1)", undefined],
  ["tokens", undefined],
  ["", undefined],
  [undefined, undefined],
  // Returning to a sign-in page would loop.
  ["/login?redirect_to=/tokens", undefined],
  ["/oauth/github?code=1", undefined],
  ["/user/reset", undefined],
])("after sign-in %j leads to %j", { tags: ["F-11"] }, (requested, target) => {
  expect(redirectTarget(requested, origin)).toBe(target);
});

test("whatever is asked for, a sign-in leads to this origin", { tags: ["F-11"] }, () => {
  const parts = [
    "/",
    "//",
    "\\",
    ".",
    "..",
    "%2e",
    "%2f",
    "%5c",
    "\t",
    "\n",
    ":",
    "@",
    "evil.example.com",
    "?",
    "#",
    "x",
    "https:",
  ];
  const path = fc
    .array(fc.constantFrom(...parts), { maxLength: 8 })
    .map((chosen) => `/${chosen.join("")}`);
  fc.assert(
    fc.property(fc.oneof(path, fc.string()), (requested) => {
      const target = redirectTarget(requested, origin);
      if (target !== undefined) expect(new URL(target, origin).origin, requested).toBe(origin);
    }),
    { numRuns: 3_000 },
  );
});

test("the current page is the redirect target, unless it is a sign-in page", () => {
  expect(returnPath("/logs?type=2")).toEqual({ redirect_to: "/logs?type=2" });
  expect(returnPath("/login?expired=1")).toEqual({});
});

test("a temporary password is replaced first, and the target is kept", () => {
  expect(chooseLandingPath("/logs?type=2", false)).toBe("/logs?type=2");
  expect(chooseLandingPath("/logs?type=2", true)).toBe(
    "/users/edit?redirect_to=%2Flogs%3Ftype%3D2",
  );
  expect(chooseLandingPath("/dashboard", true)).toBe("/users/edit");
});

test("search parameters stay text, and survive writing and reading", () => {
  expect(parseSearchParams("?token=12e4&email=a%2Bb%40c.de&n=001&expired")).toEqual({
    token: "12e4",
    email: "a+b@c.de",
    n: "001",
    expired: "",
  });
  expect(stringifySearchParams({ redirect_to: "/logs?type=2&p=1", gone: undefined })).toBe(
    "?redirect_to=%2Flogs%3Ftype%3D2%26p%3D1",
  );
  expect(stringifySearchParams({})).toBe("");
});
