import { expect, test } from "vitest";
import { createMemoryCounters } from "../../limits/counters.ts";
import { writeAnthropicLimits, writeOpenAiLimits } from "./limit-headers.ts";
import { admit } from "./token-limits.ts";

test("an admitted call tells what is left of each limit of its key, in the names of each dialect", async () => {
  const clock = { now: Date.UTC(2026, 10, 28, 12) };
  const counters = createMemoryCounters(() => clock.now);
  const limits = { rpm_limit: 3, tpm_limit: 100, max_parallel_requests: 5 };
  const call = (id: number) =>
    admit(
      { id, holder: { kind: "token", id: 7 }, limits, promptEstimate: 30 },
      counters,
      () => clock.now,
    );
  await call(1);
  clock.now += 10_000;
  const { used } = await call(2);
  expect(writeOpenAiLimits(used)).toEqual([
    ...[
      "x-ratelimit-limit-requests",
      "3",
      "x-ratelimit-remaining-requests",
      "1",
      "x-ratelimit-reset-requests",
      "60s",
    ],
    ...["x-ratelimit-limit-tokens", "100", "x-ratelimit-remaining-tokens", "40"],
    ...["x-ratelimit-reset-tokens", expect.stringMatching(/^6\ds$/)],
  ]);
  expect(writeAnthropicLimits(used, clock.now).slice(0, 6)).toEqual([
    ...["anthropic-ratelimit-requests-limit", "3", "anthropic-ratelimit-requests-remaining", "1"],
    ...["anthropic-ratelimit-requests-reset", "2026-11-28T12:01:10Z"],
  ]);
});

test("a key without limits is told nothing", () => {
  expect(writeOpenAiLimits([])).toEqual([]);
  expect(writeAnthropicLimits([], 0)).toEqual([]);
});
