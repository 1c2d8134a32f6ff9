import { hashKey } from "@tollgate/gateway/accounts/tokens/token-rules.ts";
import { purgeOldKeys } from "@tollgate/gateway/accounts/tokens/token-store.ts";
import { createApiKeys } from "@tollgate/gateway/relay/admission/api-keys.ts";
import { authenticate } from "@tollgate/gateway/relay/admission/authenticate.ts";
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { testDatabases } from "../support/test-databases.ts";
import { describeVariants } from "../support/variants.ts";
import {
  type ManagementGateway,
  startManagementGateway,
  type TestApiClient,
} from "./management-gateway.ts";

const hour = 3_600;
const address = "192.0.2.1";

describeVariants(testDatabases)("the rotation of keys on $name", (database) => {
  let gateway: ManagementGateway;
  let root: TestApiClient;
  let mira: TestApiClient;
  let uuid: string;
  let first: string;

  beforeAll(async () => {
    gateway = await startManagementGateway(database);
    await gateway.addUser("mira");
    [root, mira] = [await gateway.signIn("root"), await gateway.signIn("mira")];
  });
  afterAll(() => gateway.close());
  beforeEach(async () => {
    const { data } = (
      await mira("POST", "/api/token/", { body: { name: "ci", unlimited_quota: true } })
    ).body;
    [uuid, first] = [data.uuid, data.key];
  });

  const rotate = async (overlap_seconds: number, extra = {}, headers = {}) =>
    (
      await mira("POST", "/api/token/rotate", {
        body: { uuid, overlap_seconds, ...extra },
        headers,
      })
    ).body;
  /**
   * As a node does that has seen none of the keys: the id of the token, or why the key is refused.
   */
  const use = async (key: string): Promise<number | string> => {
    const keys = createApiKeys(
      gateway.db,
      () => gateway.clock.now,
      () => [],
    );
    const credential = { key: key.slice("sk-".length), whole: key, pin: undefined };
    try {
      return (
        await authenticate(credential, keys, { address, learn: () => undefined }, gateway.clock.now)
      ).tokenId;
    } catch (error) {
      return (error as { refusal: { message: string } }).refusal.message;
    }
  };
  const replaced = "The API key was replaced by a new one";

  test("both keys are one token until the overlap ends; then the old one is refused with its reason", async () => {
    const { data } = await rotate(hour);
    const until = Math.floor(gateway.clock.now / 1000) + hour;
    expect(data).toMatchObject({
      uuid,
      name: "ci",
      old_key_ending: first.slice(-4),
      old_key_until: until,
    });
    expect(data.key).not.toBe(first);
    expect([await use(first), await use(data.key)]).toEqual([data.id, data.id]);
    const listed = (await root("GET", `/api/token/all?keyword=${uuid}`)).body.data;
    expect(listed).toMatchObject([
      { key_ending: data.key.slice(-4), old_key_ending: first.slice(-4) },
    ]);

    gateway.clock.now += hour * 1000;
    expect([await use(first), await use(data.key)]).toEqual([replaced, data.id]);
    const { data: after } = (await mira("GET", `/api/token/${uuid}`)).body;
    expect(after).toMatchObject({ old_key_ending: "", old_key_until: 0 });
    // A leaked key still names its owner to administrators, and is forgotten after a month.
    const body = { key_hash: hashKey(first.slice("sk-".length)) };
    expect((await root("POST", "/api/token/all/find", { body })).body.data).toMatchObject([
      { uuid },
    ]);
    await gateway.db.write([purgeOldKeys(gateway.db, gateway.clock.now + 31 * 86_400_000)]);
    expect((await root("POST", "/api/token/all/find", { body })).body.data).toEqual([]);
    expect(await use(first)).toBe("The API key is not valid");
  });

  test("a disabled token opens with neither key, and the old key never outlives the token's expiry", async () => {
    const { data } = await rotate(7 * 24 * hour);
    await mira("PUT", "/api/token/?status_only=1", { body: { uuid, status: 2 } });
    expect([await use(first), await use(data.key)]).toEqual(
      Array(2).fill("The API key is disabled"),
    );
    const expired_time = Math.floor(gateway.clock.now / 1000) + 60;
    await mira("PUT", "/api/token/", { body: { uuid, status: 1, expired_time } });
    gateway.clock.now += 61_000;
    expect([await use(first), await use(data.key)]).toEqual([replaced, "The API key has expired"]);
  });

  test("while an old key works only a rotation without overlap is possible, which stops both", async () => {
    const second = (await rotate(hour)).data.key;
    expect(await rotate(hour)).toMatchObject({ success: false, code: "token_old_key_works" });
    expect(await use(second)).toEqual(expect.any(Number));
    const third = (await rotate(0)).data.key;
    expect([await use(first), await use(second)]).toEqual(["The API key is not valid", replaced]);
    expect(await use(third)).toEqual(expect.any(Number));
  });

  test("the old key is stopped before its time, and the token is as it was otherwise", async () => {
    const { data } = await rotate(hour);
    const stopped = (await mira("POST", "/api/token/rotate/stop", { body: { uuid } })).body.data;
    expect(stopped).toEqual({
      ...data,
      old_key_ending: "",
      old_key_until: 0,
      updated_at: stopped.updated_at,
    });
    expect([await use(first), await use(data.key)]).toEqual([replaced, data.id]);
    expect((await mira("POST", "/api/token/rotate/stop", { body: { uuid } })).body.data).toEqual(
      stopped,
    );
  });

  test("a key that an administrator replaces stops at once, with the one before it", async () => {
    const second = (await rotate(hour)).data.key;
    await root("POST", "/api/token/all/replace", { body: { uuid } });
    expect([await use(first), await use(second)]).toEqual(
      Array(2).fill("The API key is not valid"),
    );
  });

  test("a repetition gets the key of the first call, and an old version is refused", async () => {
    const headers = { "idempotency-key": `rotate-${uuid}` };
    const [one, two] = [await rotate(hour, {}, headers), await rotate(hour, {}, headers)];
    expect(two.data.key).toBe(one.data.key);
    expect(await use(first)).toEqual(expect.any(Number));
    expect(await rotate(0, { updated_at: 1 })).toMatchObject({ code: "changed_meanwhile" });
  });

  test("of many rotations at once one succeeds, and its key and the first one work", async () => {
    const replies = await Promise.all(Array.from({ length: 5 }, () => rotate(hour)));
    const [won, ...more] = replies.filter(({ success }) => success);
    expect(more).toEqual([]);
    for (const { success, code } of replies)
      if (!success) expect(["changed_meanwhile", "token_old_key_works"]).toContain(code);
    expect([await use(first), await use(won?.data.key)]).toEqual(Array(2).fill(won?.data.id));
  });

  test("rotation and stop are recorded without the keys", async () => {
    const { data } = await rotate(hour);
    await mira("POST", "/api/token/rotate/stop", { body: { uuid } });
    const entries = (await root("GET", "/api/audit/?size=2")).body.data;
    expect(entries).toMatchObject([
      { action: "token.stop_old_key", target: uuid, actor: "mira" },
      { action: "token.rotate", target: uuid, actor: "mira" },
    ]);
    for (const key of [first, data.key])
      expect(JSON.stringify(entries)).not.toContain(key.slice(3, 40));
    expect(gateway.problems).toEqual([]);
  });
});
