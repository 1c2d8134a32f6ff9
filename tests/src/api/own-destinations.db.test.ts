import { ownDestinationsMax } from "@tollgate/contract/notices/own-destinations.ts";
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { startNoticeReceiver } from "../harness/notice-receiver.ts";
import { hostileHosts } from "../support/hostile-urls.ts";
import { testDatabases } from "../support/test-databases.ts";
import { describeVariants } from "../support/variants.ts";
import {
  type ManagementGateway,
  startManagementGateway,
  type TestApiClient,
} from "./management-gateway.ts";

const hour = 3_600_000;
const day = 24 * hour;

describeVariants(testDatabases)("destinations of users on $name", (database) => {
  let gateway: ManagementGateway;
  let receiver: Awaited<ReturnType<typeof startNoticeReceiver>>;
  let userId: number;
  let user: TestApiClient;
  let root: TestApiClient;
  let users = 0;
  beforeAll(async () => {
    [gateway, receiver] = await Promise.all([
      startManagementGateway(database),
      startNoticeReceiver(),
    ]);
    gateway.noticeHosts.add(receiver.host);
  });
  afterAll(async () => {
    await gateway.close();
    await receiver.close();
  });
  beforeEach(async () => {
    const { sql } = gateway.db;
    await gateway.db.write([
      { query: sql.deleteFrom("notices") },
      { query: sql.deleteFrom("alerts") },
      { query: sql.deleteFrom("destinations").where("id", ">", 1) },
    ]);
    receiver.received.length = 0;
    Object.assign(receiver.answer, { status: 200, body: "ok", headers: {}, isSilent: false });
    gateway.clock.now += 2 * day;
    users += 1;
    userId = (await gateway.addUser(`user${users}`)).id;
    [user, root] = [await gateway.signIn(`user${users}`), await gateway.signIn("root")];
  });

  /** Causes are looked for each 15 seconds. */
  const run = async () => {
    gateway.clock.now += 20_000;
    await gateway.alerts.fold();
    await gateway.alerts.deliver();
    await gateway.alerts.settled();
  };
  const add = async (name = "mine", more: object = {}) => {
    const address = `${receiver.url}/${name}`;
    const { body } = await user("POST", "/api/own_destination/", {
      body: { name, kind: "webhook", address, ...more },
    });
    expect(body).toMatchObject({ success: true });
    return body.data;
  };
  const verify = async (id: number) => {
    await user("POST", `/api/own_destination/${id}/code`);
    const { code } = JSON.parse(receiver.received.pop()?.body ?? "{}").data;
    const { body } = await user("POST", `/api/own_destination/${id}/verify`, {
      body: { verification_code: code },
    });
    expect(body).toMatchObject({ success: true, data: { verified: true } });
  };
  const setBalance = (balance: number) => {
    const { sql } = gateway.db;
    const wallet = sql.selectFrom("users").select("wallet_id").where("id", "=", userId);
    return gateway.db.write([
      { query: sql.updateTable("wallets").set({ balance }).where("id", "in", wallet) },
    ]);
  };
  const addToken = (lifetime: number) =>
    user("POST", "/api/token/", {
      body: {
        name: "ci",
        unlimited_quota: true,
        expired_time: Math.floor((gateway.clock.now + lifetime) / 1000),
      },
    });
  const events = () => receiver.received.map(({ path, body }) => ({ path, ...JSON.parse(body) }));

  test("a destination is made once for one Idempotency-Key of its user, whose repetition shows the secret for ten minutes", async () => {
    const headers = { "idempotency-key": "my-destination" };
    const ask = async (client = user) => {
      const body = { name: "once", kind: "webhook", address: receiver.url };
      return (await client("POST", "/api/own_destination/", { headers, body })).body.data;
    };
    const made = await ask();
    expect(made.signing_secret).toMatch(/^whsec_/);
    expect(await ask()).toMatchObject({ id: made.id, signing_secret: made.signing_secret });
    expect((await ask(root)).id).not.toBe(made.id);
    gateway.clock.now += 11 * 60_000;
    expect(await ask()).toEqual({ ...made, signing_secret: undefined });
    expect((await user("GET", "/api/own_destination/")).body.data).toHaveLength(1);
  });

  test("nothing but a code is sent to a receiver until its user has typed the code", {
    tags: ["AL-04"],
  }, async () => {
    await setBalance(1);
    const { id, verified } = await add();
    expect(verified).toBe(false);
    await run();
    expect((await user("POST", `/api/own_destination/${id}/test`)).body.code).toBe(
      "destination_unverified",
    );
    expect(events()).toEqual([]);
    expect((await user("POST", `/api/own_destination/${id}/code`)).body.data).toEqual({
      delivered: true,
      answer: "200 ok",
    });
    const [{ type, data }] = events();
    expect([type, data.code]).toEqual([
      "destination.verification",
      expect.stringMatching(/^\d{6}$/),
    ]);
    const wrong = data.code === "000000" ? "000001" : "000000";
    const tryWith = (code: string) =>
      user("POST", `/api/own_destination/${id}/verify`, { body: { verification_code: code } });
    expect((await tryWith(wrong)).body.code).toBe("verification_code_invalid");
    expect((await tryWith(data.code)).body.data).toMatchObject({ verified: true });
    await run();
    expect(events().at(-1)).toMatchObject({ type: "alert.firing", data: { rule: "wallet.low" } });
  });

  test("a code can be guessed five times, and a receiver gets few codes, from all users together", {
    tags: ["AL-04"],
  }, async () => {
    const { id } = await add("guessed");
    await user("POST", `/api/own_destination/${id}/code`);
    const { code } = events()[0].data;
    const wrong = code === "000000" ? "000001" : "000000";
    const tryWith = (text: string) =>
      user("POST", `/api/own_destination/${id}/verify`, { body: { verification_code: text } });
    for (let tries = 0; tries < 5; tries += 1) await tryWith(wrong);
    expect((await tryWith(code)).body.code).toBe("verification_code_invalid");
    for (let sent = 0; sent < 4; sent += 1) await user("POST", `/api/own_destination/${id}/code`);
    users += 1;
    await gateway.addUser(`user${users}`);
    user = await gateway.signIn(`user${users}`);
    const other = await add("guessed");
    const reply = await user("POST", `/api/own_destination/${other.id}/code`);
    expect([reply.status, receiver.received.length]).toEqual([429, 5]);
  });

  test("a user is told of a low balance by an own threshold and of its end, and no operator is", {
    tags: ["AL-04"],
  }, async () => {
    await root("POST", "/api/destination/", {
      body: { name: "site", kind: "webhook", address: `${receiver.url}/site` },
    });
    const { id } = await add();
    await verify(id);
    await setBalance(40_000);
    await run();
    expect(events()).toEqual([]);
    await user("PUT", "/api/own_notice/settings", { body: { balance_below: 50_000 } });
    gateway.clock.now += hour;
    await run();
    await run();
    await setBalance(60_000);
    gateway.clock.now += hour;
    await run();
    expect(events().map(({ path, type, data }) => [path, type, data.rule])).toEqual([
      ["/mine", "alert.firing", "wallet.low"],
      ["/mine", "alert.resolved", "wallet.low"],
    ]);
    expect((await root("GET", "/api/alert/")).body.data).toEqual([]);
    expect((await root("GET", "/api/delivery/")).body.data).toEqual([]);
    const own = (await user("GET", "/api/own_notice/")).body.data;
    expect(own).toMatchObject([
      { rule: "wallet.low", transition: "resolved", state: "sent", destination_name: "mine" },
      { rule: "wallet.low", transition: "firing", state: "sent" },
    ]);
  });

  test("a user is told a week before a key ends, on its last day, and when it has ended", async () => {
    const { id } = await add("mine", { rules: ["key.expiring"], language: "de" });
    await verify(id);
    expect((await addToken(20 * day)).body).toMatchObject({ success: true });
    await run();
    expect(events()).toEqual([]);
    gateway.clock.now += 13 * day;
    await run();
    gateway.clock.now += 6 * day;
    await run();
    await run();
    gateway.clock.now += day;
    await run();
    expect(events().map(({ type, data }) => [type, data.subject.name])).toEqual([
      ["alert.firing", "ci"],
      ["alert.reminder", "ci"],
      ["alert.resolved", "ci"],
    ]);
    expect(events().at(-1).data.reason).toContain("has ended");
  });

  test("a user is told a week before a management key ends, and not of one that was disabled", async () => {
    const { id } = await add("mine", { rules: ["key.expiring"] });
    await verify(id);
    const make = async (name: string) =>
      (
        await user("POST", "/api/management_key/", {
          body: { name, scopes: ["tokens:read"], lifetime_days: 30 },
        })
      ).body.data;
    await make("terraform");
    const stopped = await make("stopped");
    await user("POST", `/api/management_key/${stopped.id}/disable`);
    await run();
    expect(receiver.received).toEqual([]);
    gateway.clock.now += 24 * day;
    await run();
    await run();
    expect(events()).toEqual([
      expect.objectContaining({
        type: "alert.firing",
        data: expect.objectContaining({
          rule: "key.expiring",
          subject: expect.objectContaining({ kind: "management_key", name: "terraform" }),
        }),
      }),
    ]);
    gateway.clock.now += 6 * day;
    await run();
    expect(events().at(-1)).toMatchObject({
      type: "alert.resolved",
      data: { subject: { name: "terraform" } },
    });
  });

  test("each user has three destinations at most, however many requests race", async () => {
    const tries = await Promise.all(
      Array.from({ length: ownDestinationsMax + 2 }, (_, index) =>
        user("POST", "/api/own_destination/", {
          body: { name: `d${index}`, kind: "webhook", address: `${receiver.url}/${index}` },
        }),
      ),
    );
    expect(tries.filter(({ body }) => body.success)).toHaveLength(ownDestinationsMax);
    expect(tries.find(({ body }) => !body.success)?.body.code).toBe("destinations_full");
    expect((await user("GET", "/api/own_destination/")).body.data).toHaveLength(ownDestinationsMax);
  });

  test("an address of the inside is refused to users too", { tags: ["AL-02"] }, async () => {
    for (const [host] of Object.values(hostileHosts)) {
      const body = { name: "inside", kind: "webhook", address: `http://${host}/x` };
      expect((await user("POST", "/api/own_destination/", { body })).body.code).toBe(
        "invalid_request",
      );
    }
  });

  test("root neither sees nor changes destinations of users, and a disabled or deleted account is told nothing", async () => {
    const { id } = await add();
    await verify(id);
    const listed = (await root("GET", "/api/destination/")).body.data;
    expect(listed.map(({ id: listedId }: { id: number }) => listedId)).not.toContain(id);
    expect((await root("DELETE", `/api/destination/${id}`)).body.code).toBe(
      "destination_not_found",
    );
    await setBalance(1);
    const setStatus = (status: number) =>
      gateway.db.write([
        { query: gateway.db.sql.updateTable("users").set({ status }).where("id", "=", userId) },
      ]);
    await setStatus(2);
    await run();
    expect(events()).toEqual([]);
    await setStatus(3);
    await gateway.alerts.purge();
    const left = gateway.db.sql
      .selectFrom("destinations")
      .select("id")
      .where("user_id", "=", userId);
    expect(await gateway.db.read(left)).toEqual([]);
  });

  test("mail to the account's own address needs no code", async () => {
    const { sql } = gateway.db;
    await gateway.db.write([
      {
        query: sql
          .updateTable("users")
          .set({ email: `u${users}@example.org` })
          .where("id", "=", userId),
      },
    ]);
    const own = await add("own", { kind: "mail", address: `U${users}@example.org` });
    expect(own).toMatchObject({ verified: true, hint: "" });
    const other = await add("other", { kind: "mail", address: "other@example.org" });
    expect(other).toMatchObject({ verified: false, hint: "other@example.org" });
  });
});
