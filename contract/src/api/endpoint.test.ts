import { expect, test } from "vitest";
import { endpoint } from "./endpoint.ts";

test("an operation without a scope, or without the role that may call it, does not compile", () => {
  // @ts-expect-error: it says nothing of management keys.
  const scopeless = endpoint("GET", "/api/somewhere", {
    access: "user",
    summary: "Read something",
  });
  // @ts-expect-error: it says nothing of users.
  const open = endpoint("GET", "/api/somewhere", { scope: "none", summary: "Read something" });
  const wrong = endpoint("GET", "/api/somewhere", {
    access: "user",
    // @ts-expect-error: there is no such scope.
    scope: "tokens:all",
    summary: "Read something",
  });
  expect([scopeless, open, wrong].map(({ path }) => path)).toEqual(Array(3).fill("/api/somewhere"));
});
