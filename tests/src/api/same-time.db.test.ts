// What an unfinished day is compared with: the previous day until the same time of day.
import { afterAll, beforeAll, expect, test } from "vitest";
import { testDatabases } from "../support/test-databases.ts";
import { describeVariants } from "../support/variants.ts";
import { type ManagementGateway, startManagementGateway } from "./management-gateway.ts";
import { addSettledCall, waitForRollups } from "./seed-logs.ts";

const minute = 60_000;
const now = Date.UTC(2026, 10, 20, 12, 30);
const yesterday = now - 24 * 60 * minute;

describeVariants(testDatabases)("the dashboard on $name", (database) => {
  let gateway: ManagementGateway;

  beforeAll(async () => {
    gateway = await startManagementGateway(database, now);
    await gateway.addUser("ada", { role: 10 });
    const [mira, noor] = [await gateway.addUser("mira"), await gateway.addUser("noor")];
    await addSettledCall(gateway, mira, yesterday - 13 * 60 * minute, { quota: 1_000 }); // the day before yesterday
    await addSettledCall(gateway, mira, yesterday - 4 * 60 * minute, { quota: 100 });
    await addSettledCall(gateway, noor, yesterday - 20 * minute, { quota: 20 }); // within the hour that is not over
    await addSettledCall(gateway, mira, yesterday - minute, { quota: 3 });
    await addSettledCall(gateway, mira, yesterday + minute, { quota: 500 });
    await waitForRollups(gateway, 5);
  });
  afterAll(() => gateway.close());

  const sameTime = async (username: string, query: string) => {
    const client = await gateway.signIn(username);
    return (await client("GET", `/api/user/dashboard?${query}`)).body.data.same_time;
  };
  const week = "from_date=2026-11-14&to_date=2026-11-20";

  test("says how far the previous day was at this time, for the site and for a user", async () => {
    expect(await sameTime("ada", `${week}&user_id=all`)).toEqual({
      requests: 3,
      quota: 123,
      tokens: 30,
    });
    expect(await sameTime("mira", week)).toEqual({ requests: 2, quota: 103, tokens: 20 });
    expect(await sameTime("ada", week)).toEqual({ requests: 0, quota: 0, tokens: 0 });
  });

  test("does not say it for a range that has ended", async () => {
    expect(await sameTime("mira", "from_date=2026-11-14&to_date=2026-11-19")).toBeNull();
  });
});
