import { expect, test } from "vitest";
import type { BudgetRow } from "./budget-store.ts";
import { findReachedThreshold } from "./budget-view.ts";
import { findHeldBudgets, indexBudgets } from "./live-budgets.ts";

const hourMs = 3_600_000;
const row = (id: number, changes: Partial<BudgetRow>): BudgetRow => ({
  ...{
    id,
    uuid: "",
    name: "b",
    subject: "site",
    subject_id: 0,
    model_name: "",
    tag: "",
    window: "hour",
    first_day: 1,
  },
  ...{
    zone: "UTC",
    amount: 10,
    hard: 1,
    thresholds: "",
    enabled: 1,
    by_owner: 0,
    counts_team_keys: 0,
    external_id: null,
    template_id: null,
    cap_id: null,
    ...{ managed_by: "", by_provider: "" },
    ...{ note: "", models: "", anchor: "", measure: "quota" },
  },
  ...{ on_reached: "refuse", pauses_after: 0 },
  ...{ counts_from: 0, created_at: 0, updated_at: 0 },
  ...changes,
});
const call = {
  at: hourMs + 1,
  tokenId: 5,
  userId: 7,
  teamId: 0,
  memberId: 0,
  model: "asked",
  targets: () => ["asked", "served", "served"],
};

test("a call counts for the budgets of the site, its user, key, model and each target once, in ascending order of ids", () => {
  const budgets = indexBudgets([
    row(9, {}),
    row(8, { subject: "user", subject_id: 7 }),
    row(7, { subject: "user", subject_id: 5 }),
    row(6, { subject: "token", subject_id: 5, hard: 0 }),
    row(5, { subject: "model", model_name: "asked", enabled: 0 }),
    row(4, { subject: "model", model_name: "served" }),
    row(3, { subject: "model", model_name: "other" }),
  ]);
  expect(findHeldBudgets(budgets, call)?.map(({ id, max, target }) => [id, max, target])).toEqual([
    [4, 10, "served"],
    [5, null, null],
    [6, null, null],
    [8, 10, null],
    [9, 10, null],
  ]);
});

test("a budget with a list of models counts what asks for one of them, or is served by one", () => {
  const budgets = indexBudgets([
    row(1, { models: "asked,other" }),
    row(2, { subject: "user", subject_id: 7, models: "served,third" }),
    row(3, { subject: "token", subject_id: 5, models: "third,served" }),
    row(4, { subject: "tag", tag: "team=search", models: "none" }),
    row(5, { subject: "tag", tag: "team=*" }),
  ]);
  const counted = (targets: string[], model = "asked") =>
    findHeldBudgets(budgets, {
      ...call,
      model,
      tags: [["team", "search"]],
      targets: () => targets,
    })?.map(({ id, target }) => [id, target] as const);
  expect(counted([])).toEqual([[1, null]]);
  expect(counted(["served", "served", "fourth"])).toEqual([
    [1, null],
    [2, "served"],
    [3, "served"],
  ]);
  expect(counted(["served", "third"])?.slice(1)).toEqual([
    [2, "served,third"],
    [3, "served,third"],
  ]);
  // What a client asked for decides, also where it serves itself.
  expect(counted(["served", "third"], "served")).toEqual([
    [2, null],
    [3, null],
  ]);
  expect(counted([], "unlisted")).toBeUndefined();
});

test("a key of a team counts for the team and the member, and for a budget of its user that counts such keys alone", () => {
  const budgets = indexBudgets([
    row(1, { subject: "team", subject_id: 3 }),
    row(2, { subject: "member", subject_id: 4 }),
    row(3, { subject: "user", subject_id: 7 }),
    row(4, { subject: "user", subject_id: 7, counts_team_keys: 1 }),
    row(5, { subject: "token", subject_id: 5 }),
    row(6, { subject: "team", subject_id: 4 }),
    row(7, { subject: "member", subject_id: 3 }),
    row(8, {}),
  ]);
  const counted = (payer: Partial<typeof call>) =>
    findHeldBudgets(budgets, { ...call, ...payer })?.map(({ id }) => id);
  expect(counted({})).toEqual([3, 4, 5, 8]);
  expect(counted({ teamId: 3, memberId: 4 })).toEqual([1, 2, 4, 5, 8]);
  // The key of a service belongs to no one.
  expect(counted({ teamId: 3, memberId: 0, userId: 0 })).toEqual([1, 5, 8]);
});

test("a tag counts for the budget of its value, and any other value of the key for that of all the rest", () => {
  const budgets = indexBudgets([
    row(1, { subject: "tag", tag: "team=search" }),
    row(2, { subject: "tag", tag: "team=*" }),
    row(3, { subject: "tag", tag: "env=prod" }),
  ]);
  const counted = (tags: [string, string][] | undefined) =>
    findHeldBudgets(budgets, { ...call, tags })?.map(({ id }) => id);
  expect(counted([["team", "search"]])).toEqual([1]);
  expect(
    counted([
      ["team", "ads"],
      ["env", "prod"],
    ]),
  ).toEqual([2, 3]);
  expect(counted([["env", "test"]])).toBeUndefined();
  expect(counted(undefined)).toBeUndefined();
});

test("without budgets that apply there is nothing to hold, and targets are not looked at where there are none at all", () => {
  expect(
    findHeldBudgets(indexBudgets([row(1, { subject: "user", subject_id: 1 })]), call),
  ).toBeUndefined();
  const unasked = () => {
    throw new Error("the targets were asked for");
  };
  expect(findHeldBudgets(indexBudgets([]), { ...call, targets: unasked })).toBeUndefined();
});

test("each call falls into the window in which it began, also after a later one", () => {
  const budgets = indexBudgets([row(1, {})]);
  const startAt = (at: number) =>
    findHeldBudgets(budgets, { ...call, at })?.map(({ start, end }) => [start, end]);
  expect(startAt(hourMs)).toEqual([[hourMs, 2 * hourMs]]);
  expect(startAt(2 * hourMs)).toEqual([[2 * hourMs, 3 * hourMs]]);
  expect(startAt(2 * hourMs - 1)).toEqual([[hourMs, 2 * hourMs]]);
});

test("a threshold is reached with its exact share of the amount, also of the largest one", () => {
  expect(findReachedThreshold([50, 80], 4, 10)).toBe(0);
  expect(findReachedThreshold([50, 80], 5, 10)).toBe(50);
  expect(findReachedThreshold([50, 80], 12, 10)).toBe(80);
  const largest = 9_000_000_000_000_000;
  expect(findReachedThreshold([100], largest - 1, largest)).toBe(0);
  expect(findReachedThreshold([100], largest, largest)).toBe(100);
});

test("calls alike get the same list until one of its windows ends, and those that differ in anything another one", () => {
  const budgets = indexBudgets([
    row(1, {}),
    row(2, { subject: "tag", tag: "team=*", window: "lifetime" }),
  ]);
  const tags = [["team", "ads"]] as const;
  const alike = { ...call, tags, targets: () => [] };
  const held = findHeldBudgets(budgets, alike);
  expect(held?.map(({ id, start }) => [id, start])).toEqual([
    [1, hourMs],
    [2, 0],
  ]);
  expect(findHeldBudgets(budgets, { ...alike, at: 2 * hourMs - 1 })).toBe(held);
  for (const at of [2 * hourMs, hourMs - 1])
    expect(findHeldBudgets(budgets, { ...alike, at })?.[0]?.start).toBe(
      Math.floor(at / hourMs) * hourMs,
    );
  for (const other of [
    { tokenId: 6 },
    { teamId: 3 },
    { teamId: 3, memberId: 4 },
    { userId: 8 },
    { model: "other" },
    { tags: [] },
    { tags: [["team", "ads asked"]] as const },
  ])
    expect(findHeldBudgets(budgets, { ...alike, ...other })).not.toBe(held);
  expect(findHeldBudgets(budgets, { ...alike, tags: [] })?.map(({ id }) => id)).toEqual([1]);
});
