// Budgets over both changes of summer time, with a clock that jumps: what a window spent is the sum
// of the calls of its local days.
import {
  createTestAccount,
  holdOf,
  settleOf,
  type TestAccount,
} from "@tollgate/tests/support/money-fixtures.ts";
import { type TestDatabase, testDatabases } from "@tollgate/tests/support/test-databases.ts";
import { describeVariants } from "@tollgate/tests/support/variants.ts";
import { afterAll, beforeAll, expect, test } from "vitest";
import { auditBooks } from "../../money/audit/audit.ts";
import { computeIdFloor, readUuid7 } from "../../storage/time-ids.ts";
import { buildBudget } from "./budget-rules.ts";
import { createBudgetStore } from "./budget-store.ts";
import { type LiveBudgets, openLiveBudgets } from "./live-budgets.ts";

const zonesWanted = 40;
const hourMs = 3_600_000;
const yearStart = Date.UTC(2026, 0, 1);
const yearEnd = Date.UTC(2027, 0, 1);

function changesOf(zone: string): number[] {
  const changes: number[] = [];
  let change = Temporal.Instant.fromEpochMilliseconds(yearStart)
    .toZonedDateTimeISO(zone)
    .getTimeZoneTransition("next");
  while (change && change.epochMilliseconds < yearEnd) {
    changes.push(change.epochMilliseconds);
    change = change.getTimeZoneTransition("next");
  }
  return changes;
}

const changing = Intl.supportedValuesOf("timeZone").filter((zone) => changesOf(zone).length === 2);
/** Spread over the alphabet, and so over the continents. */
const zones = Array.from(
  { length: zonesWanted },
  (_, n) => changing[Math.floor((n * changing.length) / zonesWanted)] ?? "",
);
/**
 * Around a change and the midnights beside it; in this order the clock goes forward and back by up
 * to four days.
 */
const jumps = [
  -49,
  21.5,
  -1.5,
  20.5,
  25,
  -0.5,
  1,
  -25,
  49,
  0,
  -1 / hourMs,
  -3.5,
  23.5,
  2,
  -2.5,
  22.5,
  -1,
  24,
].map((hours) => hours * hourMs);

const windows = ["day", "week", "month", "days:10"] as const;
/** Of each window one budget counts all calls, and one the calls of these models. */
const lists: readonly (readonly string[])[] = [[], ["small", "unasked"]];
const isCounted = (list: readonly string[], model: string) =>
  list.length === 0 || list.includes(model);
/** Between the two changes of most zones, so that windows lie before it too. */
const anchor = "2026-07-06";

/** As a calendar on the wall has it: no code of the windows is in it. */
function windowNames(at: number, zone: string): Record<(typeof windows)[number], string> {
  const day = new Intl.DateTimeFormat("sv-SE", { timeZone: zone }).format(at);
  const date = new Date(`${day}T00:00:00Z`);
  const monday = new Date(date.getTime() - ((date.getUTCDay() + 6) % 7) * 24 * hourMs);
  const sinceAnchor = (date.getTime() - Date.parse(anchor)) / (24 * hourMs);
  const ten = new Date(
    Date.parse(anchor) + Math.floor(sinceAnchor / 10) * 10 * 24 * hourMs,
  ).toISOString();
  return { day, week: monday.toISOString().slice(0, 10), month: day.slice(0, 7), "days:10": ten };
}

describeVariants(testDatabases)("budgets over summer time on $name", ({ open }) => {
  let storage: TestDatabase;
  let account: TestAccount;
  let live: LiveBudgets;
  beforeAll(async () => {
    storage = await open();
    account = await createTestAccount(
      storage.db,
      1_000_000,
      zones.map(() => null),
    );
    const store = createBudgetStore(storage.db);
    const rows = zones.flatMap((zone, n) =>
      windows.flatMap((window) =>
        lists.map((models) => {
          const terms = {
            window,
            zone,
            first_day: 1,
            anchor,
            note: "",
            models: [...models],
            amount: 100_000,
            hard: true,
            counts_team_keys: false,
            measure: "quota" as const,
            thresholds: [],
            enabled: true,
          };
          const subject = { subject: "token" as const, subject_id: account.tokenIds[n] };
          const input = { ...subject, name: zone, on_reached: "refuse" as const, ...terms };
          return buildBudget(input, readUuid7(yearStart), yearStart - 40 * 24 * hourMs);
        }),
      ),
    );
    await storage.db.write(rows.map((row) => store.insert(row)));
    live = await openLiveBudgets(storage.db);
  });
  afterAll(() => storage.close());

  test("both changes in 40 zones: each call counts in the day, week, month and ten days of its zone, also where a budget is for some models, and the ledger agrees", {
    tags: ["BU-02", "BU-03", "large"],
    timeout: 120_000,
  }, async () => {
    const { db } = storage;
    expect(new Set(zones).size).toBe(zonesWanted);
    const expected = new Map<string, number>();
    const moments = zones.flatMap((zone, n) =>
      changesOf(zone).map((change) => ({ zone, n, change })),
    );
    const begin = async (at: number, zone: string, tokenId: number, call: number) => {
      const [id, charge] = [computeIdFloor(at) + call, (call % 17) + 1];
      const model = call % 3 === 0 ? "other" : "small";
      const budgets = live.heldBy({
        at,
        tokenId,
        userId: account.userId,
        teamId: 0,
        memberId: 0,
        model,
        targets: () => [],
      });
      expect(await db.money(holdOf(account, id, 20, { tokenId, budgets }))).toBe("held");
      const names = windowNames(at, zone);
      for (const window of windows)
        for (const list of lists.filter((one) => isCounted(one, model))) {
          const key = `${zone} ${window} ${list} ${names[window]}`;
          expected.set(key, (expected.get(key) ?? 0) + charge);
        }
      return () =>
        db.money({ ...settleOf(account, id, charge, { token_id: tokenId }), hasBudgets: true });
    };
    /** They end after the next jump of the clock. */
    let running: (() => Promise<unknown>)[] = [];
    for (const [turn, jump] of jumps.entries()) {
      const begun = await Promise.all(
        moments.map(({ zone, n, change }, index) =>
          begin(change + jump, zone, account.tokenIds[n] ?? 0, turn * moments.length + index),
        ),
      );
      await Promise.all(running.map((end) => end()));
      running = begun;
    }
    await Promise.all(running.map((end) => end()));

    const counted = await db.read(
      db.sql
        .selectFrom("budget_counters")
        .innerJoin("budgets", "budgets.id", "budget_counters.budget_id")
        .select([
          "budgets.zone",
          "budgets.window",
          "budgets.models",
          "window_start",
          "spent",
          "held",
        ])
        .orderBy("window_start"),
    );
    expect(counted.filter(({ held }) => held !== 0)).toEqual([]);
    // Names of dates sort as their windows begin.
    const ofBudget = (name: string) =>
      [...expected]
        .filter(([key]) => key.startsWith(`${name} `))
        .sort(([one], [other]) => (one < other ? -1 : 1))
        .map(([, spent]) => spent);
    for (const zone of zones)
      for (const window of windows)
        for (const list of lists.map(String))
          expect(
            counted
              .filter((row) => row.zone === zone && row.window === window && row.models === list)
              .map(({ spent }) => spent),
            `${zone} ${window} ${list}`,
          ).toEqual(ofBudget(`${zone} ${window} ${list}`));
    expect(await auditBooks(db)).toEqual([]);
  });
});
