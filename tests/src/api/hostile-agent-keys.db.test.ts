/**
 * Attacks on what a program holds after its sign-in: secrets that are copied, used again, used
 * somewhere else or looked for in the database. Keys of people who left are in
 * hostile-agent-leavers.db.test.ts.
 */
import { agentPaths, refreshGrant } from "@tollgate/contract/accounts/agent-sign-ins.ts";
import { idempotencyHeader } from "@tollgate/contract/api/envelope.ts";
import { afterAll, beforeAll, expect, test } from "vitest";
import { testDatabases } from "../support/test-databases.ts";
import { describeVariants } from "../support/variants.ts";
import { type ManagementGateway, startManagementGateway } from "./management-gateway.ts";
import { createSignedInPrograms, type SignedInPrograms } from "./signed-in-programs.ts";

const minute = 60_000;
const hour = 60 * minute;
const day = 24 * hour;
const publicUrl = "http://gateway.example";

describeVariants(testDatabases)("attacks on keys of programs on $name", (database) => {
  let gateway: ManagementGateway;
  let programs: SignedInPrograms;
  beforeAll(async () => {
    gateway = await startManagementGateway(database, undefined, undefined, publicUrl);
    programs = createSignedInPrograms(gateway);
  });
  afterAll(async () => {
    expect(gateway.problems).toEqual([]);
    await gateway.close();
  });

  /** Each ends with what the attacker must not have. */
  const attacks: Readonly<Record<string, () => Promise<void>>> = {
    "a copied secret that the thief renews twice before its owner does": async () => {
      const { tokens } = await programs.signIn();
      const stolen = await programs.renewed(
        (await programs.renewed(tokens.refresh_token)).refresh_token,
      );
      gateway.clock.now += minute;
      // The owner's program notices, and the thief has nothing left.
      await programs.expectEnded(tokens);
      await programs.expectEnded(stolen);
    },
    "a copied secret, used after its owner has renewed many times": async () => {
      const { tokens } = await programs.signIn();
      let newest = tokens;
      for (let turn = 0; turn < 5; turn += 1) newest = await programs.renewed(newest.refresh_token);
      await programs.expectEnded(tokens);
      await programs.expectEnded(newest);
    },
    "one secret renewed by many processes at once, of which none is signed out": async () => {
      const { tokens, username } = await programs.signIn();
      const replies = await Promise.all(
        Array.from({ length: 12 }, () => programs.renew(tokens.refresh_token)),
      );
      const told = new Set(
        replies.map(({ status, access_token, refresh_token }) =>
          JSON.stringify([status, access_token, refresh_token]),
        ),
      );
      expect(told.size).toBe(1);
      expect(await programs.use(replies[0]?.access_token)).toBe(username);
      expect(await programs.use(tokens.access_token)).toBe(username);
    },
    "one secret renewed on several nodes at once: one successor": async () => {
      const { tokens, id } = await programs.signIn();
      const nodes = Array.from({ length: 4 }, () => gateway.anotherNode());
      const body = { grant_type: refreshGrant, refresh_token: tokens.refresh_token };
      const replies = await Promise.all(nodes.map((ask) => ask("POST", agentPaths.token, body)));
      expect(new Set(replies.map((reply) => reply.refresh_token)).size).toBe(1);
      expect(await programs.rowsOf("tokens", id)).toHaveLength(1);
    },
    "a secret with a changed letter, or made of two": async () => {
      const [mine, other] = [await programs.signIn(), await programs.signIn()];
      const [family, secret] = mine.tokens.refresh_token.split(".");
      const wrong = `${family}.${secret?.startsWith("A") ? "B" : "A"}${secret?.slice(1)}`;
      expect((await programs.renew(`.${secret}`)).error).toBe("invalid_grant");
      expect((await programs.renew(secret)).error).toBe("invalid_grant");
      const [foreign] = other.tokens.refresh_token.split(".");
      // Who knows the beginning has had a secret of this sign-in, and ends no other one.
      expect((await programs.renew(`${foreign}.${secret}`)).error).toBe("invalid_grant");
      await programs.expectEnded(other.tokens);
      expect((await programs.renewed(mine.tokens.refresh_token)).access_token).toBeDefined();
      expect((await programs.renew(wrong)).error).toBe("invalid_grant");
    },
    "a revocation with what is no secret of the victim": async () => {
      const { tokens, username } = await programs.signIn();
      const known = await programs.revoke((await programs.signIn()).tokens.refresh_token);
      for (const token of [tokens.access_token, "x".repeat(43), ".", "", "null"]) {
        const reply = await programs.revoke(token);
        // It tells nobody whether the secret was one.
        expect({ ...reply, headers: null }).toEqual({ ...known, headers: null });
      }
      expect(await programs.use(tokens.access_token)).toBe(username);
      expect((await programs.renewed(tokens.refresh_token)).access_token).toBeDefined();
    },
    "a key of two renewals ago, and one whose time is over": async () => {
      const { tokens, username } = await programs.signIn();
      const second = await programs.renewed(tokens.refresh_token);
      const third = await programs.renewed(second.refresh_token);
      expect(await programs.use(tokens.access_token)).toMatch(/^refused/);
      expect(await programs.use(second.access_token)).toBe(username);
      gateway.clock.now += 10 * minute;
      expect(await programs.use(second.access_token)).toMatch(/^refused/);
      gateway.clock.now += 50 * minute;
      expect(await programs.use(third.access_token)).toMatch(/^refused/);
    },
    "a key with a changed letter, another beginning or another end": async () => {
      const { tokens } = await programs.signIn();
      const key = tokens.access_token;
      const last = key.endsWith("a") ? "b" : "a";
      for (const wrong of [key.slice(0, -1) + last, `${key}a`, key.slice(0, -1), `xx-${key}`, ""])
        expect(await programs.use(wrong), wrong).toMatch(/^refused/);
    },
    "a program that rested for a day": async () => {
      const { tokens } = await programs.signIn();
      gateway.clock.now += day;
      await programs.expectEnded(tokens);
    },

    "what a program holds, in place of other credentials": async () => {
      const { tokens, uuid } = await programs.signIn();
      const { sql, read } = gateway.db;
      const [stored] = await read(
        sql.selectFrom("agent_sign_ins").selectAll().orderBy("rotated_at", "desc").limit(1),
      );
      const secrets = [
        ...Object.values(tokens),
        ...tokens.refresh_token.split("."),
        ...Object.values(stored ?? {}),
      ].map(String);
      for (const secret of secrets)
        for (const headers of [
          { authorization: `Bearer ${secret}` },
          { authorization: secret },
          { cookie: `session=${secret}`, "x-tollgate-console": "1" },
          { cookie: `device=${secret}; sign-in=${secret}` },
          { "x-api-key": secret },
        ]) {
          const reply = await gateway.visitor("GET", "/api/user/self", {
            headers: headers as Record<string, string>,
          });
          expect(reply.status).toBe(401);
          expect(JSON.stringify(reply.body)).not.toContain(uuid);
        }
      for (const secret of [tokens.refresh_token, stored?.refresh_hash, stored?.session_hash])
        expect(await programs.use(`sk-${secret}`)).toMatch(/^refused/);
    },
    "the program's key changed, shown, renewed or deleted as if it were an ordinary one":
      async () => {
        const { id, client, tokens, username } = await programs.signIn();
        const [row] = await programs.rowsOf("tokens", id);
        const named = { id: row?.id };
        const recent = await gateway.signIn(username);
        for (const [method, path, body] of [
          ["GET", `/api/token/${row?.id}`, undefined],
          ["GET", `/api/token/${row?.uuid}`, undefined],
          ["PUT", "/api/token/", { ...named, name: "mine", expired_time: -1 }],
          ["PUT", "/api/token/?status_only=1", { ...named, status: 2 }],
          ["POST", "/api/token/reveal", named],
          ["POST", "/api/token/rotate", { ...named, overlap_s: 0 }],
          ["POST", "/api/token/find", { key: tokens.access_token }],
          ["DELETE", `/api/token/${row?.id}`, undefined],
        ] as const)
          for (const caller of [client, recent]) {
            const reply = await caller(method, path, body && { body });
            expect(reply.body.success, `${method} ${path}`).toBe(false);
            expect(JSON.stringify(reply.body)).not.toContain(tokens.access_token);
          }
        expect(await programs.rowsOf("tokens", id)).toEqual([row]);
        const all = await programs.asRoot("GET", "/api/token/all?size=100");
        expect(JSON.stringify(all.body)).not.toContain(String(row?.uuid));
      },
    "the database, read by a thief": async () => {
      const { tokens, device_code, client } = await programs.signIn();
      await programs.begin();
      const waiting = await programs.beginAt("192.0.2.44", { [idempotencyHeader]: "same" });
      await programs.find(client, waiting.user_code);
      const newest = await programs.renewed(tokens.refresh_token);
      const secrets = [
        device_code,
        waiting.device_code,
        waiting.user_code,
        waiting.user_code.replace("-", ""),
        ...[tokens, newest].flatMap((one) => [
          one.access_token.slice(3),
          ...one.refresh_token.split("."),
        ]),
      ];
      const { sql, read } = gateway.db;
      for (const table of [
        ...(["device_codes", "agent_sign_ins", "sessions", "tokens"] as const),
        ...(["audit_entries", "idempotency_keys", "users"] as const),
      ]) {
        const text = JSON.stringify(await read(sql.selectFrom(table).selectAll()));
        for (const secret of secrets) expect(text.includes(secret), table).toBe(false);
      }
      const log = JSON.stringify([gateway.events, gateway.problems]);
      for (const secret of secrets) expect(log.includes(secret)).toBe(false);
    },
    "a reply asked for again with the same Idempotency-Key": async () => {
      const { client } = await programs.addPerson();
      const { device_code } = await programs.approve(client);
      const ask = () =>
        programs.post(
          agentPaths.token,
          { grant_type: "urn:ietf:params:oauth:grant-type:device_code", device_code },
          { [idempotencyHeader]: "again" },
        );
      expect((await ask()).status).toBe(200);
      expect(await ask()).toMatchObject({ status: 400, error: "expired_token" });
    },
    "the record of changes, which names the program and its address and no code": async () => {
      const { client } = await programs.addPerson();
      const started = await programs.begin();
      await programs.answer(client, started.user_code, false);
      const { sql, read } = gateway.db;
      const [entry] = await read(
        sql
          .selectFrom("audit_entries")
          .selectAll()
          .where("action", "=", "agent.deny")
          .orderBy("id", "desc")
          .limit(1),
      );
      expect(JSON.parse(String(entry?.change))).toEqual({ agent: "Codex", address: "127.0.0.1" });
    },

    "fields that are long, nested, repeated, binary or none": async () => {
      const long = "x".repeat(201);
      for (const path of [agentPaths.device, agentPaths.token, agentPaths.revoke]) {
        for (const body of [
          ...[[], null, 7, "text", [{}], { token: [] }, { token: { a: 1 } }],
          {
            grant_type: refreshGrant,
            refresh_token: long,
            token: long,
            client_id: "c".repeat(1_001),
          },
          { grant_type: [refreshGrant], token: null, scope: {} },
          { grant_type: refreshGrant, refresh_token: "\0", token: "\0", client_id: "\0" },
        ]) {
          const { status } = await gateway.visitor("POST", path, { body });
          expect(path === agentPaths.device && status === 200 ? 400 : status, path).toBe(400);
        }
        const sent = (text: string, type = "application/x-www-form-urlencoded") =>
          programs.post(path, text, { "content-type": type });
        expect((await sent("grant_type=refresh_token&grant_type=x&token=a&token=b")).status).toBe(
          400,
        );
        expect((await sent("%00=%00&token=%00&client_id=%00&grant_type=%00")).status).toBe(400);
        expect((await sent(`token=${"x".repeat(70_000)}`)).status).toBe(413);
        expect((await sent("{}".padEnd(70_000), "application/json")).status).toBe(413);
        for (const type of ["text/plain", "multipart/form-data; boundary=x", "application/xml"])
          expect((await sent("grant_type=refresh_token", type)).status).toBe(415);
      }
    },
    "secrets in the address, where proxies would log them": async () => {
      const { tokens } = await programs.signIn();
      const query = new URLSearchParams({
        grant_type: refreshGrant,
        refresh_token: tokens.refresh_token,
        token: tokens.refresh_token,
      });
      for (const path of [agentPaths.token, agentPaths.revoke])
        for (const method of ["GET", "POST", "PUT", "DELETE"]) {
          const { body } = await gateway.visitor(method, `${path}?${query}`);
          expect(JSON.stringify(body)).not.toContain("access_token");
        }
      expect((await programs.renewed(tokens.refresh_token)).access_token).toBeDefined();
    },
    "another gateway's address in the Host header": async () => {
      const headers = { host: "evil.example", "x-forwarded-host": "evil.example" };
      const visitor = gateway.from("192.0.2.9");
      const begun = await visitor("POST", agentPaths.device, { body: {}, headers });
      const found = await visitor("GET", agentPaths.discovery, { headers });
      expect(JSON.stringify([begun.body, found.body])).not.toContain("evil.example");
      expect(begun.body.verification_uri).toBe(`${publicUrl}/device`);
      expect(found.body.issuer).toBe(publicUrl);
    },
  };

  test("at least seventeen are tried", () => {
    expect(Object.keys(attacks).length).toBeGreaterThanOrEqual(17);
  });
  test.each(Object.entries(attacks))("an attack fails: %s", async (_, attack) => await attack());
});
