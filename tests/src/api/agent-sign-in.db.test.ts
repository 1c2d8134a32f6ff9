import { randomBytes } from "node:crypto";
import {
  deviceGrant,
  refreshGrant,
  userCodeLetters,
} from "@tollgate/contract/accounts/agent-sign-ins.ts";
import { userStatus } from "@tollgate/contract/accounts/roles.ts";
import { createBudgetPauses } from "@tollgate/gateway/accounts/budgets/budget-pauses.ts";
import { createSessionStore } from "@tollgate/gateway/accounts/identity/sessions/session-store.ts";
import type { Mailer } from "@tollgate/gateway/notices/mail/mailer.ts";
import { createApiKeys } from "@tollgate/gateway/relay/admission/api-keys.ts";
import { authenticate } from "@tollgate/gateway/relay/admission/authenticate.ts";
import { buildOptionReader } from "@tollgate/gateway/settings/live-options.ts";
import { purgeExpired } from "@tollgate/gateway/start/purge-expired.ts";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { ruleDatabases } from "../support/test-databases.ts";
import {
  type ManagementGateway,
  startManagementGateway,
  type TestApiClient,
} from "./management-gateway.ts";

const minute = 60_000;
const hour = 60 * minute;
const day = 24 * hour;

interface StartedDevice {
  device_code: string;
  user_code: string;
}
interface IssuedToken {
  access_token: string;
  refresh_token: string;
  expires_in: number;
}
/** A reply of the endpoints for programs has no envelope. */
type OauthReply = Partial<StartedDevice & IssuedToken> & { error?: string };

describe.each(ruleDatabases)("the sign-in of a program on $name", (database) => {
  let gateway: ManagementGateway;
  let keys: ReturnType<typeof createApiKeys>;
  let people = 0;
  beforeAll(async () => {
    gateway = await startManagementGateway(database);
    keys = createApiKeys(
      gateway.db,
      () => gateway.clock.now,
      () => [],
    );
  });
  afterAll(async () => {
    expect(gateway.problems).toEqual([]);
    await gateway.close();
  });

  const program = async (
    path: string,
    fields: Record<string, string>,
    headers: Record<string, string> = {},
  ) => {
    const response = await fetch(gateway.url + path, {
      method: "POST",
      headers: {
        "content-type": "application/x-www-form-urlencoded",
        "user-agent": "codex_cli_rs/1",
        ...headers,
      },
      body: new URLSearchParams(fields).toString(),
    });
    return { status: response.status, ...((await response.json()) as OauthReply) };
  };
  const begin = async () => {
    // So that no test meets the limit on starts of another one.
    gateway.clock.now += minute;
    return (await program("/api/agent/device", {})) as StartedDevice;
  };
  const exchange = (device_code: string) =>
    program("/api/agent/token", { grant_type: deviceGrant, device_code });
  const renew = (refresh_token: string) =>
    program("/api/agent/token", { grant_type: refreshGrant, refresh_token });
  const answer = (client: TestApiClient, user_code: string, approve = true) =>
    client("POST", "/api/agent/device/answer", { body: { user_code, approve } });
  const addPerson = async () => {
    people += 1;
    const user = await gateway.addUser(`person-${people}`);
    return { ...user, client: await gateway.signIn(user.username) };
  };
  /** As the relay sees it: the key without its prefix. */
  const use = (token = "") =>
    authenticate(
      { key: token.slice(3), whole: token, pin: undefined },
      keys,
      { address: "127.0.0.1", learn: () => undefined },
      gateway.clock.now,
    ).then(
      ({ username }) => username,
      (refusal: { message: string }) => `refused: ${refusal.message}`,
    );
  const signInProgram = async () => {
    const person = await addPerson();
    const started = await begin();
    expect((await answer(person.client, started.user_code)).body.success).toBe(true);
    const issued = await exchange(started.device_code);
    expect(issued.status).toBe(200);
    return { ...person, ...started, issued: issued as unknown as IssuedToken };
  };
  const purge = () => purgeExpired(gateway.db, createSessionStore(gateway.db), gateway.clock.now);

  test("a person approves the code, and the program works with keys that it renews", async () => {
    const person = await addPerson();
    const started = await program("/api/agent/device", {});
    expect(started).toMatchObject({ expires_in: 600, interval: 5 });
    const code = started.user_code ?? "";
    expect(code).toMatch(new RegExp(`^[${userCodeLetters}]{4}-[${userCodeLetters}]{4}$`));
    expect(started).toMatchObject({
      verification_uri_complete: `${gateway.url}/device?user_code=${code}`,
    });
    expect((await exchange(started.device_code ?? "")).error).toBe("authorization_pending");
    expect((await exchange(started.device_code ?? "")).error).toBe("slow_down");
    const found = await person.client("POST", "/api/agent/device/find", {
      body: { user_code: code.toLowerCase() },
    });
    expect(found.body.data).toMatchObject({ agent: "Codex", address: "127.0.0.1", is_here: true });
    expect((await answer(person.client, code)).body.success).toBe(true);
    const issued = await exchange(started.device_code ?? "");
    expect(issued).toMatchObject({ status: 200, token_type: "Bearer", expires_in: 3_600 });
    expect(await use(issued.access_token)).toBe(person.username);
    gateway.clock.now += 55 * minute;
    const renewed = await renew(issued.refresh_token ?? "");
    expect(await use(renewed.access_token)).toBe(person.username);
    // What was on its way with the key before goes on for a while.
    expect(await use(issued.access_token)).toBe(person.username);
    gateway.clock.now += 11 * minute;
    expect(await use(issued.access_token)).toMatch(/^refused/);
    // A laptop that slept for some hours goes on with the same key row, whose sums and budgets
    // stay.
    gateway.clock.now += 12 * hour;
    await purge();
    const woken = await renew(renewed.refresh_token ?? "");
    expect(await use(woken.access_token)).toBe(person.username);
    const { sql, read } = gateway.db;
    const rows = await read(sql.selectFrom("tokens").selectAll().where("user_id", "=", person.id));
    expect(rows).toMatchObject([{ name: "Codex", unlimited_quota: 1 }]);
    expect((await person.client("GET", "/api/token/")).body.data).toEqual([]);
    const sessions = (await person.client("GET", "/api/user/sessions")).body.data as {
      user_agent: string;
    }[];
    expect(sessions.map(({ user_agent }) => user_agent)).toContain("codex_cli_rs/1");
    for (const row of await read(sql.selectFrom("agent_sign_ins").selectAll()))
      expect(JSON.stringify(row)).not.toContain(woken.refresh_token);
  });

  test("a budget that pauses keys pauses the program's too, until a person signs it in anew", async () => {
    const { id, client, username, issued } = await signInProgram();
    const { sql, read, write } = gateway.db;
    const now = gateway.clock.now;
    const terms = {
      name: "nightly",
      subject: "user",
      subject_id: id,
      window: "lifetime",
      amount: 1,
    };
    const root = await gateway.signIn("root");
    await root("POST", "/api/budget/", { body: { ...terms, on_reached: "pause" } });
    const [budget] = await read(sql.selectFrom("budgets").selectAll().where("subject_id", "=", id));
    const counter = {
      budget_id: budget?.id ?? 0,
      window_start: budget?.counts_from ?? 0,
      window_end: null,
      spent: 1,
    };
    await write([{ query: sql.insertInto("budget_counters").values(counter) }]);
    const mailer = { isConfigured: () => false } as Mailer;
    const options = buildOptionReader(new Map());
    const onError = (error: unknown) => expect.unreachable(String(error));
    const pauses = createBudgetPauses({
      db: gateway.db,
      options,
      mailer,
      publicUrl: undefined,
      now: () => now,
      onError,
    });
    await pauses.pauseReached();
    const refused =
      'refused: The API key is paused by the budget "nightly". It works again once its owner has signed the program in anew';
    expect(await use(issued.access_token)).toBe(refused);
    // A renewal is no person.
    expect(await use((await renew(issued.refresh_token)).access_token)).toBe(refused);
    const started = await begin();
    await answer(client, started.user_code);
    expect(await use((await exchange(started.device_code)).access_token)).toBe(username);
  });

  test("a program that repeats a renewal whose reply was lost gets the same secret", async () => {
    const { issued, username } = await signInProgram();
    const [one, other] = [await renew(issued.refresh_token), await renew(issued.refresh_token)];
    expect(other.refresh_token).toBe(one.refresh_token);
    expect(await use(other.access_token)).toBe(username);
    expect((await renew(other.refresh_token ?? "")).status).toBe(200);
  });

  test("of many exchanges and renewals at once, one makes a sign-in", async () => {
    const person = await addPerson();
    const started = await begin();
    await answer(person.client, started.user_code);
    const replies = await Promise.all(
      Array.from({ length: 8 }, () => exchange(started.device_code)),
    );
    expect(replies.filter(({ status }) => status === 200)).toHaveLength(1);
    const { sql, read } = gateway.db;
    expect(
      await read(sql.selectFrom("tokens").selectAll().where("user_id", "=", person.id)),
    ).toHaveLength(1);
  });

  test("discovery names the addresses", async () => {
    const found = (await (
      await fetch(`${gateway.url}/.well-known/oauth-authorization-server`)
    ).json()) as object;
    expect(found).toMatchObject({
      device_authorization_endpoint: `${gateway.url}/api/agent/device`,
      token_endpoint: `${gateway.url}/api/agent/token`,
      gateway_protocol_version: 1,
    });
  });

  const guess = () => Array.from(randomBytes(8), (byte) => userCodeLetters[byte % 20]).join("");
  const expectNoKey = async (deviceCode: string, error = "expired_token") => {
    const reply = await exchange(deviceCode);
    expect(reply.access_token).toBeUndefined();
    expect(reply).toMatchObject({ status: 400, error });
  };

  /** Each ends with what the attacker must not have. */
  const attacks: readonly [name: string, attack: () => Promise<void>][] = [
    [
      "a device code that is made up",
      async () => await expectNoKey(randomBytes(32).toString("base64url")),
    ],
    ["an empty device code", async () => await expectNoKey("")],
    [
      "the user's code in place of the program's",
      async () => {
        const person = await addPerson();
        const { user_code } = await begin();
        await answer(person.client, user_code);
        await expectNoKey(user_code);
      },
    ],
    [
      "codes guessed by a person: ten, then none",
      async () => {
        const { client } = await addPerson();
        const { user_code } = await begin();
        for (let tries = 0; tries < 10; tries += 1)
          expect((await answer(client, guess())).body.code).toBe("device_not_found");
        expect((await answer(client, guess())).status).toBe(429);
        // Also with the right code, and on the other address.
        expect((await answer(client, user_code)).status).toBe(429);
        const find = await client("POST", "/api/agent/device/find", { body: { user_code } });
        expect(find.status).toBe(429);
      },
    ],
    [
      "a code used twice",
      async () => {
        const { device_code } = await signInProgram();
        await expectNoKey(device_code);
      },
    ],
    [
      "a code approved a second time, by another person",
      async () => {
        const [first, second] = [await addPerson(), await addPerson()];
        const started = await begin();
        await answer(first.client, started.user_code);
        expect((await answer(second.client, started.user_code)).body.code).toBe("device_not_found");
        expect(await use((await exchange(started.device_code)).access_token)).toBe(first.username);
      },
    ],
    [
      "a denied code approved afterwards",
      async () => {
        const { client } = await addPerson();
        const started = await begin();
        await answer(client, started.user_code, false);
        expect((await answer(client, started.user_code)).body.code).toBe("device_not_found");
        await expectNoKey(started.device_code, "access_denied");
      },
    ],
    [
      "an expired code approved",
      async () => {
        const { client } = await addPerson();
        const started = await begin();
        gateway.clock.now += 10 * minute;
        expect((await answer(client, started.user_code)).body.code).toBe("device_not_found");
        await expectNoKey(started.device_code);
      },
    ],
    [
      "an approved code exchanged after its time",
      async () => {
        const { client } = await addPerson();
        const started = await begin();
        await answer(client, started.user_code);
        gateway.clock.now += 10 * minute;
        await expectNoKey(started.device_code);
      },
    ],
    [
      "a code exchanged after its person has signed out",
      async () => {
        const { client } = await addPerson();
        const started = await begin();
        await answer(client, started.user_code);
        await client("POST", "/api/user/logout");
        await expectNoKey(started.device_code);
      },
    ],
    [
      "a code exchanged after its person was disabled",
      async () => {
        const { client, id } = await addPerson();
        const started = await begin();
        await answer(client, started.user_code);
        await gateway.setStatus(id, userStatus.disabled);
        await expectNoKey(started.device_code);
      },
    ],
    [
      "an approval by nobody",
      async () => {
        const started = await begin();
        expect((await answer(gateway.visitor, started.user_code)).status).toBe(401);
        await expectNoKey(started.device_code, "authorization_pending");
      },
    ],
    [
      "an approval by a program with its person's access token",
      async () => {
        const { token } = await addPerson();
        const started = await begin();
        const headers = { authorization: `Bearer ${token}` };
        const reply = await gateway.visitor("POST", "/api/agent/device/answer", {
          headers,
          body: { user_code: started.user_code, approve: true },
        });
        expect(reply.body.code).toBe("device_needs_session");
        await expectNoKey(started.device_code, "authorization_pending");
      },
    ],
    [
      "an approval by a program's own key",
      async () => {
        const { issued } = await signInProgram();
        const started = await begin();
        const headers = { authorization: `Bearer ${issued.access_token}` };
        const body = { user_code: started.user_code, approve: true };
        expect(
          (await gateway.visitor("POST", "/api/agent/device/answer", { headers, body })).status,
        ).toBe(401);
      },
    ],
    [
      "an approval from a page of another site, with the person's cookie",
      async () => {
        const { client } = await addPerson();
        const started = await begin();
        const reply = await client("POST", "/api/agent/device/answer", {
          headers: {
            "x-tollgate-console": "",
            "sec-fetch-site": "cross-site",
            origin: "https://evil.example",
          },
          body: { user_code: started.user_code, approve: true },
        });
        expect(reply.body.success).toBe(false);
        await expectNoKey(started.device_code, "authorization_pending");
      },
    ],
    [
      "a form of another site in place of JSON",
      async () => {
        const { client } = await addPerson();
        const started = await begin();
        const reply = await client("POST", "/api/agent/device/answer", {
          headers: { "content-type": "application/x-www-form-urlencoded" },
          text: `user_code=${started.user_code}&approve=true`,
        });
        expect(reply.status).toBe(415);
      },
    ],
    [
      "a user who must first change the password",
      async () => {
        people += 1;
        const user = await gateway.addUser(`person-${people}`, { mustChange: true });
        const client = await gateway.signIn(user.username);
        const started = await begin();
        expect((await answer(client, started.user_code)).body.code).toBe(
          "password_change_required",
        );
      },
    ],
    [
      "the renewing secret as the cookie of a session",
      async () => {
        const { issued } = await signInProgram();
        const reply = await gateway.withCookie(`session=${issued.refresh_token}`)(
          "GET",
          "/api/user/self",
        );
        expect(reply.status).toBe(401);
      },
    ],
    [
      "the renewing secret and the key for the management API",
      async () => {
        const { issued } = await signInProgram();
        for (const secret of [issued.refresh_token, issued.access_token]) {
          const headers = { authorization: `Bearer ${secret}` };
          expect((await gateway.visitor("GET", "/api/user/self", { headers })).status).toBe(401);
        }
      },
    ],
    [
      "a renewing secret that is made up, and the key in its place",
      async () => {
        const { issued } = await signInProgram();
        for (const secret of [randomBytes(32).toString("base64url"), issued.access_token, ""])
          expect(await renew(secret)).toMatchObject({ status: 400, error: "invalid_grant" });
      },
    ],
    [
      "a renewing secret used again later: the whole sign-in ends",
      async () => {
        const { issued } = await signInProgram();
        const next = await renew(issued.refresh_token);
        gateway.clock.now += minute;
        expect(await renew(issued.refresh_token)).toMatchObject({ error: "invalid_grant" });
        expect(await renew(next.refresh_token ?? "")).toMatchObject({ error: "invalid_grant" });
        expect(await use(next.access_token)).toMatch(/^refused/);
      },
    ],
    [
      "a key after the sign-in was revoked by the program",
      async () => {
        const { issued, username } = await signInProgram();
        expect(await use(issued.access_token)).toBe(username);
        expect((await program("/api/agent/revoke", { token: issued.refresh_token })).status).toBe(
          200,
        );
        expect(await use(issued.access_token)).toMatch(/^refused/);
        expect(await renew(issued.refresh_token)).toMatchObject({ error: "invalid_grant" });
      },
    ],
    [
      "a revocation with a secret of nobody, which ends nothing",
      async () => {
        const { issued, username } = await signInProgram();
        const reply = await program("/api/agent/revoke", {
          token: randomBytes(32).toString("base64url"),
        });
        expect(reply.status).toBe(200);
        expect(await use(issued.access_token)).toBe(username);
      },
    ],
    [
      "a key after its person ended it in the list of sessions",
      async () => {
        const { issued, client, username } = await signInProgram();
        expect(await use(issued.access_token)).toBe(username);
        const listed = (await client("GET", "/api/user/sessions")).body.data as {
          id: string;
          is_current: boolean;
        }[];
        const own = listed.find(({ is_current }) => !is_current);
        await client("DELETE", `/api/user/sessions/${own?.id}`);
        expect(await use(issued.access_token)).toMatch(/^refused/);
      },
    ],
    [
      "a session of another person in that list",
      async () => {
        const { issued, client, username } = await signInProgram();
        const stranger = await addPerson();
        const listed = (await client("GET", "/api/user/sessions")).body.data as {
          id: string;
          is_current: boolean;
        }[];
        const own = listed.find(({ is_current }) => !is_current);
        const reply = await stranger.client("DELETE", `/api/user/sessions/${own?.id}`);
        expect(reply.body.code).toBe("session_not_found");
        expect(await use(issued.access_token)).toBe(username);
      },
    ],
    [
      "a key after its person signed out everywhere else",
      async () => {
        const { issued, client, username } = await signInProgram();
        expect(await use(issued.access_token)).toBe(username);
        await client("DELETE", "/api/user/sessions");
        expect(await use(issued.access_token)).toMatch(/^refused/);
      },
    ],
    [
      "key and renewal after the account was disabled",
      async () => {
        const { issued, id, username } = await signInProgram();
        expect(await use(issued.access_token)).toBe(username);
        await gateway.setStatus(id, userStatus.disabled);
        expect(await use(issued.access_token)).toMatch(/^refused/);
        expect(await renew(issued.refresh_token)).toMatchObject({ error: "invalid_grant" });
      },
    ],
    [
      "a renewal after a week, however often it was renewed",
      async () => {
        let { issued } = await signInProgram();
        const start = gateway.clock.now;
        for (let hours = 20; hours < 7 * 24; hours += 20) {
          gateway.clock.now = start + hours * hour;
          issued = (await renew(issued.refresh_token)) as unknown as IssuedToken;
          expect(issued.access_token).toBeDefined();
        }
        gateway.clock.now = start + 7 * day;
        expect(await use(issued.access_token)).toMatch(/^refused/);
        expect(await renew(issued.refresh_token)).toMatchObject({ error: "invalid_grant" });
      },
    ],
    [
      "another grant type",
      async () =>
        expect(
          await program("/api/agent/token", { grant_type: "password", username: "root" }),
        ).toMatchObject({
          error: "unsupported_grant_type",
        }),
    ],
    [
      "codes begun by the thousand from one address",
      async () => {
        gateway.clock.now += hour;
        const replies: number[] = [];
        for (let tries = 0; tries < 32; tries += 1)
          replies.push((await program("/api/agent/device", {})).status);
        expect(replies.filter((status) => status === 200)).toHaveLength(30);
        expect(replies.at(-1)).toBe(429);
        gateway.clock.now += hour;
        await purge();
        const { sql, read } = gateway.db;
        expect(await read(sql.selectFrom("device_codes").select("device_hash"))).toEqual([]);
      },
    ],
    [
      "words in the user agent that would mislead whoever approves",
      async () => {
        const { client } = await addPerson();
        const headers = { "user-agent": "Your IT department, please approve" };
        const { user_code } = await program(
          "/api/agent/device",
          { client_id: "IT department" },
          headers,
        );
        const found = await client("POST", "/api/agent/device/find", { body: { user_code } });
        expect(JSON.stringify(found.body)).not.toMatch(/IT department/);
      },
    ],
  ];
  test.each(attacks)("an attack fails: %s", async (_, attack) => await attack());
});
