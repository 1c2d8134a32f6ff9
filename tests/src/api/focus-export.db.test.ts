import { freezePrice } from "@tollgate/gateway/money/prices/price.ts";
import { computeIdFloor } from "@tollgate/gateway/storage/time-ids.ts";
import { afterAll, beforeAll, expect, test } from "vitest";
import {
  chargesOf,
  createTestAccount,
  foldRollups,
  holdOf,
  settleOf,
  type TestAccount,
} from "../support/money-fixtures.ts";
import { testDatabases } from "../support/test-databases.ts";
import { describeVariants } from "../support/variants.ts";
import {
  type ManagementGateway,
  startManagementGateway,
  type TestApiClient,
} from "./management-gateway.ts";

const dayMs = 86_400_000;
const unitsPerDollar = 500_000;

describeVariants(testDatabases)("the FOCUS export on $name", (database) => {
  let gateway: ManagementGateway;
  let root: TestApiClient;
  let ann: TestAccount;
  let bob: TestAccount;
  /** UTC days since 1970. */
  let today: number;
  const dayText = (day: number) => new Date(day * dayMs).toISOString().slice(0, 10);

  /** A charged call at a moment, through the verbs that charge real ones. */
  let calls = 0;
  const spend = async (account: TestAccount, atMs: number, charge: number, tokens: number) => {
    calls += 1;
    const id = computeIdFloor(atMs) + calls;
    const rates = {
      input: 2_000_000n,
      cache_read: 0n,
      cache_write_5m: 0n,
      cache_write_1h: 0n,
      output: 0n,
    };
    // A quarter of the selling price.
    const buying = { rates: { ...rates, input: 500_000n } };
    const listed = {
      rates,
      buying,
      source: "test",
      source_date: "",
      verified: true,
      max_tokens: 0,
    };
    const price = freezePrice(listed, 1_000_000);
    await gateway.db.money(holdOf(account, id, charge));
    await gateway.db.money(
      settleOf(account, id, charge, { prompt_tokens: tokens, price: JSON.stringify(price) }),
    );
  };

  const rowsOf = async (client: TestApiClient, query: string) => {
    const { status, body } = await client("GET", `/api/usage/focus?${query}`);
    if (status !== 200) return { status, rows: [] };
    const [head = "", ...lines] = String(body.data).trimEnd().split("\r\n");
    const names = head.split(",");
    const rows = lines.map((line) =>
      Object.fromEntries(line.split(",").map((cell, place) => [names[place] ?? "", cell])),
    );
    return { status, rows };
  };
  const billedUnits = (rows: Record<string, string>[]) =>
    Math.round(
      rows.reduce((sum, { BilledCost = "" }) => sum + Number(BilledCost) * unitsPerDollar, 0) * 1e6,
    ) / 1e6;
  beforeAll(async () => {
    gateway = await startManagementGateway(database);
    root = await gateway.signIn("root");
    ann = await createTestAccount(gateway.db, 10_000_000, [null]);
    bob = await createTestAccount(gateway.db, 10_000_000, [null]);
    today = Math.floor(gateway.clock.now / dayMs);
    const yesterdayMs = (today - 1) * dayMs;
    await spend(ann, yesterdayMs, 100, 100);
    await spend(ann, yesterdayMs + dayMs - 1, 51, 50);
    await spend(ann, today * dayMs, 7, 7);
    await spend(bob, yesterdayMs + 1, 20, 90);
    await foldRollups(gateway.db);
  });
  afterAll(() => gateway.close());

  test("adds up to the ledger of every user, by day, with differences as adjustments", async () => {
    const { rows } = await rowsOf(
      root,
      `from=${dayText(today - 1)}&to=${dayText(today)}&user_id=all`,
    );
    const ledger = [await chargesOf(gateway.db, ann), await chargesOf(gateway.db, bob)];
    expect(billedUnits(rows)).toBe(ledger.reduce((sum, { charge }) => sum + charge, 0));
    expect(
      rows.map((row) => [row.ChargePeriodStart?.slice(0, 10), row.SkuMeter, row.ConsumedQuantity]),
    ).toEqual([
      [dayText(today - 1), "input", "150.0"],
      [dayText(today - 1), "rounding", ""],
      [dayText(today - 1), "input", "90.0"],
      [dayText(today - 1), "other", ""],
      [dayText(today), "input", "7.0"],
    ]);
  });

  test("has the first rows alone where a preview asks for them", async () => {
    const span = `from=${dayText(today - 1)}&to=${dayText(today)}&user_id=all`;
    const { rows } = await rowsOf(root, span);
    for (const limit of [1, 4, 5, 1_000])
      expect((await rowsOf(root, `${span}&limit=${limit}`)).rows).toEqual(rows.slice(0, limit));
    expect((await rowsOf(root, `${span}&limit=0`)).status).toBe(400);
  });

  test("shows the first rows while the same user downloads them all", async () => {
    const span = `from=${dayText(today - 1)}&to=${dayText(today)}&user_id=all`;
    const [file, preview] = await Promise.all([
      rowsOf(root, span),
      rowsOf(root, `${span}&limit=2`),
    ]);
    expect([file.status, preview.status]).toEqual([200, 200]);
    expect(preview.rows).toEqual(file.rows.slice(0, 2));
  });

  test("says in the export of all users, and there alone, what providers take", async () => {
    const span = `from=${dayText(today)}&to=${dayText(today)}`;
    const { rows } = await rowsOf(root, `${span}&user_id=all`);
    expect(rows.map((row) => [row.BilledCost, row.x_ProviderCost])).toEqual([
      ["0.000014", "0.0000035"],
    ]);
    const [own] = (await rowsOf(root, `${span}&user_id=${ann.userId}`)).rows;
    expect(own).toMatchObject({ BilledCost: "0.000014" });
    expect(own).not.toHaveProperty("x_ProviderCost");
  });

  test("bills what deleted log rows cost as one row by user and day", async () => {
    await gateway.db.write([
      { query: gateway.db.sql.deleteFrom("logs").where("user_id", "=", bob.userId), rows: 1 },
    ]);
    const { rows } = await rowsOf(
      root,
      `from=${dayText(today - 1)}&to=${dayText(today)}&user_id=${bob.userId}`,
    );
    expect(rows.map((row) => [row.ChargeDescription, row.ResourceId, row.BilledCost])).toEqual([
      ["Calls whose log rows were deleted", "", "0.00004"],
    ]);
  });

  test("is refused for figures of others and for spans that cannot be read", async () => {
    await gateway.addUser("mira");
    const mira = await gateway.signIn("mira");
    const span = `from=${dayText(today)}&to=${dayText(today)}`;
    expect(await rowsOf(mira, span)).toEqual({ status: 200, rows: [] });
    const statuses = [
      `${span}&user_id=all`,
      `${span}&user_id=${ann.userId}`,
      `from=${dayText(today)}&to=${dayText(today - 1)}`,
      `from=${dayText(today + 2)}&to=${dayText(today + 3)}`,
      `from=${dayText(today - 366)}&to=${dayText(today)}`,
      `from=${dayText(today)}`,
    ].map(async (query) => (await rowsOf(mira, query)).status);
    expect(await Promise.all(statuses)).toEqual([403, 403, 400, 400, 400, 400]);
  });
});
