import { expect, test } from "vitest";
import { rateLimiter } from "./rate-limit.ts";

test("so many tries a window, each source for itself, and harmless tries are given back", () => {
  const limit = rateLimiter(2, 60_000);
  expect([limit.take("a", 0), limit.take("a", 1)]).toEqual([{ allowed: true }, { allowed: true }]);
  expect(limit.take("a", 30_000)).toEqual({ allowed: false, retryAfter: 30 });
  expect(limit.take("b", 30_000)).toEqual({ allowed: true });
  limit.refund("a", 30_000);
  expect(limit.take("a", 30_000).allowed).toBe(true);
  expect(limit.take("a", 60_000).allowed).toBe(true);
});
