// What subjects usually spend, read from the roll-ups.
import { rollupMeasures } from "@tollgate/tests/support/rollup-measures.ts";
import { type TestDatabase, testDatabases } from "@tollgate/tests/support/test-databases.ts";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { computeDay, computeHour } from "../../storage/rollups.ts";
import { hoursPerWeek } from "./budget-forecast.ts";
import { createUsualHoursReader } from "./budget-pace-store.ts";
import type { BudgetRow } from "./budget-store.ts";

const now = Date.UTC(2026, 10, 26, 12, 30);
const [today, hour] = [computeDay(now), computeHour(now)];
const spent = (quota: number) => rollupMeasures({ quota });
const row = (id: number, changes: Partial<BudgetRow>): BudgetRow =>
  ({
    id,
    subject: "site",
    subject_id: 0,
    model_name: "",
    tag: "",
    models: "",
    ...changes,
  }) as BudgetRow;

describe.each(testDatabases)("the usual hours of budgets on $name", ({ open }) => {
  let storage: TestDatabase;
  beforeAll(async () => {
    storage = await open();
  });
  afterAll(() => storage.close());
  const usual = async (changes: Partial<BudgetRow>) =>
    (await createUsualHoursReader(storage.db)([row(1, changes)], now)).get(1);

  test("are the mean of the same weekday and hour over four weeks, of the site, of a model and of some models", async () => {
    const { db } = storage;
    const called = (ago: number, model_name: string, quota: number) => ({
      query: db.sql
        .insertInto("rollup_hour_model")
        .values({ ...spent(quota), hour: hour - ago, model_name }),
    });
    await db.write([
      ...[1, 2, 3, 4].map((week) => called(week * hoursPerWeek, "small", 100)),
      called(4 * hoursPerWeek - 5, "large", 40),
      // The hour that is not over, and what is older, do not count.
      ...[0, 4 * hoursPerWeek + 1].map((ago) => called(ago, "small", 1_000_000)),
      called(3, "new", 800),
    ]);
    const at = (hours: readonly number[] | undefined, ago: number) =>
      hours?.[(hour - ago) % hoursPerWeek];
    const site = await usual({});
    expect([0, -5, 3, 1].map((ago) => at(site, ago))).toEqual([100, 10, 200, 0]);
    const [small, both] = [
      await usual({ subject: "model", model_name: "small" }),
      await usual({ models: "small,new" }),
    ];
    expect([0, -5, 3].map((ago) => at(small, ago))).toEqual([100, 0, 0]);
    expect([0, -5, 3].map((ago) => at(both, ago))).toEqual([100, 0, 200]);
    // Spent in none of the first seven of the 28 days.
    expect(await usual({ subject: "model", model_name: "new" })).toBeUndefined();
  });

  test("are even within the day of a user, key or tag, and none where no roll-up holds them", async () => {
    const { db } = storage;
    const sums = {
      requests: 1,
      failures: 0,
      quota: 960,
      prompt_tokens: 0,
      cached_prompt_tokens: 0,
      completion_tokens: 0,
    };
    const { sql } = db;
    await db.write(
      [7, 14, 28]
        .map((ago) => today - ago)
        .flatMap((day) => [
          { query: sql.insertInto("rollup_day_user").values({ ...spent(960), day, user_id: 7 }) },
          {
            query: sql
              .insertInto("rollup_day_user_model")
              .values({ ...spent(960), day, user_id: 7, model_name: "small" }),
          },
          { query: sql.insertInto("rollup_day_token").values({ ...spent(960), day, token_id: 7 }) },
          {
            query: sql
              .insertInto("rollup_day_tag")
              .values({ ...sums, day, tag_key: "team", tag_value: "a=b" }),
          },
        ]),
    );
    for (const subject of [
      { subject: "user", subject_id: 7 },
      { subject: "user", subject_id: 7, models: "small,other" },
      { subject: "token", subject_id: 7 },
      { subject: "tag", tag: "team=a=b" },
    ] as const) {
      const hours = await usual(subject);
      expect(hours?.[hour % hoursPerWeek], JSON.stringify(subject)).toBe(30);
      expect(hours?.reduce((sum, units) => sum + units, 0)).toBe(720);
    }
    for (const subject of [
      { subject: "user", subject_id: 8 },
      { subject: "user", subject_id: 7, models: "large" },
      { subject: "token", subject_id: 7, models: "small" },
      { subject: "tag", tag: "team=*" },
    ] as const)
      expect(await usual(subject), JSON.stringify(subject)).toBeUndefined();
  });
});
