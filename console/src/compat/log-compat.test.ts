import { expect, test } from "vitest";
import { toUnixSeconds, withLogDefaults } from "./log-compat.ts";

test("missing members of a log entry get defaults, sent ones win", () => {
  expect(withLogDefaults({ model_name: "o3", trace_id: "4be1" })).toEqual({
    model_name: "o3",
    trace_id: "4be1",
    cached_prompt_tokens: 0,
    origin_model_name: "",
    request_id: "",
    content: "",
  });
});

test("times in seconds or milliseconds become seconds", () => {
  expect(toUnixSeconds(1_795_100_000)).toBe(1_795_100_000);
  expect(toUnixSeconds(1_795_100_000_123)).toBe(1_795_100_000);
  expect(toUnixSeconds(undefined, 0, 1_795_100_000_999)).toBe(1_795_100_000);
  expect(toUnixSeconds(null)).toBe(0);
  expect(toUnixSeconds(-1)).toBe(-1);
});
