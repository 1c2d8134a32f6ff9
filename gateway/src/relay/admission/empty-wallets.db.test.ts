import { testDatabases } from "@tollgate/tests/support/test-databases.ts";
import { describeVariants } from "@tollgate/tests/support/variants.ts";
import { expect, test } from "vitest";
import { createEmptyWallets } from "./empty-wallets.ts";

describeVariants(testDatabases)("empty wallets on $name", (database) => {
  test("a wallet without a balance or in debt pays for nothing, and one that is filled counts at once", {
    tags: ["FT-35"],
  }, async () => {
    const { db, close } = await database.open();
    let now = 1_700_000_000_000;
    const wallets = createEmptyWallets(db, () => now);
    const { sql } = db;
    const set = (balance: number, debt: number) =>
      db.write([{ query: sql.updateTable("wallets").set({ balance, debt }).where("id", "=", 1) }]);
    const uuid = "0190a000-0000-7000-8000-000000000001";
    await db.write([
      { query: sql.insertInto("wallets").values({ uuid, balance: 0, created_at: 1 }) },
    ]);
    expect(await wallets.refusalOf(1)).toBe("insufficient_user_quota");
    await set(0, 5);
    expect(await wallets.refusalOf(1)).toBe("wallet_in_debt");
    await set(5, 0);
    expect(await wallets.refusalOf(1)).toBeUndefined();
    // For a moment it counts as filled, without a look.
    await set(0, 0);
    expect(wallets.refusalOf(1)).toBeUndefined();
    now += 5_001;
    expect(await wallets.refusalOf(1)).toBe("insufficient_user_quota");
    expect(await wallets.refusalOf(2)).toBe("insufficient_user_quota");
    await close();
  });
});
