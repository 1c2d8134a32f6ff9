import { buildAlertRuleSettings } from "@tollgate/contract/notices/alert-rule-settings.ts";
import { describe, expect, test } from "vitest";
import { listAlertCauses } from "./alert-causes.ts";
import type { AlertWorld, CauseBudget, CauseChannel } from "./operator-causes.ts";
import type { Suspension } from "./suspensions.ts";

const now = Date.UTC(2026, 10, 22);
const rules = buildAlertRuleSettings("");
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
  suspensions: [],
  disabledKeys: new Set(),
  modelsCalledToday: [],
  unpricedModels: [],
  modelHours: [],
  budgets: [],
  waitingUserIds: [],
  askingUserIds: [],
  teamsWithoutAdmin: [],
  destinations: [],
  firing: [],
  ...changes,
});
const found = (changes: Partial<AlertWorld>) =>
  listAlertCauses(worldOf(changes), [], rules, now).map(
    ({ rule, subject, state }) => `${rule} ${subject.id} ${state}`,
  );
const firing = (rule: AlertWorld["firing"][number]["rule"], subject_id: string) => [
  { rule, subject_kind: "channel" as const, subject_id, subject_name: "" },
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

test("what a rule measured goes along as numbers, in the unit of its threshold", () => {
  const budget: CauseBudget = {
    ...{ id: 3, name: "b", thresholds: "80", amount: 1_000_000, spent: 900_000, window_start: now },
    ...{ window: "day", first_day: 1, anchor: "", zone: "UTC", counts_from: 0 },
  };
  const events = listAlertCauses(
    worldOf({
      channels: [channel({ balance_micros: 4_200_000 })],
      modelHours: [
        { hour: Math.floor(now / 3_600_000), model_name: "small", requests: 40, failures: 30 },
      ],
      budgets: [budget],
      destinations: [{ id: 4, name: "d", failing_since: now - 90 * 60_000, answer: "" }],
    }),
    [],
    rules,
    now,
  );
  expect(Object.fromEntries(events.map(({ rule, measure }) => [rule, measure]))).toEqual({
    "channel.balance_low": { value: 4.2, threshold: 5 },
    "calls.failing": { value: 75, threshold: 20 },
    "budget.reached": { value: 1.8, threshold: 1.6 },
    "notice.failing": { value: 90, threshold: 60 },
  });
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
  expect(found({ ...called, firing: firing("model.unserved", "small") })).toEqual([
    "model.unserved small resolved",
  ]);
});

test("a model whose enabled channels are all suspended on a node fires, while its calls fail", () => {
  const called = {
    modelsCalledToday: ["small"],
    channels: [channel(), channel({ id: 2 }), channel({ id: 3, status: 3 })],
  };
  const suspended = (id: number, changes: Partial<Suspension> = {}): Suspension => ({
    ...{
      channel: id,
      model: "small",
      since: now - 60_000,
      openUntil: now + 1,
      reason: "status 503",
    },
    ...changes,
  });
  const both = [suspended(1), suspended(2)];
  expect(found({ ...called, suspensions: [[], both] })).toEqual(["model.unserved small firing"]);
  for (const all of [
    [[suspended(1)], [suspended(2)]],
    [[suspended(1), suspended(2, { model: "large" })]],
    [[suspended(1), suspended(2, { since: now - 59_999 })]],
    [[suspended(1), suspended(2, { openUntil: now - 60_000 })]],
  ])
    expect(found({ ...called, suspensions: all })).toEqual([]);
  // Without a call that tries, nothing is known to have changed.
  const waiting = [both.map((one) => ({ ...one, openUntil: now - 60_000 }))];
  expect(
    found({ ...called, suspensions: waiting, firing: firing("model.unserved", "small") }),
  ).toEqual([]);
  expect(
    found({ ...called, suspensions: [[suspended(1)]], firing: firing("model.unserved", "small") }),
  ).toEqual(["model.unserved small resolved"]);
});

test("a called model without a stated price fires until it has one, or is not called on a day", () => {
  expect(found({ unpricedModels: ["small"] })).toEqual(["price.missing small firing"]);
  expect(found({ unpricedModels: ["small"], firing: firing("price.missing", "small") })).toEqual(
    [],
  );
  expect(found({ firing: firing("price.missing", "small") })).toEqual([
    "price.missing small resolved",
  ]);
});

test("what an operator ended by hand is resolved", () => {
  const disabled = { channels: [channel({ status: 3 })] };
  expect(found({ ...disabled, firing: firing("channel.disabled", "1") })).toEqual([]);
  expect(found({ firing: firing("channel.disabled", "1") })).toEqual([
    "channel.disabled 1 resolved",
  ]);
  expect(found({ channels: [], firing: firing("channel.disabled", "1") })).toEqual([
    "channel.disabled 1 resolved",
  ]);
  expect(found({ firing: firing("channel.key_disabled", "1/2") })).toEqual([
    "channel.key_disabled 1/2 resolved",
  ]);
  expect(
    found({ disabledKeys: new Set(["1/2"]), firing: firing("channel.key_disabled", "1/2") }),
  ).toEqual([]);
  expect(found({ firing: firing("quota.waiting", "7") })).toEqual(["quota.waiting 7 resolved"]);
  expect(found({ waitingUserIds: [7], firing: firing("quota.waiting", "7") })).toEqual([]);
  expect(found({ firing: firing("budget.asked", "7") })).toEqual(["budget.asked 7 resolved"]);
  expect(found({ askingUserIds: [7], firing: firing("budget.asked", "7") })).toEqual([]);
  expect(found({ firing: firing("usage.capped", "1") })).toEqual([]);
});

test("a destination that fails for an hour fires, and one that works again is resolved", () => {
  const failing = (since: number) => [{ id: 3, name: "chat", failing_since: since, answer: "404" }];
  expect(found({ destinations: failing(now - 3_600_000) })).toEqual(["notice.failing 3 firing"]);
  expect(found({ destinations: failing(now - 3_000_000) })).toEqual([]);
  expect(found({ firing: firing("notice.failing", "3") })).toEqual(["notice.failing 3 resolved"]);
});

test("a team without an enabled admin fires once, and is resolved when it has one", () => {
  const teamsWithoutAdmin = [{ id: 4, name: "Search" }];
  expect(found({ teamsWithoutAdmin })).toEqual(["team.without_admin 4 firing"]);
  expect(found({ teamsWithoutAdmin, firing: firing("team.without_admin", "4") })).toEqual([]);
  expect(found({ firing: firing("team.without_admin", "4") })).toEqual([
    "team.without_admin 4 resolved",
  ]);
});

test("limits and switches of rules are those that are set", () => {
  const world = worldOf({ channels: [channel({ balance_micros: 7_000_000 })] });
  const under = (text: string) =>
    listAlertCauses(world, [], buildAlertRuleSettings(text), now).length;
  expect(under('{"channel.balance_low":{"begins":8,"ends":9}}')).toBe(1);
  expect(under('{"channel.balance_low":{"begins":8,"ends":9,"enabled":false}}')).toBe(0);
});

describe("calls of a model", () => {
  const hour = now / 3_600_000;
  const at = (
    rows: readonly (readonly [ago: number, requests: number, failures: number])[],
    isFiring = false,
  ) =>
    found({
      modelHours: rows.map(([ago, requests, failures]) => ({
        hour: hour - ago,
        model_name: "small",
        requests,
        failures,
      })),
      firing: isFiring ? firing("calls.failing", "small") : [],
    });

  test("fire from a fifth of twenty on, and are fine below a tenth", () => {
    expect(at([[0, 20, 4]])).toEqual(["calls.failing small firing"]);
    expect([at([[0, 19, 19]]), at([[0, 20, 3]])]).toEqual([[], []]);
    expect(at([[0, 100, 10]], true)).toEqual([]);
    expect(at([[0, 100, 9]], true)).toEqual(["calls.failing small resolved"]);
  });

  test("are judged with the hour before while few were made in this one, and by this one alone from then on", () => {
    const before = [1, 40, 40] as const;
    expect(at([before, [0, 19, 0]], true)).toEqual([]);
    expect(at([before, [0, 20, 0]], true)).toEqual(["calls.failing small resolved"]);
    expect(at([], true)).toEqual(["calls.failing small resolved"]);
  });
});

describe("a budget", () => {
  const budget: CauseBudget = {
    id: 3,
    name: "Research",
    thresholds: "80,100",
    window: "day",
    first_day: 1,
    anchor: "",
    zone: "UTC",
    counts_from: 0,
    amount: 1_000_000,
    spent: 0,
    window_start: now,
  };
  const spent = (units: number, changes: Partial<CauseBudget> = {}) => ({
    budgets: [{ ...budget, spent: units, ...changes }],
  });

  test("fires at each of its thresholds, and says what is spent", () => {
    expect(found(spent(799_999))).toEqual([]);
    expect(found(spent(800_000))).toEqual(["budget.reached 3/80 firing"]);
    expect(found({ ...spent(1_200_000), firing: firing("budget.reached", "3/80") })).toEqual([
      "budget.reached 3/100 firing",
    ]);
    const [event] = listAlertCauses(worldOf(spent(800_000)), [], rules, now);
    expect(event?.facts).toEqual({
      kind: "budget_reached",
      budget: "Research",
      percent: 80,
      spent: "$1.60",
      amount: "$2.00",
    });
  });

  test("ends when its window does, when it is raised, and when it is gone; the counter of another window says nothing", () => {
    const ended = ["budget.reached 3/80 resolved"];
    expect(
      found({ ...spent(800_000, { amount: 2_000_000 }), firing: firing("budget.reached", "3/80") }),
    ).toEqual(ended);
    expect(found({ firing: firing("budget.reached", "3/80") })).toEqual(ended);
    expect(found(spent(800_000, { window_start: now - 1 }))).toEqual([]);
  });
});

test("the end of an alert has the subject that the alert has", () => {
  const site = {
    rule: "storage.trouble",
    subject_kind: "site",
    subject_id: "disk",
    subject_name: "disk",
  } as const;
  expect(listAlertCauses(worldOf({ firing: [site] }), [], rules, now)).toEqual([
    {
      rule: "storage.trouble",
      subject: { kind: "site", id: "disk", name: "disk" },
      state: "resolved",
    },
  ]);
});
