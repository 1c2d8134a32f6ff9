import type { Spending, SpendingSeries } from "@tollgate/contract/figures/spending.ts";
import fc from "fast-check";
import { expect, test } from "vitest";
import { buildSpendingView, findMarkedDays } from "./spending-view.ts";

const first = Date.UTC(2026, 10, 28) / 1_000;
const words = { other: "Others", all: "All" };
const series = (id: string, quota: number[], earlier: number | null = null): SpendingSeries => ({
  id,
  name: id === "" ? "" : `model-${id}`,
  owner: "",
  quota,
  requests: quota.map(() => 1),
  tokens: quota.map((value) => value * 10),
  earlier:
    earlier === null ? null : { quota: earlier, requests: quota.length, tokens: earlier * 10 },
});
const hours = (all: SpendingSeries[], until = first + 2 * 3_600 + 300): Spending => ({
  unit: "hour",
  first,
  until,
  series: all,
  earlier: null,
});

test("the bars have every amount once, however many series there are, and the palest comes last", () => {
  const amounts = fc.array(fc.array(fc.nat(1_000), { minLength: 4, maxLength: 4 }), {
    maxLength: 40,
  });
  fc.assert(
    fc.property(amounts, fc.boolean(), (all, hasRest) => {
      const list = all.map((quota, place) => series(String(place), quota));
      const reply = hours(hasRest ? [...list, series("", [1, 1, 1, 1])] : list);
      const view = buildSpendingView(reply, "quota", words);
      const total = reply.series
        .flatMap(({ quota }) => quota)
        .reduce((sum, value) => sum + value, 0);
      expect(
        view.series.flatMap(({ values }) => values).reduce((sum, value) => sum + value, 0),
      ).toBe(total);
      expect(view.rows.reduce((sum, { amount }) => sum + amount, 0)).toBe(total);
      expect(view.total.amount).toBe(total);
      expect(view.series.length).toBeLessThanOrEqual(15);
      const names = view.series.map(({ name }) => name);
      expect(names.slice(0, -1)).not.toContain("Others");
      expect(view.others.length).toBe(view.rows.filter(({ isOther }) => isOther).length);
      expect(new Set(view.rows.map(({ name }) => name)).size).toBe(view.rows.length);
    }),
  );
});

test("the hour that runs is named with its time and left out of the change", () => {
  const view = buildSpendingView(hours([series("a", [10, 10, 900, 0], 10)]), "quota", words);
  expect(view.unfinished).toEqual({ place: 2, until: "02:05" });
  expect(view.labels).toEqual(["00:00", "01:00", "02:00", "03:00"]);
  // 10 + 10 of two finished hours against 10.
  expect(view.rows[0]?.change).toBe(100);
});

test("a finished range has no unfinished step, and what was nothing before has no change", () => {
  const view = buildSpendingView(hours([series("a", [1, 2], 0)], first + 86_400), "quota", words);
  expect(view.unfinished).toBeUndefined();
  expect(view.rows[0]?.change).toBeUndefined();
});

test("keys of one name are told apart by owner, and then by id", () => {
  const key = (id: string, owner: string) => ({ ...series(id, [1]), name: "ci", owner });
  const view = buildSpendingView(
    hours([key("1", "mira"), key("2", "noor"), key("3", "noor")]),
    "quota",
    words,
  );
  expect(view.rows.map(({ name }) => name)).toEqual(["ci (mira)", "ci (noor) #2", "ci (noor) #3"]);
});

test("marked steps become days", () => {
  const days = { ...hours([]), unit: "day" as const };
  expect(findMarkedDays(days, 1, 3)).toEqual({ from: "2026-11-29", to: "2026-12-01" });
});
