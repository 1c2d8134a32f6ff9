import type { ModelEnd } from "@tollgate/contract/catalogue/model-ends.ts";
import { buildAlertRuleSettings } from "@tollgate/contract/notices/alert-rule-settings.ts";
import { expect, test } from "vitest";
import { type BilledChannel, listDailyCauses, ownEndings } from "./daily-causes.ts";

const rules = buildAlertRuleSettings("");
const ending = (days_left: number, calls = 120): ModelEnd => ({
  model: "small",
  ends_on: "2026-12-11",
  source: "list",
  replacement: "",
  days_left,
  channels: [],
  virtual_models: [],
  calls,
  users: 3,
});
const told = (...endings: ModelEnd[]) =>
  listDailyCauses({ endings, endingUses: [], bills: [] }, rules).map(({ event, begins }) => [
    event.subject.id,
    begins,
  ]);

test("a model in use is told 60, 30, 7 and 1 days before its end, each time once", () => {
  expect(told(ending(61))).toEqual([]);
  expect(told(ending(60))).toEqual([["small/60", true]]);
  expect(told(ending(31))).toEqual([["small/60", true]]);
  expect(told(ending(30))).toEqual([
    ["small/60", false],
    ["small/30", true],
  ]);
  expect(told(ending(1)).filter(([, begins]) => begins)).toEqual([["small/1", true]]);
  // It is offered and called still, though its day has come: what was told lasts, and nothing
  // begins.
  expect(told(ending(-3)).map(([, begins]) => begins)).toEqual([false, false, false, false]);
});

test("a model that is met late begins with the nearest day alone, and one that is not called with none", () => {
  expect(told(ending(5)).filter(([, begins]) => begins)).toEqual([["small/7", true]]);
  expect(told(ending(5, 0))).toEqual([]);
});

test("users hear of the models that their keys called, with their own calls", () => {
  const use = {
    user_id: 7,
    model: "small",
    ends_on: "2026-12-11",
    days_left: 30,
    calls: 12,
    replacement: "new",
  };
  expect(ownEndings([use]).at(-1)).toEqual({
    event: {
      rule: "own_model.retiring",
      userId: 7,
      subject: { kind: "model", id: "7/small/30", name: "small" },
      facts: {
        kind: "own_model_retiring",
        model: "small",
        endsOn: "2026-12-11",
        calls: 12,
        replacement: "new",
      },
      measure: { value: 30, threshold: 30 },
    },
    begins: true,
  });
});

const billed = (apart: number, calls = 100) => {
  const bill: BilledChannel = {
    id: 4,
    name: "West",
    calls,
    ours: 4_000_000,
    theirs: 5_000_000,
    apart,
  };
  return listDailyCauses({ endings: [], endingUses: [], bills: [bill] }, rules);
};

test("a bill that is more than five per cent off raises an alert, which lasts down to three", () => {
  expect([5.1, 5, 3.1].map((apart) => billed(apart).map(({ begins }) => begins))).toEqual([
    [true],
    [false],
    [false],
  ]);
  expect(billed(3)).toEqual([]);
  expect(billed(20)[0]?.event.facts).toEqual({
    kind: "price_mismatch",
    channel: "West",
    ours: "$4.00",
    theirs: "$5.00",
  });
});

test("few calls say nothing of prices", () => {
  expect(billed(50, 99)).toEqual([]);
});
