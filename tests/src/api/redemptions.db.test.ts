import { hashCode } from "@tollgate/gateway/accounts/redemptions/redemption-rules.ts";
import { auditBooks } from "@tollgate/gateway/money/audit/audit.ts";
import { afterAll, beforeAll, expect, test } from "vitest";
import { testDatabases } from "../support/test-databases.ts";
import { describeVariants } from "../support/variants.ts";
import {
  type ManagementGateway,
  startManagementGateway,
  type TestApiClient,
} from "./management-gateway.ts";

const refusal = {
  success: false,
  code: "redemption_refused",
  message: "This redemption code is not valid",
};
const windowMs = 901_000;

describeVariants(testDatabases)("redemption codes on $name", (database) => {
  let gateway: ManagementGateway;
  let admin: TestApiClient;
  let mira: TestApiClient;
  beforeAll(async () => {
    gateway = await startManagementGateway(database);
    await gateway.addUser("ada", { role: 10 });
    await gateway.addUser("mira");
    [admin, mira] = [await gateway.signIn("ada"), await gateway.signIn("mira")];
  });
  afterAll(() => gateway.close());

  const generate = async (input: object = {}): Promise<string[]> => {
    const reply = await admin("POST", "/api/redemption/", {
      body: { name: "gift", quota: 500, ...input },
    });
    expect(reply.body).toMatchObject({ success: true });
    return reply.body.data;
  };
  const one = async (input: object = {}) => {
    const [key = ""] = await generate(input);
    const row = (await admin("GET", "/api/redemption/?size=100")).body.data.find(
      (code: { key: string }) => code.key === key,
    );
    return { ...row, key } as { id: number; uuid: string; key: string; updated_at: number };
  };
  const redeem = (client: TestApiClient, key: string, headers = {}) =>
    client("POST", "/api/user/topup", { body: { key }, headers });
  const balance = async (client: TestApiClient) =>
    (await client("GET", "/api/user/self")).body.data.quota;
  const stored = () =>
    gateway.db.read(gateway.db.sql.selectFrom("redemptions").selectAll().orderBy("id"));
  const booksAgree = async () => expect(await auditBooks(gateway.db)).toEqual([]);

  test("generated codes are distinct, shown to administrators, and nowhere in clear", async () => {
    const keys = await generate({ count: 100 });
    expect(new Set(keys).size).toBe(100);
    for (const key of keys) expect(key).toMatch(/^[0-9a-f]{32}$/);
    const listed = (await admin("GET", "/api/redemption/?size=100")).body;
    expect(listed.total).toBe(100);
    expect(listed.data.map(({ key }: { key: string }) => key).sort()).toEqual([...keys].sort());
    expect(listed.data[0]).toMatchObject({
      name: "gift",
      quota: 500,
      status: 1,
      count: 0,
      redeemed_time: 0,
    });
    const everything = JSON.stringify([
      await stored(),
      await gateway.db.read(gateway.db.sql.selectFrom("audit_entries").selectAll()),
      await gateway.db.read(gateway.db.sql.selectFrom("idempotency_keys").selectAll()),
    ]);
    for (const key of keys) expect(everything).not.toContain(key);
    expect(everything).toContain(hashCode(keys[0] ?? ""));
  });

  test("a repeated generation with the same Idempotency-Key answers the same codes", async () => {
    const before = (await stored()).length;
    const headers = { "idempotency-key": "batch-1" };
    const body = { name: "batch", quota: 1, count: 20 };
    const replies = await Promise.all(
      Array.from({ length: 6 }, () => admin("POST", "/api/redemption/", { body, headers })),
    );
    expect(new Set(replies.map((reply) => JSON.stringify(reply.body.data))).size).toBe(1);
    expect(replies[0]?.body.data).toHaveLength(20);
    expect((await stored()).length).toBe(before + 20);
  });

  test("of codes that cannot all be stored none is", async () => {
    const before = await stored();
    const { db } = gateway;
    const rows = [0, 1, 2].map((n) => ({
      uuid: `half-${n}`,
      user_id: 1,
      name: "half",
      // The last one is taken.
      key_hash: n === 2 ? (before[0]?.key_hash ?? "") : `half-${n}`,
      key_sealed: "",
      status: 1,
      quota: 1,
      created_at: 1,
      updated_at: 1,
    }));
    await expect(
      db.write([{ query: db.sql.insertInto("redemptions").values(rows), rows: 3 }]),
    ).rejects.toThrow();
    expect(await stored()).toEqual(before);
  });

  test("a code pays its quota once, and its row, the log and the ledger say so", async () => {
    const code = await one({ quota: 750_000 });
    const before = await balance(mira);
    gateway.clock.now += 5000;
    expect((await redeem(mira, ` ${code.key} `)).body).toEqual({
      success: true,
      message: "",
      data: 750_000,
    });
    expect(await balance(mira)).toBe(before + 750_000);
    const used = (await admin("GET", `/api/redemption/${code.id}`)).body.data;
    expect(used).toMatchObject({
      status: 3,
      redeemed_by: "mira",
      redeemed_time: Math.floor(gateway.clock.now / 1000),
    });
    const [log] = (await mira("GET", "/api/log/self?type=1")).body.data;
    expect(log).toMatchObject({
      content: "$1.500000 by redemption code",
      code: "code_redeemed",
      params: { quota: 750_000 },
      quota: 750_000,
      type: 1,
    });
    expect((await redeem(mira, code.key)).body).toEqual(refusal);
    await booksAgree();
  });

  test("a call that is sent again with its Idempotency-Key is answered again and pays nothing more", {
    tags: ["FT-27"],
  }, async () => {
    const code = await one();
    const before = await balance(mira);
    const headers = { "idempotency-key": "redeem-1" };
    const replies = await Promise.all(
      Array.from({ length: 4 }, () => redeem(mira, code.key, headers)),
    );
    expect(replies.map(({ body }) => body.data)).toEqual([500, 500, 500, 500]);
    expect(await balance(mira)).toBe(before + 500);
    await gateway.addUser("other");
    expect((await redeem(await gateway.signIn("other"), code.key, headers)).body).toEqual(refusal);
  });

  test("a code of 0 pays nothing and is used up", async () => {
    const code = await one({ quota: 0 });
    const before = await balance(mira);
    expect((await redeem(mira, code.key)).body.data).toBe(0);
    expect(await balance(mira)).toBe(before);
    expect((await admin("GET", `/api/redemption/${code.uuid}`)).body.data.status).toBe(3);
    await booksAgree();
  });

  test("unknown, disabled, used, deleted and wrongly written codes are refused alike", async () => {
    gateway.clock.now += windowMs;
    const [used, disabled, deleted] = [await one(), await one(), await one()];
    await redeem(mira, used.key);
    await admin("PUT", "/api/redemption/?status_only=1", { body: { id: disabled.id, status: 2 } });
    await admin("DELETE", `/api/redemption/${deleted.uuid}`);
    const fresh = await one({ name: "fresh" });
    for (const key of [
      "0".repeat(32),
      used.key,
      disabled.key,
      deleted.key,
      fresh.key.toUpperCase(),
    ]) {
      const reply = await redeem(mira, key);
      expect([reply.status, reply.body]).toEqual([200, refusal]);
    }
    // That were five: the sixth is not even looked at, until the window is over.
    const sixth = await redeem(mira, fresh.key);
    expect([sixth.status, sixth.body.code]).toEqual([429, "too_many_requests"]);
    expect(Number(sixth.headers.get("retry-after"))).toBeGreaterThan(0);
    await gateway.addUser("neighbour");
    expect((await redeem(await gateway.signIn("neighbour"), "nope")).status).toBe(200);
    gateway.clock.now += windowMs;
    expect((await redeem(mira, fresh.key)).body.data).toBe(500);
    await admin("PUT", "/api/redemption/?status_only=1", {
      body: { uuid: disabled.uuid, status: 1 },
    });
    expect((await redeem(mira, disabled.key)).body.data).toBe(500);
    await booksAgree();
  });

  test("a used code is final", { tags: ["F-41", "I-8"] }, async () => {
    const code = await one();
    await redeem(mira, code.key);
    for (const [path, body] of [
      ["/api/redemption/?status_only=1", { id: code.id, status: 1 }],
      ["/api/redemption/?status_only=true", { uuid: code.uuid, status: 2 }],
      ["/api/redemption/", { id: code.id, quota: 9 }],
      ["/api/redemption/", { id: code.id, name: "again" }],
    ] as const) {
      const reply = await admin("PUT", path, { body });
      expect([reply.status, reply.body.code]).toEqual([200, "redemption_used"]);
    }
    expect(
      (await admin("PUT", "/api/redemption/?status_only=1", { body: { id: code.id, status: 3 } }))
        .status,
    ).toBe(400);
    await admin("DELETE", `/api/redemption/${code.id}`);
    await booksAgree();
  });

  test("both id forms lead to the code, edits keep what they do not mention and see stale versions", async () => {
    const code = await one();
    for (const id of [code.id, code.uuid, code.uuid.toUpperCase()])
      expect((await admin("GET", `/api/redemption/${id}`)).body.data.key).toBe(code.key);
    const edit = { id: code.id, quota: 700, updated_at: code.updated_at };
    const edited = (await admin("PUT", "/api/redemption/", { body: edit })).body.data;
    expect(edited).toMatchObject({ name: "gift", quota: 700, key: code.key, status: 1 });
    const stale = await admin("PUT", "/api/redemption/", { body: { ...edit, quota: 800 } });
    expect([stale.status, stale.body.code]).toEqual([409, "changed_meanwhile"]);
    expect(
      (await admin("PUT", "/api/redemption/", { body: { uuid: code.uuid, name: "won" } })).body
        .data,
    ).toMatchObject({
      name: "won",
      quota: 700,
    });
    for (const id of [999_999, "0199aa10-0000-7000-8000-00000000ffff"])
      expect((await admin("GET", `/api/redemption/${id}`)).body.code).toBe("redemption_not_found");
    expect((await redeem(mira, code.key)).body.data).toBe(700);
  });

  test("lists are sorted and searched literally", async () => {
    for (const [index, name] of ["Lot a", "lot b", "lot%"].entries())
      await generate({ name, quota: index });
    const search = async (query: string) => {
      const { body } = await admin("GET", `/api/redemption/search?${query}`);
      return [body.data.map(({ name }: { name: string }) => name), body.total];
    };
    expect(await search("keyword=LOT&sort=quota&order=asc&size=2")).toEqual([
      ["Lot a", "lot b"],
      3,
    ]);
    expect(await search("keyword=lot%25")).toEqual([["lot%"], 1]);
    const { uuid } = (await admin("GET", "/api/redemption/search?keyword=lot+b")).body.data[0];
    expect(await search(`keyword=${uuid}`)).toEqual([["lot b"], 1]);
    const listed = (await admin("GET", "/api/redemption/?sort=quota&order=desc&size=1")).body.data;
    expect(listed[0].quota).toBe(750_000);
    for (const sort of [
      "id",
      "name",
      "key",
      "status",
      "created_time",
      "redeemed_time",
      "created_at",
      "updated_at",
    ])
      expect((await admin("GET", `/api/redemption/?sort=${sort}`)).body.success).toBe(true);
  });

  const raceFor = async (codes: number): Promise<void> => {
    const racers = await Promise.all(
      Array.from({ length: 100 }, (_, n) => gateway.addUser(`racer-${codes}-${n}`)),
    );
    const clients = racers.map(
      ({ token }): TestApiClient =>
        (method, path, ask) =>
          gateway.visitor(method, path, { ...ask, headers: { authorization: token } }),
    );
    const keys = await generate({ name: "race", count: codes, quota: 77 });
    for (const key of keys) {
      const replies = await Promise.all(clients.map((client) => redeem(client, key)));
      expect(replies.filter(({ body }) => body.success).map(({ body }) => body.data)).toEqual([77]);
      expect(replies.filter(({ body }) => body.code === "redemption_refused")).toHaveLength(99);
      // Otherwise those who lost five times would have to wait.
      gateway.clock.now += windowMs;
    }
    const wallets = await gateway.db.read(
      gateway.db.sql
        .selectFrom("users")
        .innerJoin("wallets", "wallets.id", "users.wallet_id")
        .select("wallets.balance")
        .where("users.username", "like", `racer-${codes}-%`),
    );
    expect(wallets.reduce((sum, row) => sum + row.balance, 0)).toBe(codes * 77);
    await booksAgree();
  };

  test(
    "100 people race for each of 5 codes: each code pays one of them, and the books agree",
    {
      tags: ["F-40", "I-8"],
    },
    () => raceFor(5),
  );

  test(
    "100 people race for each of 50 codes: each code pays one of them, and the books agree",
    {
      tags: ["F-40", "I-8", "large"],
      timeout: 120_000,
    },
    () => raceFor(50),
  );

  test("nothing went wrong inside", () => expect(gateway.problems).toEqual([]));
});
