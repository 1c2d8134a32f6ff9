// What a key of a team pays from, may use, and is refused with; read from the rows at each use.
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import {
  createTestAccount,
  type TestAccount,
} from "../../../../tests/src/support/money-fixtures.ts";
import { ruleDatabases, type TestDatabase } from "../../../../tests/src/support/test-databases.ts";
import { createApiKeys, hashKey, joinModelLists } from "./api-keys.ts";
import { authenticate, readCredential } from "./authenticate.ts";
import { buildFundsRefusal } from "./funds-refusals.ts";

test("a key may use what its own list and that of its team have in common", () => {
  const joined = (ofKey: string, ofTeam: string) => {
    const models = joinModelLists(ofKey, ofTeam);
    return models && [...models];
  };
  expect(joined("", "")).toBeNull();
  expect(joined("a,b", "")).toEqual(["a", "b"]);
  expect(joined("", "b,c")).toEqual(["b", "c"]);
  expect(joined("a,b", "b,c")).toEqual(["b"]);
  // Nothing in common is no model, and never every model.
  expect(joined("a", "c")).toEqual([]);
});

describe.each(ruleDatabases)("keys of a team on $name", ({ open }) => {
  let storage: TestDatabase;
  let account: TestAccount;
  let payer: TestAccount;
  beforeAll(async () => {
    storage = await open();
  });
  afterAll(() => storage.close());

  const set = async (
    table: "tokens" | "teams" | "team_members" | "users",
    id: number,
    change: object,
  ) => {
    await storage.db.write([
      { query: storage.db.sql.updateTable(table).set(change).where("id", "=", id), rows: 1 },
    ]);
  };
  const team = {
    id: 3,
    uuid: "t",
    group: "vip",
    models: "",
    status: 1,
    owner_id: 1,
    created_at: 0,
    updated_at: 0,
  };
  beforeEach(async () => {
    const { db } = storage;
    account = await createTestAccount(db, 1, [null]);
    payer = await createTestAccount(db, 5, [null]);
    const member = { id: 8, team_id: team.id, user_id: account.userId, role: "member" as const };
    await db.write([
      { query: db.sql.deleteFrom("teams") },
      { query: db.sql.deleteFrom("team_members") },
      {
        query: db.sql
          .insertInto("teams")
          .values({ ...team, name: "Search", wallet_id: payer.walletId }),
      },
      {
        query: db.sql
          .insertInto("team_members")
          .values({ ...member, created_at: 0, updated_at: 0 }),
      },
    ]);
    await set("tokens", account.tokenIds[0] ?? 0, {
      key_hash: hashKey(`key${account.userId}`),
      team_id: team.id,
    });
    await set("users", account.userId, { role: 10 });
  });

  const use = async () => {
    const keys = createApiKeys(
      storage.db,
      () => 0,
      () => [],
    );
    const credential = readCredential({ authorization: `Bearer key${account.userId}` }, "sk-");
    if (!credential) throw new Error("no key");
    return await authenticate(
      credential,
      keys,
      { address: "192.0.2.1", learn: () => undefined },
      0,
    );
  };

  test("a member's key pays from the wallet of the team, at its group, with no right of the person", async () => {
    expect(await use()).toMatchObject({
      ...{ userId: account.userId, walletId: payer.walletId, teamId: team.id, memberId: 8 },
      ...{ group: "vip", groups: ["vip"], role: 1, models: null },
    });
  });

  test("a service's key belongs to nobody, and works on when its maker has gone", async () => {
    await set("tokens", account.tokenIds[0] ?? 0, {
      user_id: 0,
      service: 1,
      made_by: account.userId,
      name: "ci",
    });
    await set("users", account.userId, { status: 3 });
    expect(await use()).toMatchObject({
      ...{
        userId: 0,
        username: "service:ci",
        walletId: payer.walletId,
        teamId: team.id,
        memberId: 0,
        role: 1,
      },
    });
  });

  test.each([
    ["the team is disabled", "teams", { status: 2 }, "team_disabled"],
    ["the team is deleted", "teams", { status: 3 }, "team_disabled"],
    ["the member has left", "team_members", { left_at: 5 }, "not_a_member"],
    ["the member never was one", "team_members", { user_id: 0 }, "not_a_member"],
  ] as const)("is refused without a retry where %s", async (_, table, change, code) => {
    await set(table, table === "teams" ? team.id : 8, change);
    await expect(use()).rejects.toMatchObject({
      refusal: { status: 403, code, headers: ["x-should-retry", "false"] },
    });
  });

  test("is refused where the member is disabled", async () => {
    await set("users", account.userId, { status: 2 });
    await expect(use()).rejects.toMatchObject({ refusal: { status: 403 } });
  });

  test("says what is left of the team's wallet, unless its members may not know", async () => {
    const words = async () =>
      buildFundsRefusal(
        "insufficient_user_quota",
        500_000,
        { available: 250_000, debt: 0, tokenAvailable: null },
        await use(),
      ).refusal;
    expect(await words()).toMatchObject({
      code: "insufficient_team_quota",
      message: expect.stringContaining("$0.50"),
    });
    await set("teams", team.id, { members_see_balance: 0 });
    expect((await words()).message).toBe('The team "Search" has too small a balance for this call');
    await set("team_members", 8, { role: "admin" });
    expect((await words()).message).toContain("$0.50");
  });
});
