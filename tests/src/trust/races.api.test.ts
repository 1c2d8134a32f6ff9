// The short form of `npm run trust:races`: what no smaller test shows. Codes are raced for in redemptions.db.test.ts,
// retries in money.api.test.ts, restarts of PostgreSQL in faults.api.test.ts and stops in shutdown.api.test.ts.
import { describe, test } from "vitest";
import { databaseKinds } from "../harness/test-gateway.ts";
import { largeRuns } from "./large-runs.ts";
import { accountingRace } from "./races/accounting-race.ts";
import { races, racesOn } from "./races/all-races.ts";
import { disconnectsWithin } from "./races/disconnect-race.ts";
import { overspendRace } from "./races/overspend-race.ts";
import type { Race } from "./races/race-support.ts";

const seed = 20_261_121;
/** The second that is promised is for a machine that has time. */
const busyMsMax = 20_000;
const postgresUrl = process.env.TEST_POSTGRES_URL;

const smallRaces = [
  {
    promise: "of racers on an account and its tokens exactly as many are served as can pay",
    race: overspendRace,
    count: 60,
  },
  {
    promise: "mixed calls at once: every answer and row is its caller's, and the drift is 0",
    race: accountingRace,
    count: 400,
  },
  {
    promise: "callers who leave a talking or silent provider end its calls and leave nothing taken",
    race: (...user: Parameters<Race>) => disconnectsWithin(busyMsMax, ...user),
    count: 40,
  },
];

describe.concurrent.each(databaseKinds)("on %s", (store) => {
  test.for(smallRaces)("$promise", { timeout: 180_000 }, async ({ race, count }, { expect }) => {
    const found = await race({ store, postgresUrl, seed }, count);
    expect(found.problems).toEqual([]);
    expect(found.size).toBeGreaterThanOrEqual(count);
  });

  test("every part of the large form is a row of the page, with its whole size for its goal", ({ expect }) => {
    const rows = new Map(largeRuns.map(({ run, goalSize }) => [run, goalSize]));
    for (const part of racesOn(store)) expect(rows.get(`races on ${store}: ${part}`), part).toBe(races[part].size);
  });
});
