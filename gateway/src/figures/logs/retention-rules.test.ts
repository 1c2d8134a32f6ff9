import { expect, test } from "vitest";
import { buildCutoffs } from "./retention-rules.ts";

const day = 86_400_000;
const now = 1_000 * day;

test.each([
  { logDays: 0, traceDays: 30, logs: undefined, traces: now - 30 * day },
  { logDays: 0, traceDays: 0, logs: undefined, traces: undefined },
  { logDays: 90, traceDays: 30, logs: now - 90 * day, traces: now - 30 * day },
  { logDays: 7, traceDays: 30, logs: now - 7 * day, traces: now - 7 * day },
  { logDays: 90, traceDays: 0, logs: now - 90 * day, traces: now - 90 * day },
])("logs $logDays days, traces $traceDays days", ({ logDays, traceDays, logs, traces }) => {
  expect(buildCutoffs(logDays, traceDays, now)).toEqual({ logs, traces });
});
