import { type TestDatabase, testDatabases } from "@tollgate/tests/support/test-databases.ts";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { createLockout } from "./lockout.ts";
import { sourceRules } from "./lockout-rules.ts";
import { createLockoutStore, purgeSignInFailures } from "./lockout-store.ts";

const minute = 60_000;
const start = 1_700_000_000_000;

describe.each(testDatabases)("lockouts on $name", (database) => {
  let storage: TestDatabase;
  beforeAll(async () => {
    storage = await database.open();
  });
  afterAll(() => storage.close());

  /** Each result is a node without any state of its own. */
  const node = (kind = "password") =>
    createLockout(storage.db, createLockoutStore(storage.db), kind, sourceRules);

  test("failures on any node lock the account on all of them, and a success clears them", async () => {
    for (let failure = 0; failure < 4; failure += 1) await node().failed("mira", start);
    expect(await node().wait("mira", start)).toBe(0);
    await node().failed("mira", start);
    expect(await node().wait("mira", start)).toBe(60);
    expect(await node("second-factor").wait("mira", start)).toBe(0);
    expect(await node().wait("mira", start + minute)).toBe(0);
    await node().succeeded("mira");
    await node().failed("mira", start + minute);
    expect(await node().wait("mira", start + minute)).toBe(0);
  });

  test("concurrent failures are all counted", async () => {
    await Promise.all(Array.from({ length: 9 }, () => node().failed("crowd", start)));
    expect(await node().wait("crowd", start)).toBe(15 * 60);
  });

  test("rows do not name the account, and expired ones are purged", async () => {
    const rows = () => storage.db.read(storage.db.sql.selectFrom("sign_in_failures").selectAll());
    await node().failed("a password in the wrong field", start);
    expect(JSON.stringify(await rows())).not.toContain("wrong field");
    await storage.db.write([purgeSignInFailures(storage.db, start + 31 * minute)]);
    expect(await rows()).toEqual([]);
  });
});
