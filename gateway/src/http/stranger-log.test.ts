import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { createStrangerLog } from "./stranger-log.ts";

beforeEach(() => vi.useFakeTimers());
afterEach(() => vi.useRealTimers());

test("of a thousand refused calls in a minute the first hundred are written, and one line counts the rest", {
  tags: ["S2-21"],
}, () => {
  const lines: Record<string, unknown>[] = [];
  const write = createStrangerLog(
    { info: (fields) => lines.push(fields), error: () => undefined },
    Date.now,
  );
  for (let call = 0; call < 1_000; call += 1) write({ call }, "");
  expect(lines.map(({ call }) => call)).toEqual(Array.from({ length: 100 }, (_, call) => call));
  vi.advanceTimersByTime(60_000);
  expect(lines.at(-1)).toEqual({ event: "api_refused", calls: 900 });
  write({ call: 1_000 }, "");
  expect(lines.at(-1)).toEqual({ call: 1_000 });
});
