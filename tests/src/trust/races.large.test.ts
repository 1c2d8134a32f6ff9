// The short form of `npm run trust -- races`: what no smaller test shows. Codes are raced for in
// redemptions.db.test.ts, retries in money.api.test.ts, restarts of PostgreSQL in
// faults.api.test.ts and stops in shutdown.api.test.ts.

import { accountingRace } from "@tollgate/trust/races/accounting-race.ts";
import { races, racesOn } from "@tollgate/trust/races/all-races.ts";
import { disconnectsWithin } from "@tollgate/trust/races/disconnect-race.ts";
import { overspendRace } from "@tollgate/trust/races/overspend-race.ts";
import type { Race } from "@tollgate/trust/races/race-support.ts";
import { describe, test } from "vitest";
import { databaseKinds } from "../harness/gateway-database.ts";
import { largeRuns } from "./large-runs.ts";

const seed = 20_261_121;
/** The second that is promised is for a machine that has time. */
const busyMsMax = 20_000;
const postgresUrl = process.env.TEST_POSTGRES_URL;

describe.concurrent.each(databaseKinds)("on %s", (store) => {
  const passes = (race: Race, count: number) => async () => {
    const found = await race({ store, postgresUrl, seed }, count);
    if (found.problems.length > 0) throw new Error(found.problems.join("\n"));
    if (found.size < count) throw new Error(`${found.size} instead of ${count}`);
  };
  const timeout = 180_000;

  test(
    "of racers on an account and its tokens exactly as many are served as can pay",
    { tags: ["F-44"], timeout },
    passes(overspendRace, 60),
  );

  test(
    "mixed calls at once: every response and row belongs to its own client, and the drift is 0",
    { tags: ["F-56"], timeout },
    passes(accountingRace, 400),
  );

  test(
    "clients that disconnect from a talking or silent provider end its calls and keep nothing occupied",
    { tags: ["F-50"], timeout },
    passes((...options) => disconnectsWithin(busyMsMax, ...options), 40),
  );

  test("every part of the large form is a row of the page, with its whole size for its goal", ({
    expect,
  }) => {
    const rows = new Map(largeRuns.map(({ run, goalSize }) => [run, goalSize]));
    for (const part of racesOn(store))
      expect(rows.get(`races on ${store}: ${part}`), part).toBe(races[part].size);
  });
});
