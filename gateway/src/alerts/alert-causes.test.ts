import { expect, test } from "vitest";
import { type AlertWorld, alertCauses, type CauseChannel } from "./alert-causes.ts";

const now = Date.UTC(2026, 10, 22);
const channel = (changes: Partial<CauseChannel> = {}): CauseChannel => ({
  id: 1,
  name: "West",
  status: 1,
  models: "small,large",
  balance_micros: null,
  balance_updated_at: now,
  updated_at: now - 60_000,
  ...changes,
});
const worldOf = (changes: Partial<AlertWorld>): AlertWorld => ({
  channels: [channel()],
  disabledKeys: new Set(),
  modelsCalledToday: [],
  waitingUserIds: [],
  destinations: [],
  firing: [],
  ...changes,
});
const found = (changes: Partial<AlertWorld>) =>
  alertCauses(worldOf(changes), now).map(({ rule, subject, state }) => `${rule} ${subject.id} ${state}`);
const firing = (rule: AlertWorld["firing"][number]["rule"], subject_id: string) => [
  { rule, subject_id, subject_name: "" },
];

test("a balance fires below five dollars and is fine from six on, so that one around five fires once", () => {
  const at = (dollars: number, isFiring = false) =>
    found({
      channels: [channel({ balance_micros: dollars * 1_000_000 })],
      firing: isFiring ? firing("channel.balance_low", "1") : [],
    });
  expect(at(4.99)).toEqual(["channel.balance_low 1 firing"]);
  expect(at(5)).toEqual([]);
  expect([at(4.9, true), at(5.5, true)]).toEqual([[], []]);
  expect(at(6, true)).toEqual(["channel.balance_low 1 resolved"]);
});

test("a balance that is unknown, old or of a disabled channel says nothing", () => {
  const old = now - 8 * 24 * 3_600_000;
  for (const changes of [{ balance_micros: null }, { balance_updated_at: old }, { status: 2 }])
    expect(found({ channels: [channel({ balance_micros: 1, ...changes })] })).toEqual([]);
});

test("a model that was called and that no enabled channel lists any more fires after a minute", () => {
  const called = { modelsCalledToday: ["small", "unlisted"] };
  const down = channel({ status: 3 });
  expect(found({ ...called, channels: [down] })).toEqual(["model.unserved small firing"]);
  expect(found({ ...called, channels: [down, channel({ id: 2 })] })).toEqual([]);
  expect(found({ ...called, channels: [{ ...down, updated_at: now }] })).toEqual([]);
  expect(found({ ...called, firing: firing("model.unserved", "small") })).toEqual(["model.unserved small resolved"]);
});

test("what an operator ended by hand is resolved", () => {
  const disabled = { channels: [channel({ status: 3 })] };
  expect(found({ ...disabled, firing: firing("channel.disabled", "1") })).toEqual([]);
  expect(found({ firing: firing("channel.disabled", "1") })).toEqual(["channel.disabled 1 resolved"]);
  expect(found({ channels: [], firing: firing("channel.disabled", "1") })).toEqual(["channel.disabled 1 resolved"]);
  expect(found({ firing: firing("channel.key_disabled", "1/2") })).toEqual(["channel.key_disabled 1/2 resolved"]);
  expect(found({ disabledKeys: new Set(["1/2"]), firing: firing("channel.key_disabled", "1/2") })).toEqual([]);
  expect(found({ firing: firing("quota.waiting", "7") })).toEqual(["quota.waiting 7 resolved"]);
  expect(found({ waitingUserIds: [7], firing: firing("quota.waiting", "7") })).toEqual([]);
  expect(found({ firing: firing("usage.capped", "1") })).toEqual([]);
});

test("a destination that fails for an hour fires, and one that works again is resolved", () => {
  const failing = (since: number) => [{ id: 3, name: "chat", failing_since: since, answer: "404" }];
  expect(found({ destinations: failing(now - 3_600_000) })).toEqual(["notice.failing 3 firing"]);
  expect(found({ destinations: failing(now - 3_000_000) })).toEqual([]);
  expect(found({ firing: firing("notice.failing", "3") })).toEqual(["notice.failing 3 resolved"]);
});
