import { roles } from "@tollgate/contract/accounts/roles.ts";
import fc from "fast-check";
import { expect, test } from "vitest";
import {
  buildSpan,
  buildSpending,
  computeEarlierDays,
  countFinished,
  fitsHours,
  requireGroup,
  type SpendingRow,
} from "./spending-rules.ts";

const dayMs = 86_400_000;
/** A Friday, 12:30. */
const now = Date.UTC(2026, 10, 20, 12, 30);
const today = Math.floor(now / dayMs);
const week = { first: today - 6, last: today };
const day = { first: today, last: today };

const row = (at: number, id: string, quota: number): SpendingRow => ({
  at,
  id,
  quota,
  requests: 1,
  tokens: quota * 2,
});
const spanOf = fc.constantFrom(
  buildSpan(week, "day"),
  buildSpan(day, "hour"),
  buildSpan({ first: today - 1, last: today }, "hour"),
);
const sum = (values: readonly number[]) => values.reduce((total, value) => total + value, 0);

test("every unit of the rows is in exactly one step of one series, whatever has a name", () => {
  const rowsOf = (first: number, count: number) =>
    fc.array(
      fc.record({
        at: fc.integer({ min: first - count, max: first + count - 1 }),
        id: fc.constantFrom(..."abcdefgh"),
      }),
      { maxLength: 60 },
    );
  fc.assert(
    fc.property(
      spanOf.chain((span) =>
        fc.tuple(fc.constant(span), rowsOf(span.first, span.count), fc.integer({ min: 0, max: 8 })),
      ),
      ([span, places, named]) => {
        const all = places.map(({ at, id }, index) => row(at, id, index + 1));
        const current = all.filter(({ at }) => at >= span.first);
        const before = all.filter(({ at }) => at < span.first);
        const isNamed = ({ id }: SpendingRow) => "abcdefgh".indexOf(id) < named;
        const reply = buildSpending({
          span,
          now,
          current: { rows: current.filter(isNamed), totals: current },
          earlier: { rows: before.filter(isNamed), totals: before },
          names: new Map(),
        });
        for (const measure of ["quota", "requests", "tokens"] as const) {
          expect(sum(reply.series.flatMap((one) => one[measure]))).toBe(
            sum(current.map((one) => one[measure])),
          );
          expect(sum(reply.earlier?.[measure] ?? [])).toBe(sum(before.map((one) => one[measure])));
        }
        const finished = countFinished(span, now);
        const comparable = before.filter(({ at }) => at - (span.first - span.count) < finished);
        const shown = new Set(reply.series.map(({ id }) => id));
        const parts = comparable.filter((one) => shown.has(isNamed(one) ? one.id : ""));
        // What was there before alone is part of the rest, where there is one.
        const gone = comparable.filter(
          (one) => isNamed(one) && !shown.has(one.id) && shown.has(""),
        );
        expect(sum(reply.series.map(({ earlier }) => earlier?.quota ?? 0))).toBe(
          sum([...parts, ...gone].map(({ quota }) => quota)),
        );
      },
    ),
  );
});

test("the largest come first, and what has no name comes last", () => {
  const rows = [row(today, "a", 1), row(today, "b", 5), row(today - 1, "a", 2)];
  const totals = [...rows, row(today, "deleted", 100)];
  const { series, first } = buildSpending({
    span: buildSpan(week, "day"),
    now,
    current: { rows, totals },
    earlier: undefined,
    names: new Map([["a", { name: "Coding agents", owner: "mira" }]]),
  });
  expect(first).toBe((today - 6) * 86_400);
  expect(
    series.map(({ id, name, owner, quota, earlier }) => [
      id,
      name,
      owner,
      quota.slice(-2),
      earlier,
    ]),
  ).toEqual([
    ["b", "b", "", [0, 5], null],
    ["a", "Coding agents", "mira", [2, 1], null],
    ["", "", "", [0, 100], null],
  ]);
});

test("the running step is not finished, and a step ahead is not either", () => {
  expect(countFinished(buildSpan(week, "day"), now)).toBe(6);
  expect(countFinished(buildSpan(day, "hour"), now)).toBe(12);
  expect(countFinished(buildSpan({ first: today - 9, last: today - 3 }, "day"), now)).toBe(7);
  expect(countFinished(buildSpan({ first: today + 1, last: today + 1 }, "hour"), now)).toBe(0);
});

test("hours are for two days at most", () => {
  expect([1, 2, 3].map((days) => fitsHours({ first: today - days + 1, last: today }))).toEqual([
    true,
    true,
    false,
  ]);
});

test("users read the day before, and not the week before", () => {
  expect(computeEarlierDays(day, roles.user, now)).toEqual({ first: today - 1, last: today - 1 });
  expect(computeEarlierDays(week, roles.user, now)).toBeUndefined();
  expect(computeEarlierDays(week, roles.admin, now)).toEqual({
    first: today - 13,
    last: today - 7,
  });
});

test("one account has no users and no channels", () => {
  expect(() => requireGroup("channel", { userId: 1 })).toThrow();
  expect(() => requireGroup("user", { userId: 1 })).toThrow();
  for (const by of ["model", "key"] as const) requireGroup(by, { userId: 1 });
  for (const by of ["model", "key", "user", "channel"] as const) requireGroup(by, {});
});
