/**
 * Attacks on the sign-in of programs by its codes: codes that are guessed, begun in great numbers,
 * or that a person is talked into approving. Attacks on the approval itself are in
 * hostile-agent-approvals.db.test.ts, those on what a program then holds in
 * hostile-agent-keys.db.test.ts.
 */
import { agentPaths, userCodeLetters } from "@tollgate/contract/accounts/agent-sign-ins.ts";
import { afterAll, beforeAll, expect, test } from "vitest";
import { testDatabases } from "../support/test-databases.ts";
import { describeVariants } from "../support/variants.ts";
import { type ManagementGateway, password, startManagementGateway } from "./management-gateway.ts";
import { createSignedInPrograms, type SignedInPrograms } from "./signed-in-programs.ts";

const minute = 60_000;
const unknownCode = "BCDFGHJK";
const evil = "https://evil.example";

describeVariants(testDatabases)("attacks on codes of programs on $name", (database) => {
  let gateway: ManagementGateway;
  let programs: SignedInPrograms;
  beforeAll(async () => {
    gateway = await startManagementGateway(database);
    programs = createSignedInPrograms(gateway);
  });
  afterAll(async () => {
    expect(gateway.problems).toEqual([]);
    await gateway.close();
  });

  const guess = (turn: number): string =>
    Array.from({ length: 8 }, (_, at) => userCodeLetters[(turn + at * 3) % 20]).join("");
  const keysOf = async ({ id }: { id: number }) => {
    const { sql, read } = gateway.db;
    return await read(sql.selectFrom("tokens").selectAll().where("user_id", "=", id));
  };

  /** Each ends with what the attacker must not have. */
  const attacks: Readonly<Record<string, () => Promise<void>>> = {
    "forty codes guessed at the same moment: ten are looked up": async () => {
      const { client } = await programs.addPerson();
      const replies = await Promise.all(
        Array.from({ length: 40 }, (_, turn) =>
          turn % 2 === 0
            ? programs.find(client, guess(turn))
            : programs.answer(client, guess(turn), turn % 4 === 1),
        ),
      );
      const statuses = replies.map(({ status }) => status);
      expect(statuses.filter((status) => status === 429)).toHaveLength(30);
    },
    "guesses with right codes of the attacker's own between them, to get the tries back":
      async () => {
        const { client } = await programs.addPerson();
        const own = await programs.begin();
        for (let turn = 0; turn < 10; turn += 1) {
          expect((await programs.answer(client, guess(turn))).body.code).toBe("device_not_found");
          if (turn < 9)
            expect((await programs.find(client, own.user_code)).body.success).toBe(true);
        }
        expect((await programs.find(client, own.user_code)).status).toBe(429);
      },
    "guesses from a second session and another address of the same account": async () => {
      const person = await programs.addPerson();
      for (let turn = 0; turn < 10; turn += 1) await programs.find(person.client, guess(turn));
      const login = { username: person.username, password };
      const elsewhere = gateway.from("203.0.113.77");
      const cookie = gateway.cookieOf(await elsewhere("POST", "/api/user/login", { body: login }));
      const reply = await elsewhere("POST", "/api/agent/device/find", {
        body: { user_code: guess(11) },
        headers: { cookie },
      });
      expect(reply.status).toBe(429);
    },
    "guesses of one account, which leave the tries of others as they are": async () => {
      const [attacker, person] = [await programs.addPerson(), await programs.addPerson()];
      const started = await programs.begin();
      for (let turn = 0; turn < 11; turn += 1) await programs.find(attacker.client, guess(turn));
      expect((await programs.answer(person.client, started.user_code)).body.success).toBe(true);
    },
    "a stolen access token that uses up its owner's tries of codes": async () => {
      const person = await programs.addPerson();
      const started = await programs.begin();
      const headers = { authorization: `Bearer ${person.token}` };
      for (const path of ["find", "answer"])
        for (let turn = 0; turn < 11; turn += 1) {
          const body = { user_code: guess(turn), approve: true };
          const reply = await gateway.visitor("POST", `/api/agent/device/${path}`, {
            headers,
            body,
          });
          expect(reply.body.code).toBe("device_needs_session");
        }
      expect((await programs.answer(person.client, started.user_code)).body.success).toBe(true);
    },
    "codes foretold from earlier ones: each letter of the alphabet is as likely": async () => {
      const seen = new Set<string>();
      const counts = new Map<string, number>();
      for (let source = 0; source < 10; source += 1)
        for (let turn = 0; turn < 30; turn += 1) {
          const { device_code, user_code } = await programs.beginAt(`198.51.100.${source}`);
          expect(device_code).toMatch(/^[\w-]{43}$/);
          seen.add(user_code).add(device_code);
          for (const letter of user_code.replace("-", ""))
            counts.set(letter, (counts.get(letter) ?? 0) + 1);
        }
      expect(seen.size).toBe(600);
      expect([...counts.keys()].toSorted().join("")).toBe(userCodeLetters);
      // 120 of each are expected; 60 are more than five standard deviations away.
      for (const count of counts.values()) expect(count).toBeGreaterThan(60);
    },
    "codes in other letters, lengths and types": async () => {
      const { client } = await programs.addPerson();
      const started = await programs.begin();
      const letters = started.user_code.replace("-", "");
      for (const wrong of [
        `${letters}B`,
        letters.slice(1),
        `${letters.slice(0, 7)}A`,
        // A Cyrillic letter that looks like B, and a wide one.
        `${letters.slice(0, 7)}\u0412`,
        `${letters.slice(0, 7)}\uff22`,
        "",
        " ".repeat(41),
        `${letters}${"-".repeat(40)}`,
        `${letters}\0`,
        [letters],
        { $eq: letters },
        null,
        12_345_678,
        true,
      ])
        for (const act of [programs.find, programs.answer])
          expect((await act(client, wrong)).body.code, String(wrong)).toBe("invalid_request");
      // None of them was a try, and small letters, spaces and dashes are the same code.
      const spelled = ` ${letters.toLowerCase().split("").join("-")} `;
      expect((await programs.find(client, spelled)).body.success).toBe(true);
      await programs.expectWaiting(started);
    },
    "whether a code was ever given out, told by the reply": async () => {
      const [person, other] = [await programs.addPerson(), await programs.addPerson()];
      const ask = (user_code: string) => programs.find(other.client, user_code);
      await programs.begin();
      const begin = () => programs.beginAt("198.51.100.90");
      const [approved, denied, old] = [await begin(), await begin(), await begin()];
      await programs.answer(person.client, approved.user_code);
      await programs.answer(person.client, denied.user_code, false);
      const replies = [unknownCode, approved.user_code, denied.user_code].map(ask);
      const told = await Promise.all(replies);
      gateway.clock.now += 10 * minute;
      told.push(await ask(old.user_code));
      const [unknown, ...others] = told.map(({ status, body }) => ({ status, body }));
      expect(unknown?.body.code).toBe("device_not_found");
      for (const reply of others) expect(reply).toEqual(unknown);
    },
    "a made-up device code, or one with a letter changed": async () => {
      const { device_code } = await programs.begin();
      const changed = (device_code.startsWith("A") ? "B" : "A") + device_code.slice(1);
      for (const wrong of ["", "x", changed, `${device_code} `, device_code.toUpperCase(), "%00"])
        expect(await programs.exchange(wrong), wrong).toMatchObject({ error: "expired_token" });
      await programs.expectWaiting({ device_code });
    },
    "a program that asks without a pause, which is told to slow down and gets nothing by it":
      async () => {
        const started = await programs.begin();
        await programs.expectWaiting(started);
        const rush = await Promise.all(
          Array.from({ length: 10 }, () => programs.exchange(started.device_code)),
        );
        for (const reply of rush) expect(reply).toMatchObject({ status: 400, error: "slow_down" });
        await programs.expectWaiting(started);
      },
    "codes begun from one network of IPv6, by its many addresses": async () => {
      await programs.begin();
      const replies = await Promise.all(
        Array.from({ length: 40 }, (_, host) => programs.beginAt(`2001:db8:7:7::${host + 1}`)),
      );
      expect(replies.filter(({ status }) => status === 200)).toHaveLength(30);
      // Others begin as before.
      expect((await programs.beginAt("2001:db8:7:8::1")).status).toBe(200);
    },
    "codes begun from everywhere: a bound for all, and those that wait can still be approved":
      async () => {
        const person = await programs.addPerson();
        const { user_code, device_code } = await programs.begin();
        const flood = await Promise.all(
          Array.from({ length: 70 }, async (_, network) => {
            const replies: number[] = [];
            for (let turn = 0; turn < 30; turn += 1)
              replies.push((await programs.beginAt(`10.0.${network}.1`)).status);
            return replies;
          }),
        );
        const begun = flood.flat().filter((status) => status === 200);
        expect(begun).toHaveLength(1_999);
        expect((await programs.answer(person.client, user_code)).body.success).toBe(true);
        expect((await programs.exchange(device_code)).status).toBe(200);
        gateway.clock.now += 11 * minute;
        expect((await programs.beginAt("10.1.1.1")).status).toBe(200);
      },

    "a link with the code in it, followed by a person who is signed in": async () => {
      const { client } = await programs.addPerson();
      const started = await programs.begin();
      const query = `user_code=${started.user_code}&approve=true`;
      for (const path of ["/device", agentPaths.device, "/api/agent/device/answer"])
        expect((await client("GET", `${path}?${query}`)).body.success, path).toBe(false);
      await programs.expectWaiting(started);
    },
    "the address of the victim, claimed in a header by the program": async () => {
      const { client } = await programs.addPerson();
      await programs.begin();
      const claims = {
        "x-forwarded-for": "127.0.0.1",
        "x-real-ip": "127.0.0.1",
        forwarded: "for=127.0.0.1",
        "cf-connecting-ip": "127.0.0.1",
      };
      const { user_code } = await programs.beginAt("203.0.113.66", claims);
      expect((await programs.find(client, user_code)).body.data).toMatchObject({
        address: "203.0.113.66",
        is_here: false,
        started_at: gateway.clock.now,
      });
    },
    "a program that calls itself by other names, markup and letters that turn the text around":
      async () => {
        const person = await programs.addPerson();
        for (const name of [
          "Your IT department",
          "<b>Claude Code</b>",
          "x claude-cli/2",
          `codexx${"x".repeat(5_000)}`,
          "$(reboot)",
        ]) {
          const started = await programs.begin({ "user-agent": name });
          const found = await programs.find(person.client, started.user_code);
          expect(["", "Codex"]).toContain(found.body.data.agent);
          await programs.answer(person.client, started.user_code);
          await programs.exchange(started.device_code);
        }
        for (const { name } of await keysOf(person)) expect(["Program", "Codex"]).toContain(name);
        const { sql, read } = gateway.db;
        for (const { user_agent } of await read(
          sql.selectFrom("sessions").select("user_agent").where("user_id", "=", person.id),
        ))
          expect(user_agent.length).toBeLessThanOrEqual(300);
      },
    "codes begun by a page of another site, so that its visitors may begin none": async () => {
      await programs.begin();
      for (let turn = 0; turn < 35; turn += 1) {
        const marks = turn % 2 ? { "sec-fetch-site": "cross-site" } : { origin: evil };
        const reply = await programs.post(agentPaths.device, {}, marks);
        expect(reply).toMatchObject({ code: "same_origin_required" });
      }
      expect(await programs.post(agentPaths.device, {})).toMatchObject({ status: 200 });
    },
    "replies that a page of another site may read": async () => {
      for (const [method, path] of [
        ["OPTIONS", agentPaths.device],
        ["POST", agentPaths.device],
        ["OPTIONS", agentPaths.token],
        ["OPTIONS", "/api/agent/device/answer"],
        ["GET", agentPaths.discovery],
      ] as const) {
        const { headers } = await gateway.from("203.0.113.8")(method, path, {
          headers: { origin: evil, "access-control-request-method": "POST" },
          ...(method === "POST" && { body: {} }),
        });
        expect(headers.get("access-control-allow-origin"), path).toBeNull();
        expect(headers.get("cross-origin-resource-policy"), path).toBe("same-origin");
        expect(headers.get("cache-control"), path).toBe("no-store");
      }
    },
  };

  test("at least sixteen are tried", () => {
    expect(Object.keys(attacks).length).toBeGreaterThanOrEqual(16);
  });
  test.each(Object.entries(attacks))("an attack fails: %s", async (_, attack) => await attack());
});
