import type { Spending } from "@tollgate/contract/figures/spending.ts";
import { expect, test } from "vitest";
import { buildReasonSeries } from "../../../components/failures/reason-series.ts";
import { calmMark, rescuedMark, restMark } from "../../../ui/chart/chart-palette.ts";
import { buildFailureView } from "./failure-view.ts";

const day = 86_400;
const first = Date.parse("2026-11-23T00:00:00Z") / 1_000;
const words = { answered: "Answered", all: "All calls" };

const spend = (requests: number[], more: Partial<Spending> = {}): Spending => ({
  unit: "day",
  first,
  until: first + requests.length * day - 1,
  series: [
    { id: "m", name: "m", owner: "", quota: requests, tokens: requests, requests, earlier: null },
  ],
  earlier: null,
  ...more,
});
const series = (reasons: { outcome: string; content: string; calls: number[] }[]) =>
  buildReasonSeries(reasons, ({ outcome, content }) =>
    content.includes("status 5") ? "The provider failed" : outcome,
  );

test("failures are red in tones, clients that left are grey, what was rescued has a mark of its own in every language, and texts that mean the same are one series", () => {
  const shown = series([
    { outcome: "failed", content: "upstream status 503", calls: [1, 0] },
    { outcome: "client_left", content: "", calls: [2, 2] },
    { outcome: "failed", content: "status 500", calls: [1, 1] },
    { outcome: "cut", content: "any bill", calls: [0, 1] },
    { outcome: "success", content: "", calls: [1, 1] },
  ]);
  expect(shown.map(({ values }) => values)).toEqual([
    [2, 1],
    [2, 2],
    [0, 1],
    [1, 1],
  ]);
  expect(shown[1]?.mark).toBe(calmMark);
  expect(shown[0]?.mark?.colour).toContain("var(--bad)");
  expect(shown[2]?.mark?.colour).toContain("var(--bad)");
  expect(shown[2]?.mark?.colour).not.toBe(shown[0]?.mark?.colour);
  expect(shown[3]?.mark).toBe(rescuedMark);
});

test("failures in steps of hours are added up to the days of the calls, whose rest was answered", () => {
  const calls = Array.from({ length: 12 }, (_, place) => (place === 0 || place === 11 ? 3 : 0));
  const failed = series([{ outcome: "failed", content: "status 503", calls }]);
  const shown = buildFailureView(
    spend([10, 5]),
    { from: first, step: 4 * 3_600, series: failed },
    words,
  );
  expect(shown.labels).toEqual(["2026-11-23", "2026-11-24"]);
  expect(shown.series.map(({ values }) => values)).toEqual([
    [7, 2],
    [3, 3],
  ]);
  expect(shown.series[0]?.mark).toBe(restMark);
  expect(shown.total.amount).toBe(15);
  expect(shown.rows[0]).toMatchObject({ amount: 6, share: 0.4 });
  expect(shown.unfinished).toEqual({ place: 1, until: "23:59" });
});

test("calls by day are added up to weeks where failures are told by week", () => {
  const week = 7 * day;
  const from = Math.floor(first / week) * week;
  const failed = series([{ outcome: "failed", content: "status 503", calls: [1, 0, 2] }]);
  const shown = buildFailureView(
    spend(new Array(14).fill(1)),
    { from, step: week, series: failed },
    words,
  );
  const [answered = [], lost = []] = shown.series.map(({ values }) => values);
  expect(lost).toEqual([1, 0, 2]);
  expect(
    answered
      .map((value, place) => value + (lost[place] ?? 0))
      .reduce((sum, value) => sum + value, 0),
  ).toBe(14);
});

test("a log that has a failure more than the roll-up has calls shows no negative bar", () => {
  const failed = series([{ outcome: "failed", content: "status 503", calls: [3] }]);
  const shown = buildFailureView(spend([2]), { from: first, step: day, series: failed }, words);
  expect(shown.series.map(({ values }) => values)).toEqual([[0], [3]]);
});
