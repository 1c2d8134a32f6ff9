// Redis hangs, dies, answers too late, forgets everything or refuses the password: calls go on,
// limits hold on each node, and what money and accounts hang on never lay there.
import { once } from "node:events";
import { type AddressInfo, createServer } from "node:net";
import { setTimeout as pause } from "node:timers/promises";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { codeAt } from "../api/totp-users.ts";
import { createApiSession, requestSignIn, sendTo } from "../harness/api-session.ts";
import { type ChaosProxy, startChaosProxy } from "../harness/chaos-proxy.ts";
import { rootPassword } from "../harness/database-templates.ts";
import { eventually } from "../harness/eventually.ts";
import { startGatewayProcess } from "../harness/gateway-process.ts";
import { type RedisServer, redisAvailable, startRedisServer } from "../harness/redis-server.ts";
import { startTestGateway, type TestGateway, userPassword } from "../harness/test-gateway.ts";

const possible = redisAvailable();
const reason = possible.available ? "" : ` (${possible.reason})`;
const freeModel = "free";
const secret = "a-password-that-nobody-may-read";

const p99 = (took: readonly number[]): number =>
  took.toSorted((one, other) => one - other)[Math.ceil(took.length * 0.99) - 1] ?? 0;

describe.skipIf(!possible.available)(`a gateway that counts its limits in Redis${reason}`, () => {
  let redis: RedisServer;
  let proxy: ChaosProxy;
  let world: TestGateway;
  /**
   * `counted` is that of a key whose every call is counted: on the key, on the channel, and as one
   * that runs.
   */
  let counted: string;
  /** Of a key that nothing counts, on a channel without a limit. */
  let free: string;

  beforeAll(async () => {
    redis = await startRedisServer(secret);
    proxy = await startChaosProxy(redis.url);
    world = await startTestGateway({
      env: { REDIS_URL: `redis://:${secret}@${proxy.host}`, API_RATE_LIMIT: "480" },
    });
    await world.given.channel({ key: "sim-ok", ratelimit: 1_000_000 });
    const limits = { rpm_limit: 1_000_000, tpm_limit: 1_000_000_000, max_parallel_requests: 1_000 };
    counted = (await world.given.token(limits)).key;
    await world.given.channel({ key: "sim-ok", models: freeModel });
    free = (await world.given.token()).key;
  });
  afterAll(async () => {
    redis.thaw();
    await world.close();
    await proxy.close();
    await redis.stop();
  });

  const reported = (event: string): number =>
    world.process.output().split(`"event":"${event}"`).length - 1;

  /**
   * Counted and uncounted calls by turns, four at a time: what the machine does to one it does to
   * the other.
   */
  async function measured(count: number) {
    const took = { counted: [] as number[], free: [] as number[] };
    const call = async (kind: keyof typeof took): Promise<void> => {
      const startedAt = performance.now();
      const { status } =
        kind === "free" ? await world.chat(free, { model: freeModel }) : await world.chat(counted);
      took[kind].push(performance.now() - startedAt);
      expect(status).toBe(200);
    };
    let left = count;
    const caller = async (): Promise<void> => {
      while (left > 0) {
        left -= 1;
        await call("counted");
        await call("free");
      }
    };
    await Promise.all(Array.from({ length: 4 }, caller));
    return { counted: p99(took.counted), free: p99(took.free), slowest: Math.max(...took.counted) };
  }

  /** A request that waits for Redis would take half a second longer. */
  async function expectQuick(): Promise<void> {
    await eventually(
      async () => {
        const took = await measured(100);
        expect(took.counted).toBeLessThanOrEqual(took.free + 50);
      },
      { timeoutMs: 20_000 },
    );
  }

  /** A key that may send five calls, of which it has sent some; the others of eight are refused. */
  async function expectLocalLimit(key: string, sent: number): Promise<void> {
    const statuses = [];
    for (let call = sent; call < 8; call += 1) statuses.push((await world.chat(key)).status);
    expect(statuses).toEqual([...Array(5 - sent).fill(200), 429, 429, 429]);
  }

  /** The log lines alternate: Redis is lost, and it is back. */
  const isAway = (): boolean => reported("redis_away") > reported("redis_back");
  const untilAway = () => eventually(() => expect(isAway()).toBe(true));
  const untilBack = () => eventually(() => expect(isAway()).toBe(false));

  test("F-123 a frozen Redis delays no request after a second: the breaker is open and the node counts alone", {
    tags: ["F-123", "FT-16"],
    timeout: 60_000,
  }, async () => {
    await measured(50);
    const { key } = await world.given.token({ rpm_limit: 5 });
    for (let call = 0; call < 3; call += 1) expect((await world.chat(key)).status).toBe(200);
    await untilBack();
    redis.freeze();
    // No call hangs, not even the first.
    expect((await measured(20)).slowest).toBeLessThan(5_000);
    await untilAway();
    await expectQuick();
    await expectLocalLimit(key, 3);
    expect((await requestSignIn(world.url, "root", rootPassword)).status).toBe(200);
    redis.thaw();
    await untilBack();
  });

  test("slow, it is as good as away, and used again when it is quick", {
    tags: ["FT-16"],
    timeout: 60_000,
  }, async () => {
    proxy.down = { latencyMs: 3_000 };
    expect((await measured(20)).slowest).toBeLessThan(5_000);
    await untilAway();
    await expectQuick();
    proxy.clearToxics();
    await untilBack();
  });

  test("killed and begun again empty, it costs no call, and one line of the log each time", {
    tags: ["FT-16"],
    timeout: 60_000,
  }, async () => {
    const { key } = await world.given.token({ rpm_limit: 5 });
    expect((await world.chat(key)).status).toBe(200);
    await redis.kill();
    await measured(20);
    await expectLocalLimit(key, 1);
    await untilAway();
    const lines = reported("redis_away");
    await pause(1_500);
    expect([reported("redis_away"), reported("redis_back")]).toEqual([lines, lines - 1]);
    await redis.start();
    await untilBack();
    // This node has not forgotten.
    expect((await world.chat(key)).status).toBe(429);
  });

  test("what may happen once happens once, although Redis has gone meanwhile", {
    tags: ["FT-16"],
    timeout: 60_000,
  }, async () => {
    const user = await world.given.user("careful");
    const [code = ""] = await world.api<string[]>("POST", "/api/redemption/", {
      name: "gift",
      quota: 700,
      count: 1,
    });
    const { secret: seed } = await user.data<{ secret: string }>("GET", "/api/user/totp/setup");
    await user.data("POST", "/api/user/totp/confirm", { totp_code: codeAt(seed, Date.now()) });
    const totp_code = codeAt(seed, Date.now() + 30_000);
    const enter = () =>
      createApiSession(sendTo(world.url)).request("POST", "/api/user/login", {
        username: "careful",
        password: userPassword,
        totp_code,
      });
    // One code may be tried each second.
    await pause(1_100);
    expect((await enter()).body.success).toBe(true);
    expect((await user.request("POST", "/api/user/topup", { key: code })).body.success).toBe(true);
    await redis.kill();
    await pause(1_100);
    expect((await enter()).body.code).toBe("totp_invalid");
    expect((await user.request("POST", "/api/user/topup", { key: code })).body.code).toBe(
      "redemption_refused",
    );
    await redis.start();
    await untilBack();
  });

  test("emptied, it takes neither balances nor lockouts along", {
    tags: ["FT-16"],
    timeout: 60_000,
  }, async () => {
    for (let failure = 0; failure < 5; failure += 1)
      await requestSignIn(world.url, "somebody", "wrong password");
    expect((await requestSignIn(world.url, "somebody", "wrong password")).body.code).toBe(
      "sign_in_locked",
    );
    await eventually(async () => {
      await measured(2);
      expect(Number(redis.command("DBSIZE"))).toBeGreaterThan(0);
    });
    const before = await world.settled();
    redis.command("FLUSHALL");
    expect((await requestSignIn(world.url, "somebody", "wrong password")).body.code).toBe(
      "sign_in_locked",
    );
    expect(await world.settled()).toEqual(before);
    await measured(2);
    await world.restart();
    expect((await requestSignIn(world.url, "somebody", "wrong password")).body.code).toBe(
      "sign_in_locked",
    );
  });

  test("a wrong Redis password is reported without the password, and the gateway runs", {
    tags: ["FT-16"],
  }, async () => {
    const gateway = await startGatewayProcess({
      env: {
        REDIS_URL: `redis://:${secret}-and-more@127.0.0.1:${redis.port}`,
        INITIAL_ROOT_PASSWORD: rootPassword,
      },
    });
    try {
      expect((await requestSignIn(gateway.url, "root", rootPassword)).status).toBe(200);
      expect(gateway.output()).toMatch(/"event":"redis_away".*WRONGPASS/);
      expect(gateway.output()).not.toContain(secret);
    } finally {
      await gateway.stop();
    }
  });

  test("an address without a server delays the start by a second and nothing else", {
    tags: ["FT-16"],
  }, async () => {
    const silent = createServer(() => undefined).listen(0, "127.0.0.1");
    await once(silent, "listening");
    const { port } = silent.address() as AddressInfo;
    const gateway = await startGatewayProcess({
      env: { REDIS_URL: `redis://127.0.0.1:${port}`, INITIAL_ROOT_PASSWORD: rootPassword },
    });
    try {
      expect((await requestSignIn(gateway.url, "root", rootPassword)).status).toBe(200);
    } finally {
      await gateway.stop();
      silent.close();
    }
  });

  test("the books agree after all of it, and the log holds no password", async () => {
    await world.settled();
    expect(world.process.output()).not.toContain(secret);
    expect(await world.audit()).toBe("The books agree.");
  });
});
