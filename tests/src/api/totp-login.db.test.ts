import { createLockout } from "@tollgate/gateway/identity/lockouts/lockout.ts";
import { lockoutStore } from "@tollgate/gateway/identity/lockouts/lockout-store.ts";
import { createSecondFactor } from "@tollgate/gateway/identity/totp/second-factor.ts";
import { totpStore } from "@tollgate/gateway/identity/totp/totp-store.ts";
import { createMemoryCounters } from "@tollgate/gateway/limits/counters.ts";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { testDatabases } from "../support/test-databases.ts";
import { addEnrolled, codeAt, logIn, wrongCode } from "./totp-world.ts";
import { createWorld, password, type World } from "./world.ts";

const minute = 60_000;

describe.each(testDatabases)("signing in with a second factor on $name", (database) => {
  let world: World;
  beforeAll(async () => {
    world = await createWorld(database);
  });
  afterAll(() => world.close());

  const sessionsOf = async (userId: number) =>
    (await world.db.read(world.db.sql.selectFrom("sessions").select("id_hash").where("user_id", "=", userId))).length;

  test("the password alone asks for the code, as older consoles expect it, and gives no cookie", async () => {
    const { username, secret } = await addEnrolled(world, "mira");
    for (const code of [{}, { totp_code: "" }]) {
      const asked = await logIn(world, username, code);
      expect([asked.status, asked.body]).toEqual([
        200,
        { success: false, message: "totp_required", code: "totp_required", data: { totp_required: true } },
      ]);
      expect(asked.headers.get("set-cookie")).toBeNull();
    }
    const reply = await logIn(world, username, { totp_code: codeAt(secret, world.clock.now) });
    expect(reply.body).toMatchObject({ success: true, data: { username } });
    expect((await world.withCookie(world.cookieOf(reply))("GET", "/api/user/self")).status).toBe(200);
  });

  test("before the password is right nobody learns who has a second factor", async () => {
    const { username, secret } = await addEnrolled(world, "quiet");
    const totp_code = codeAt(secret, world.clock.now);
    const answers = [];
    for (const name of [username, "nobody-here"])
      for (const code of [{}, { totp_code }, { totp_code: "000000" }, { recovery_code: "x" }]) {
        const reply = await world.visitor("POST", "/api/user/login", {
          body: { username: name, password: "wrong", ...code },
        });
        answers.push(JSON.stringify([reply.status, reply.body]));
      }
    expect(new Set(answers).size).toBe(1);
    // The right code beside a wrong password was not used up.
    expect((await logIn(world, username, { totp_code })).body.success).toBe(true);
    world.clock.now += 20 * minute;
  });

  test("a code works once, also after a restart and on another node", async () => {
    const { username, secret } = await addEnrolled(world, "once");
    const totp_code = codeAt(secret, world.clock.now);
    expect((await logIn(world, username, { totp_code })).body.success).toBe(true);
    world.clock.now += 1000;
    expect((await logIn(world, username, { totp_code })).body).toMatchObject({
      code: "totp_invalid",
      data: { totp_required: true },
    });
    const again = await world.anotherNode()("POST", "/api/user/login", { username, password, totp_code });
    expect(again.code).toBe("totp_invalid");
  });

  test("a clock that is half a minute off is forgiven, an older code than the last is not", async () => {
    const { username, secret } = await addEnrolled(world, "drifting");
    const [early, late] = [codeAt(secret, world.clock.now - 30_000), codeAt(secret, world.clock.now + 30_000)];
    expect((await logIn(world, username, { totp_code: late })).body.success).toBe(true);
    world.clock.now += 1000;
    expect((await logIn(world, username, { totp_code: early })).body.code).toBe("totp_invalid");
    world.clock.now += 90_000;
    const far = codeAt(secret, world.clock.now - minute);
    expect((await logIn(world, username, { totp_code: far })).body.code).toBe("totp_invalid");
    world.clock.now += 1000;
    const before = codeAt(secret, world.clock.now - 30_000);
    expect((await logIn(world, username, { totp_code: before })).body.success).toBe(true);
  });

  test("fifty at once with one code, each on a node of its own, give exactly one session", async () => {
    const { id, username, secret } = await addEnrolled(world, "crowd");
    const before = await sessionsOf(id);
    const nodes = Array.from({ length: 50 }, () => world.anotherNode());
    const totp_code = codeAt(secret, world.clock.now);
    const replies = await Promise.all(
      nodes.map((node) => node("POST", "/api/user/login", { username, password, totp_code })),
    );
    expect(replies.filter(({ success }) => success)).toHaveLength(1);
    expect(await sessionsOf(id)).toBe(before + 1);
    for (const { success, code } of replies) if (!success) expect(["totp_invalid", "totp_tries_over"]).toContain(code);
  });

  test("a sign-in that looked before the factor was switched on still has to show a code", async () => {
    const { id, uuid } = await addEnrolled(world, "moment");
    const store = totpStore(world.db);
    const guessers = createLockout(world.db, lockoutStore(world.db), "second-factor");
    const counters = createMemoryCounters(() => world.clock.now);
    const check = createSecondFactor({ db: world.db, store, seal: world.seal, counters, lockout: guessers });
    await expect(check.enterWithout({ id, uuid }, world.clock.now, [])).rejects.toMatchObject({
      code: "totp_required",
    });
    const plain = await world.addUser("plain");
    await check.enterWithout(plain, world.clock.now, []);
    // Whichever comes first: never is there a session from before beside a factor that is on.
    for (let round = 0; round < 5; round += 1) {
      const user = await world.addUser(`racer${round}`);
      const client = await world.signIn(user.username);
      const { secret } = (await client("GET", "/api/user/totp/setup")).body.data;
      const body = { totp_code: codeAt(secret, world.clock.now) };
      const [entered] = await Promise.all([
        logIn(world, user.username),
        client("POST", "/api/user/totp/confirm", { body }),
      ]);
      const cookie = world.cookieOf(entered);
      if (cookie !== "") expect((await world.withCookie(cookie)("GET", "/api/user/self")).status).toBe(401);
      else expect(entered.body.code).toBe("totp_required");
    }
  });

  test("one try each second", async () => {
    const { username, secret } = await addEnrolled(world, "hasty");
    const totp_code = codeAt(secret, world.clock.now);
    const wrong = { totp_code: wrongCode(secret, world.clock.now) };
    expect((await logIn(world, username, wrong)).body.code).toBe("totp_invalid");
    const hasty = await logIn(world, username, { totp_code });
    expect([hasty.status, hasty.body.code, hasty.headers.get("retry-after")]).toEqual([429, "too_many_requests", "1"]);
    world.clock.now += 1000;
    expect((await logIn(world, username, { totp_code })).body.success).toBe(true);
  });

  test("after five wrong codes the password is needed again, and guessing on takes longer and longer", async () => {
    const { username, secret } = await addEnrolled(world, "guessed");
    await logIn(world, username);
    const guess = async () => {
      world.clock.now += 1000;
      return await logIn(world, username, { totp_code: wrongCode(secret, world.clock.now) });
    };
    for (let tries = 0; tries < 5; tries += 1) expect((await guess()).body.code).toBe("totp_invalid");
    expect((await guess()).status).toBe(429);
    // Failures and tries are counted in the database, so another node knows of both.
    const right = () => ({ username, password, totp_code: codeAt(secret, world.clock.now) });
    expect((await world.anotherNode()("POST", "/api/user/login", right())).code).toBe("sign_in_locked");
    world.clock.now += minute;
    expect((await logIn(world, username, right())).body.code).toBe("totp_tries_over");
    expect((await logIn(world, username)).body.code).toBe("totp_required");
    expect((await guess()).body.code).toBe("totp_invalid");
    expect((await guess()).headers.get("retry-after")).toBe("119");
    world.clock.now += 2 * minute;
    expect((await logIn(world, username, right())).body.success).toBe(true);
  });

  test("a recovery code signs in once, however it is typed", async () => {
    const { id, username, recoveryCodes, client } = await addEnrolled(world, "lost");
    const [first = "", second = ""] = recoveryCodes;
    const typed = { recovery_code: first.toLowerCase().replaceAll("-", " ") };
    const before = await sessionsOf(id);
    const nodes = Array.from({ length: 3 }, () => world.anotherNode());
    const replies = await Promise.all(
      nodes.map((node) => node("POST", "/api/user/login", { username, password, ...typed })),
    );
    expect(replies.filter(({ success }) => success)).toHaveLength(1);
    expect(await sessionsOf(id)).toBe(before + 1);
    expect((await logIn(world, username, typed)).body.code).toBe("recovery_code_invalid");
    world.clock.now += 1000;
    expect((await logIn(world, username, { recovery_code: "ABCD" })).body.code).toBe("recovery_code_invalid");
    world.clock.now += 1000;
    await logIn(world, username);
    expect((await logIn(world, username, { recovery_code: second })).body.success).toBe(true);
    expect((await client("GET", "/api/user/totp/status")).body.data).toEqual({
      totp_enabled: true,
      recovery_codes_left: 6,
    });
  });

  test("nothing went wrong inside", () => expect(world.problems).toEqual([]));
});
