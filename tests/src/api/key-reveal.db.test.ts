/** Proof before an API key is shown again: who is shown one, where, and after what. */
import { roles } from "@tollgate/contract/accounts/roles.ts";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { ruleDatabases } from "../support/test-databases.ts";
import {
  type ManagementGateway,
  password,
  startManagementGateway,
  type TestApiClient,
} from "./management-gateway.ts";
import { addTotpUser, codeAt, wrongCode } from "./totp-users.ts";

const minute = 60_000;

describe.each(ruleDatabases)("proof before an API key is shown again, on $name", (database) => {
  let gateway: ManagementGateway;
  let owner: TestApiClient;
  let made: { id: number; uuid: string; key: string };
  let users = 0;

  const set = async (key: string, value: string) => {
    const root = await gateway.signIn("root");
    expect((await root("PUT", "/api/option/", { body: { key, value } })).body).toMatchObject({
      success: true,
    });
  };
  const makeToken = async (client: TestApiClient, more: object = {}) =>
    (
      await client("POST", "/api/token/", {
        body: { name: "program", unlimited_quota: true, ...more },
      })
    ).body.data;
  const reveal = async (client: TestApiClient, proof: object = {}, uuid = made.uuid) =>
    (await client("POST", "/api/token/reveal", { body: { uuid, ...proof } })).body;
  const bearer =
    (token: string): TestApiClient =>
    (method, path, ask) =>
      gateway.visitor(method, path, {
        ...ask,
        headers: { authorization: `Bearer ${token}`, ...ask?.headers },
      });

  beforeAll(async () => {
    gateway = await startManagementGateway(database);
  });
  afterAll(async () => {
    expect(gateway.problems).toEqual([]);
    await gateway.close();
  });
  beforeEach(async () => {
    users += 1;
    await gateway.addUser(`owner${users}`);
    await set("TokenKeyRevealEnabled", "true");
    await set("TokenKeyProofEnabled", "true");
    owner = await gateway.signIn(`owner${users}`);
    made = await makeToken(owner, { external_id: `program-${users}` });
  });

  test("the reply that makes a key has all of it, and no other reply has, with a recent sign-in too", {
    tags: ["SI-02"],
  }, async () => {
    expect(made.key).toMatch(/^sk-[A-Za-z0-9]{48}$/);
    const { id, uuid, key } = made;
    const admin = await gateway.signIn("root");
    const replies = await Promise.all([
      owner("GET", "/api/token/"),
      owner("GET", "/api/token/?page_size=10"),
      owner("GET", "/api/token/search?keyword=program"),
      owner("GET", `/api/token/search?token=${key}`),
      owner("GET", `/api/token/${id}`),
      owner("GET", "/api/token/findings"),
      owner("GET", "/key/list?return_full_object=true"),
      owner("GET", `/key/info?key=${key}`),
      admin("GET", "/api/token/all"),
      admin("GET", "/api/token/all/findings"),
    ]);
    const changes = [
      await owner("PUT", "/api/token/", { body: { id, name: "renamed" } }),
      await owner("PUT", "/api/token/?status_only=1", { body: { id, status: 2 } }),
      await owner("PUT", "/api/token/?status_only=1", { body: { id, status: 1 } }),
      await owner("PUT", `/api/token/by-external/program-${users}`, { body: { name: "again" } }),
      await owner("POST", "/api/token/rotate/stop", { body: { uuid } }),
    ];
    for (const { body } of changes) expect(body).toMatchObject({ success: true, data: { uuid } });
    for (const { body } of [...replies, ...changes])
      expect(JSON.stringify(body)).not.toContain(key.slice(10, 40));
    expect(replies[0]?.body.data).toMatchObject([{ uuid, key: `sk-${key[3]}***${key.slice(-4)}` }]);
    // Nothing else would show it: the console offers to show it again.
    expect((await gateway.visitor("GET", "/api/status")).body.data).toMatchObject({
      proves_key_owner: true,
    });
    const rotated = await owner("POST", "/api/token/rotate", {
      body: { uuid, overlap_seconds: 0 },
    });
    expect(rotated.body.data.key).toMatch(/^sk-[A-Za-z0-9]{48}$/);
    expect(rotated.body).not.toHaveProperty("key_shown_once");
  });

  test("a repetition of the call that made a key shows it for ten minutes, and no key that was made since", {
    tags: ["SI-02"],
  }, async () => {
    const headers = { "idempotency-key": `make-${users}` };
    const ask = { headers, body: { name: "repeated" } };
    const first = (await owner("POST", "/api/token/", ask)).body.data;
    const turn = {
      headers: { "idempotency-key": `turn-${users}` },
      body: { uuid: first.uuid, overlap_seconds: 0 },
    };
    gateway.clock.now += 9 * minute;
    expect((await owner("POST", "/api/token/", ask)).body.data.key).toBe(first.key);
    const second = (await owner("POST", "/api/token/rotate", turn)).body.data.key;
    expect((await owner("POST", "/api/token/rotate", turn)).body.data.key).toBe(second);
    // The key of the first call has ended: its repetition is no way to the next one.
    expect((await owner("POST", "/api/token/", ask)).body.data).toMatchObject({
      uuid: first.uuid,
      key: `sk-${second[3]}***${second.slice(-4)}`,
    });
    gateway.clock.now += 11 * minute;
    const late = (await owner("POST", "/api/token/rotate", turn)).body;
    expect(late).toMatchObject({ success: true, data: { uuid: first.uuid } });
    expect(late.data.key).toBe(`sk-${second[3]}***${second.slice(-4)}`);
  });

  test("it is shown after a recent sign-in or a right password, which holds for ten minutes", {
    tags: ["SI-02"],
  }, async () => {
    expect(await reveal(owner)).toMatchObject({ success: true, data: { key: made.key } });
    gateway.clock.now += 11 * minute;
    expect(await reveal(owner)).toMatchObject({ success: false, code: "reauth_required" });
    expect(await reveal(owner, { current_password: "a guess" })).toMatchObject({
      code: "current_password_wrong",
    });
    expect(await reveal(owner, { current_password: password })).toMatchObject({
      data: { key: made.key },
    });
    expect(await reveal(owner)).toMatchObject({ data: { key: made.key } });
    // Another console's call obeys the same rule.
    const path = `/api/token/${made.id}/key`;
    expect((await owner("POST", path)).body).toEqual({
      success: true,
      message: "",
      data: { key: made.key },
    });
    gateway.clock.now += 11 * minute;
    expect((await owner("POST", path)).status).toBe(403);
  });

  test("a code of the second factor is proof once; guesses lock, and a locked account gets no key by the right code", {
    tags: ["SI-02", "SI-04"],
  }, async () => {
    const { client, secret } = await addTotpUser(gateway, `coded${users}`);
    const { uuid, key } = await makeToken(client);
    gateway.clock.now += 11 * minute;
    const guess = { totp_code: wrongCode(secret, gateway.clock.now) };
    const code = () => ({ totp_code: codeAt(secret, gateway.clock.now) });
    expect(await reveal(client, guess, uuid)).toMatchObject({ code: "totp_invalid" });
    gateway.clock.now += 1_000;
    const used = code();
    expect(await reveal(client, used, uuid)).toMatchObject({ data: { key } });
    gateway.clock.now += 11 * minute;
    expect(await reveal(client, used, uuid)).toMatchObject({ success: false });
    for (let tries = 0; tries < 5; tries += 1) {
      gateway.clock.now += 1_500;
      await reveal(client, { totp_code: wrongCode(secret, gateway.clock.now) }, uuid);
    }
    gateway.clock.now += 1_500;
    expect(await reveal(client, code(), uuid)).toMatchObject({
      success: false,
      code: "sign_in_locked",
    });
  });

  test("guesses of the password lock the session's tries, and the right password is refused then", {
    tags: ["SI-04"],
  }, async () => {
    gateway.clock.now += 11 * minute;
    const codes: unknown[] = [];
    for (let tries = 0; tries < 7; tries += 1)
      codes.push((await reveal(owner, { current_password: "guess" })).code);
    expect(codes.slice(-2)).toEqual(["sign_in_locked", "sign_in_locked"]);
    expect(await reveal(owner, { current_password: password })).toMatchObject({
      code: "sign_in_locked",
    });
  });

  test("it is shown to no other user, no administrator and no program without the password", {
    tags: ["SI-02"],
  }, async () => {
    const stranger = await gateway.addUser(`stranger${users}`, { role: roles.admin });
    for (const other of [await gateway.signIn(stranger.username), await gateway.signIn("root")])
      expect(await reveal(other)).toMatchObject({ success: false, code: "token_not_found" });
    const makeKey = { name: "ci", scopes: ["tokens:read", "tokens:write"], lifetime_days: 1 };
    const key = (await owner("POST", "/api/management_key/", { body: makeKey })).body.data.key;
    expect(await reveal(bearer(key), { current_password: password })).toMatchObject({
      code: "management_key_not_allowed",
    });
    const accessToken = (await owner("POST", "/api/user/token", { body: {} })).body.data;
    expect(await reveal(bearer(accessToken))).toMatchObject({ code: "reauth_required" });
    expect(await reveal(bearer(accessToken), { current_password: password })).toMatchObject({
      data: { key: made.key },
    });
    expect(
      (await gateway.visitor("POST", "/api/token/reveal", { body: { uuid: made.uuid } })).status,
    ).toBe(401);
  });

  test("without the setting a key is shown as before; where keys are shown once, proof shows none", async () => {
    await set("TokenKeyProofEnabled", "false");
    gateway.clock.now += 11 * minute;
    expect((await owner("GET", `/api/token/${made.id}`)).body.data.key).toBe(made.key);
    expect(await reveal(owner)).toMatchObject({ data: { key: made.key } });
    await set("TokenKeyProofEnabled", "true");
    await set("TokenKeyRevealEnabled", "false");
    expect(await reveal(owner, { current_password: password })).toMatchObject({
      code: "token_key_shown_once",
    });
    expect((await gateway.visitor("GET", "/api/status")).body.data).toMatchObject({
      proves_key_owner: false,
    });
  });
});
