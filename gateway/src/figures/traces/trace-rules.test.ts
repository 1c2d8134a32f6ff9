import { expect, test } from "vitest";
import { buildDurations } from "./trace-rules.ts";

test("durations are differences of moments, and absent without one of them", () => {
  expect(
    buildDurations({ request_received: 100, request_forwarded: 140, request_completed: 900 }),
  ).toEqual({
    processing_time: 40,
    total_time: 800,
  });
  expect(buildDurations({})).toEqual({});
});
