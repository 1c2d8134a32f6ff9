import { createLockout } from "@tollgate/gateway/accounts/identity/lockouts/lockout.ts";
import { sourceRules } from "@tollgate/gateway/accounts/identity/lockouts/lockout-rules.ts";
import { createLockoutStore } from "@tollgate/gateway/accounts/identity/lockouts/lockout-store.ts";
import { createSecondFactor } from "@tollgate/gateway/accounts/identity/totp/second-factor.ts";
import { createTotpStore } from "@tollgate/gateway/accounts/identity/totp/totp-store.ts";
import { createMemoryCounters } from "@tollgate/gateway/limits/counters.ts";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { ruleDatabases } from "../support/test-databases.ts";
import { type ManagementGateway, password, startManagementGateway } from "./management-gateway.ts";
import { addTotpUser, codeAt, logIn, wrongCode } from "./totp-users.ts";

const minute = 60_000;

describe.each(ruleDatabases)("signing in with a second factor on $name", (database) => {
  let gateway: ManagementGateway;
  beforeAll(async () => {
    gateway = await startManagementGateway(database);
  });
  afterAll(() => gateway.close());

  const sessionsOf = async (userId: number) =>
    (
      await gateway.db.read(
        gateway.db.sql.selectFrom("sessions").select("id_hash").where("user_id", "=", userId),
      )
    ).length;

  test("the password alone asks for the code, as older consoles expect it, and gives no cookie", async () => {
    const { username, secret } = await addTotpUser(gateway, "mira");
    for (const code of [{}, { totp_code: "" }]) {
      const asked = await logIn(gateway, username, code);
      expect([asked.status, asked.body]).toEqual([
        200,
        {
          success: false,
          message: "totp_required",
          code: "totp_required",
          data: { totp_required: true },
        },
      ]);
      expect(asked.headers.get("set-cookie")).toBeNull();
    }
    const reply = await logIn(gateway, username, { totp_code: codeAt(secret, gateway.clock.now) });
    expect(reply.body).toMatchObject({ success: true, data: { username } });
    expect(
      (await gateway.withCookie(gateway.cookieOf(reply))("GET", "/api/user/self")).status,
    ).toBe(200);
  });

  test("before the password is right, a sign-in does not reveal who has a second factor", async () => {
    const { username, secret } = await addTotpUser(gateway, "quiet");
    const totp_code = codeAt(secret, gateway.clock.now);
    const answers = [];
    for (const name of [username, "nobody-here"])
      for (const code of [{}, { totp_code }, { totp_code: "000000" }, { recovery_code: "x" }]) {
        const reply = await gateway.visitor("POST", "/api/user/login", {
          body: { username: name, password: "wrong", ...code },
        });
        answers.push(JSON.stringify([reply.status, reply.body]));
      }
    expect(new Set(answers).size).toBe(1);
    // The right code beside a wrong password was not used up.
    expect((await logIn(gateway, username, { totp_code })).body.success).toBe(true);
    gateway.clock.now += 20 * minute;
  });

  test("a code works once, also after a restart and on another node", {
    tags: ["F-05"],
  }, async () => {
    const { username, secret } = await addTotpUser(gateway, "once");
    const totp_code = codeAt(secret, gateway.clock.now);
    expect((await logIn(gateway, username, { totp_code })).body.success).toBe(true);
    gateway.clock.now += 1000;
    expect((await logIn(gateway, username, { totp_code })).body).toMatchObject({
      code: "totp_invalid",
      data: { totp_required: true },
    });
    const again = await gateway.anotherNode()("POST", "/api/user/login", {
      username,
      password,
      totp_code,
    });
    expect(again.code).toBe("totp_invalid");
  });

  test("a clock that is half a minute off is forgiven, an older code than the last is not", async () => {
    const { username, secret } = await addTotpUser(gateway, "drifting");
    const [early, late] = [
      codeAt(secret, gateway.clock.now - 30_000),
      codeAt(secret, gateway.clock.now + 30_000),
    ];
    expect((await logIn(gateway, username, { totp_code: late })).body.success).toBe(true);
    gateway.clock.now += 1000;
    expect((await logIn(gateway, username, { totp_code: early })).body.code).toBe("totp_invalid");
    gateway.clock.now += 90_000;
    const far = codeAt(secret, gateway.clock.now - minute);
    expect((await logIn(gateway, username, { totp_code: far })).body.code).toBe("totp_invalid");
    gateway.clock.now += 1000;
    const before = codeAt(secret, gateway.clock.now - 30_000);
    expect((await logIn(gateway, username, { totp_code: before })).body.success).toBe(true);
  });

  test("fifty at once with one code, each on a node of its own, give exactly one session", {
    tags: ["F-05", "large"],
  }, async () => {
    const { id, username, secret } = await addTotpUser(gateway, "crowd");
    const before = await sessionsOf(id);
    const nodes = Array.from({ length: 50 }, () => gateway.anotherNode());
    const totp_code = codeAt(secret, gateway.clock.now);
    const replies = await Promise.all(
      nodes.map((node) => node("POST", "/api/user/login", { username, password, totp_code })),
    );
    expect(replies.filter(({ success }) => success)).toHaveLength(1);
    expect(await sessionsOf(id)).toBe(before + 1);
    // All fifty come from one source, which has a share of the waiting sign-ins.
    const refusals = ["totp_invalid", "totp_tries_over", "sign_in_busy"];
    for (const { success, code } of replies) if (!success) expect(refusals).toContain(code);
  });

  test("a sign-in that looked before the factor was switched on still has to show a code", async () => {
    const { id, uuid } = await addTotpUser(gateway, "moment");
    const store = createTotpStore(gateway.db);
    const guessers = createLockout(
      gateway.db,
      createLockoutStore(gateway.db),
      "second-factor",
      sourceRules,
    );
    const counters = createMemoryCounters(() => gateway.clock.now);
    const check = createSecondFactor({
      db: gateway.db,
      store,
      seal: gateway.seal,
      counters,
      lockout: guessers,
    });
    await expect(
      check.writeWithoutFactor({ id, uuid }, gateway.clock.now, []),
    ).rejects.toMatchObject({
      code: "totp_required",
    });
    const plain = await gateway.addUser("plain");
    await check.writeWithoutFactor(plain, gateway.clock.now, []);
    // Whichever comes first: never is there a session from before beside a factor that is on.
    for (let round = 0; round < 5; round += 1) {
      const user = await gateway.addUser(`racer${round}`);
      const client = await gateway.signIn(user.username);
      const { secret } = (await client("GET", "/api/user/totp/setup")).body.data;
      const body = { totp_code: codeAt(secret, gateway.clock.now) };
      const [entered] = await Promise.all([
        logIn(gateway, user.username),
        client("POST", "/api/user/totp/confirm", { body }),
      ]);
      const cookie = gateway.cookieOf(entered);
      if (cookie !== "")
        expect((await gateway.withCookie(cookie)("GET", "/api/user/self")).status).toBe(401);
      else expect(entered.body.code).toBe("totp_required");
    }
  });

  test("one try each second", { tags: ["F-06"] }, async () => {
    const { username, secret } = await addTotpUser(gateway, "hasty");
    const totp_code = codeAt(secret, gateway.clock.now);
    const wrong = { totp_code: wrongCode(secret, gateway.clock.now) };
    expect((await logIn(gateway, username, wrong)).body.code).toBe("totp_invalid");
    const hasty = await logIn(gateway, username, { totp_code });
    expect([hasty.status, hasty.body.code, hasty.headers.get("retry-after")]).toEqual([
      429,
      "too_many_requests",
      "1",
    ]);
    gateway.clock.now += 1000;
    expect((await logIn(gateway, username, { totp_code })).body.success).toBe(true);
  });

  test("after five wrong codes the password is needed again, and guessing on takes longer and longer", {
    tags: ["F-06"],
  }, async () => {
    const { username, secret } = await addTotpUser(gateway, "guessed");
    await logIn(gateway, username);
    const guess = async () => {
      gateway.clock.now += 1000;
      return await logIn(gateway, username, { totp_code: wrongCode(secret, gateway.clock.now) });
    };
    for (let tries = 0; tries < 5; tries += 1)
      expect((await guess()).body.code).toBe("totp_invalid");
    expect((await guess()).status).toBe(429);
    // Failures and tries are counted in the database, so another node knows of both.
    const right = () => ({ username, password, totp_code: codeAt(secret, gateway.clock.now) });
    expect((await gateway.anotherNode()("POST", "/api/user/login", right())).code).toBe(
      "sign_in_locked",
    );
    gateway.clock.now += minute;
    expect((await logIn(gateway, username, right())).body.code).toBe("totp_tries_over");
    expect((await logIn(gateway, username)).body.code).toBe("totp_required");
    expect((await guess()).body.code).toBe("totp_invalid");
    expect((await guess()).headers.get("retry-after")).toBe("119");
    gateway.clock.now += 2 * minute;
    expect((await logIn(gateway, username, right())).body.success).toBe(true);
  });

  test("a recovery code signs in once, however it is typed", async () => {
    const { id, username, recoveryCodes, client } = await addTotpUser(gateway, "lost");
    const [first = "", second = ""] = recoveryCodes;
    const typed = { recovery_code: first.toLowerCase().replaceAll("-", " ") };
    const before = await sessionsOf(id);
    const nodes = Array.from({ length: 3 }, () => gateway.anotherNode());
    const replies = await Promise.all(
      nodes.map((node) => node("POST", "/api/user/login", { username, password, ...typed })),
    );
    expect(replies.filter(({ success }) => success)).toHaveLength(1);
    expect(await sessionsOf(id)).toBe(before + 1);
    expect((await logIn(gateway, username, typed)).body.code).toBe("recovery_code_invalid");
    gateway.clock.now += 1000;
    expect((await logIn(gateway, username, { recovery_code: "ABCD" })).body.code).toBe(
      "recovery_code_invalid",
    );
    gateway.clock.now += 1000;
    await logIn(gateway, username);
    expect((await logIn(gateway, username, { recovery_code: second })).body.success).toBe(true);
    expect((await client("GET", "/api/user/totp/status")).body.data).toEqual({
      totp_enabled: true,
      recovery_codes_left: 6,
    });
  });

  test("nothing went wrong inside", () => expect(gateway.problems).toEqual([]));
});
