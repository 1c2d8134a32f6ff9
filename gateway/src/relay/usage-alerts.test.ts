import { expect, test } from "vitest";
import { createUsageAlerts } from "./usage-alerts.ts";

const channel = { id: 7, name: "upstream" };

function alertsAt(clock: { now: number }) {
  const warnings: string[] = [];
  const raised: string[] = [];
  const alerts = createUsageAlerts({
    now: () => clock.now,
    warn: (_, message) => warnings.push(message),
    raise: ({ rule }) => raised.push(rule),
  });
  return { alerts, warnings, raised };
}

test("capped usage is counted, logged once a minute and raised as an alert once an hour", {
  tags: ["S2-02"],
}, () => {
  const clock = { now: 0 };
  const { alerts, warnings, raised } = alertsAt(clock);
  for (clock.now = 0; clock.now < 3_600_000; clock.now += 30_000)
    alerts.record(channel, { marks: ["usage_capped"] });
  expect(alerts.list()).toEqual([
    { channelId: 7, mark: "usage_capped", calls: 120, lastAt: 3_570_000, members: [] },
  ]);
  expect([warnings.length, raised.length]).toEqual([60, 1]);
  alerts.record(channel, { marks: ["usage_capped"] });
  expect(raised).toEqual(["usage.capped", "usage.capped"]);
});

test("counts that are not known are named, and far ones are counted without an alert", () => {
  const { alerts, warnings, raised } = alertsAt({ now: 5 });
  alerts.record(channel, { marks: ["usage_far", "usage_corrected"], unknown: ["moon_tokens"] });
  alerts.record(channel, undefined);
  expect(alerts.list().map(({ mark, members }) => [mark, members])).toEqual([
    ["usage_far", []],
    ["usage_unknown", ["moon_tokens"]],
  ]);
  expect([warnings.length, raised.length]).toEqual([2, 0]);
});
