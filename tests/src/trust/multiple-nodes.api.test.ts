// Two gateways on one PostgreSQL and one Redis: what one decides the other follows, limits are
// shared to the last call, and a node that dies takes nothing along.
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createBudget, getBudget } from "@tollgate/contract/accounts/budgets.ts";
import { userStatus } from "@tollgate/contract/accounts/roles.ts";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import {
  createApiSession,
  readReply,
  requestSignIn,
  sendTo,
  signInSession,
  type TestReply,
} from "../harness/api-session.ts";
import { rootPassword } from "../harness/database-templates.ts";
import { eventually } from "../harness/eventually.ts";
import { databaseKinds } from "../harness/gateway-database.ts";
import { type GatewayProcess, startGatewayProcess } from "../harness/gateway-process.ts";
import { type RedisServer, redisAvailable, startRedisServer } from "../harness/redis-server.ts";
import { repositoryDir } from "../harness/repository-dir.ts";
import {
  chatBody,
  defaultCharge,
  defaultHold,
  model,
  startTestGateway,
  type TestGateway,
} from "../harness/test-gateway.ts";

const possible = redisAvailable();
const reason = possible.available ? "" : ` (${possible.reason})`;
const limited = { max_tokens: 12 };
/** A second on a machine that does nothing else, and many on a busy one. */
const soon = { timeoutMs: 20_000 };

describe.skipIf(!possible.available || !databaseKinds.includes("postgres"))(
  `two nodes${reason}`,
  () => {
    const folder = mkdtempSync(join(tmpdir(), "tollgate-nodes-"));
    const clock = join(folder, "offset");
    let redis: RedisServer;
    let world: TestGateway;
    let other: GatewayProcess;
    let key: string;
    let tokenId: number;

    const startOther = (): Promise<GatewayProcess> =>
      startGatewayProcess({
        dataDir: world.dataDir,
        databaseUrl: world.databaseUrl ?? "",
        upstreams: [world.simulator.url],
        env: { REDIS_URL: redis.url },
      });

    beforeAll(async () => {
      writeFileSync(clock, "0");
      redis = await startRedisServer();
      world = await startTestGateway({
        store: "postgres",
        env: {
          REDIS_URL: redis.url,
          NODE_OPTIONS: `--import=${join(repositoryDir, "tests/src/harness/moved-clock.ts")}`,
          MOVED_CLOCK: clock,
        },
      });
      other = await startOther();
      await world.given.channel({ key: "sim-ok" });
      ({ key, id: tokenId } = await world.given.token());
      await eventually(async () => expect((await onOther(key)).status).toBe(200));
    });
    afterAll(async () => {
      await other.stop();
      await world.close();
      await redis.stop();
      rmSync(folder, { recursive: true, force: true });
    });

    const send = (
      url: string,
      bearer: string,
      body: Record<string, unknown> = limited,
    ): Promise<Response> =>
      fetch(`${url}/v1/chat/completions`, {
        method: "POST",
        headers: { authorization: `Bearer ${bearer}`, "content-type": "application/json" },
        body: JSON.stringify(chatBody(body)),
      });
    const call = async (
      url: string,
      bearer: string,
      body?: Record<string, unknown>,
    ): Promise<TestReply> => readReply(await send(url, bearer, body));
    const onOther = (bearer: string, body?: Record<string, unknown>): Promise<TestReply> =>
      call(other.url, bearer, body);

    /**
     * The number of times that a node counted alone: on a busy machine Redis may answer too late.
     */
    const timesAlone = (): number => timesTold("redis_away");
    const timesTold = (event: string): number =>
      [world.process, other].reduce((sum, one) => sum + one.output().split(event).length - 1, 0);

    /** Statuses of simultaneous calls to both nodes; repeated when Redis did not answer in time. */
    async function shared(
      bearer: () => Promise<string>,
      count: number,
      body?: Record<string, unknown>,
    ) {
      return await eventually(
        async () => {
          const before = timesAlone();
          if (before > timesTold("redis_back")) throw new Error("a node still counts alone");
          const own = await bearer();
          const replies = await Promise.all(
            Array.from({ length: count }, (_, index) =>
              call(index % 2 ? world.url : other.url, own, body),
            ),
          );
          if (timesAlone() !== before) throw new Error("Redis did not answer in time");
          return replies;
        },
        { timeoutMs: 20_000 },
      );
    }
    const served = (replies: readonly TestReply[]): number =>
      replies.filter(({ status }) => status === 200).length;

    test("the limits of a key and of a channel are shared to the last call", {
      tags: ["FT-17"],
      timeout: 60_000,
    }, async () => {
      const few = async () => (await world.given.token({ rpm_limit: 20 })).key;
      const replies = await shared(few, 60);
      expect(served(replies)).toBe(20);
      expect(new Set(replies.map(({ status }) => status))).toEqual(new Set([200, 429]));

      await world.given.channel({ key: "sim-ok", models: "narrow", ratelimit: 10 });
      const any = async () => (await world.given.token()).key;
      await eventually(
        async () => expect((await onOther(await any(), { model: "narrow" })).status).toBe(200),
        soon,
      );
      expect(served(await shared(any, 30, { model: "narrow" }))).toBe(10);
    });

    test("calls that run at the same time are counted together, and their places are free when they end", {
      tags: ["FT-17"],
      timeout: 60_000,
    }, async () => {
      await world.given.channel({ key: "sim-slow-1000", models: "lasting" });
      const two = async () => (await world.given.token({ max_parallel_requests: 2 })).key;
      await eventually(
        async () => expect((await onOther(key, { model: "lasting" })).status).toBe(200),
        soon,
      );
      let last = "";
      const remembered = async () => (last = await two());
      expect(served(await shared(remembered, 10, { model: "lasting" }))).toBe(2);
      await eventually(
        async () => expect((await onOther(last, { model: "lasting" })).status).toBe(200),
        soon,
      );
    });

    test("keys, prices, limits, channels, options and sessions that one node changes are in force on the other", {
      tags: ["FT-17"],
      timeout: 60_000,
    }, async () => {
      const token = await world.given.token();
      expect((await onOther(token.key)).status).toBe(200);
      await world.api("PUT", "/api/token/", { ...(await tokenOf(token.id)), rpm_limit: 1 });
      await eventually(async () => expect((await onOther(token.key)).status).toBe(429), soon);
      await world.api("PUT", "/api/token/?status_only=1", { id: token.id, status: 2 });
      await eventually(async () => expect((await onOther(token.key)).status).toBe(401), soon);

      const channel = await world.given.channel({ key: "sim-ok", models: "changing" });
      const charge = async (): Promise<number> => {
        expect((await onOther(key, { model: "changing" })).status).toBe(200);
        return (await world.lastLog()).quota;
      };
      const first = await eventually(charge, soon);
      const details = await world.api<Record<string, unknown>>("GET", `/api/channel/${channel.id}`);
      const model_configs = JSON.stringify({ changing: { ratio: 10, completion_ratio: 4 } });
      await world.api("PUT", "/api/channel/", { ...details, model_configs });
      await eventually(async () => expect(await charge()).toBe(10 * first), soon);
      await world.api("PUT", "/api/channel/?status_only=1", { id: channel.id, status: 2 });
      await eventually(
        async () => expect((await onOther(key, { model: "changing" })).status).toBe(404),
        soon,
      );

      await world.api("PUT", "/api/option/", { key: "SystemName", value: "Changed on one node" });
      const name = async (): Promise<unknown> =>
        (await createApiSession(sendTo(other.url)).request("GET", "/api/status")).body.data
          .system_name;
      await eventually(async () => expect(await name()).toBe("Changed on one node"), soon);

      const cookie = (await signInSession(sendTo(other.url), "root", rootPassword)).cookie;
      expect(
        (
          await createApiSession(sendTo(other.url), { cookie: cookie }).request(
            "GET",
            "/api/user/self",
          )
        ).status,
      ).toBe(200);
      await createApiSession(sendTo(world.url), { cookie: cookie }).request(
        "POST",
        "/api/user/logout",
      );
      expect(
        (
          await createApiSession(sendTo(other.url), { cookie: cookie }).request(
            "GET",
            "/api/user/self",
          )
        ).status,
      ).toBe(401);
    });

    const tokenOf = (id: number): Promise<Record<string, unknown>> =>
      world.api("GET", `/api/token/${id}`);

    test.each([
      [
        "disabled",
        (id: number) => world.api("PUT", "/api/user/", { id, status: userStatus.disabled }),
      ],
      ["deleted", (id: number) => world.api("DELETE", `/api/user/${id}`)],
    ])(
      "what a leaver holds ends on the other node when the account is %s on one: key, management key, access token",
      {
        tags: ["MK-05", "S2-05", "FT-17"],
      },
      async (end, act) => {
        const leaver = await world.given.user(`leaver-${end}`, { quota: 1_000_000 });
        const { key: apiKey } = await leaver.token();
        const made = { name: "ci", scopes: ["tokens:read"], lifetime_days: 1 };
        const { key: managementKey } = await leaver.data<{ key: string }>(
          "POST",
          "/api/management_key/",
          made,
        );
        const accessToken = await leaver.data<string>("POST", "/api/user/token", {});
        const manages = async (bearer: string): Promise<number> =>
          (
            await fetch(`${other.url}/api/token/`, {
              headers: { authorization: `Bearer ${bearer}` },
            })
          ).status;
        expect((await onOther(apiKey)).status).toBe(200);
        expect([await manages(managementKey), await manages(accessToken)]).toEqual([200, 200]);
        await act(leaver.id);
        // Read from the database at each call: there is nothing to wait for.
        expect([await manages(managementKey), await manages(accessToken)]).toEqual([401, 401]);
        await eventually(
          async () => expect([401, 403]).toContain((await onOther(apiKey)).status),
          soon,
        );
      },
    );

    test("failures to sign in lock an account on both nodes", { tags: ["FT-17"] }, async () => {
      const urls = [world.url, other.url];
      for (let failure = 0; failure < 5; failure += 1)
        await requestSignIn(urls[failure % 2] ?? "", "somebody", "wrong password");
      for (const url of urls)
        expect((await requestSignIn(url, "somebody", "wrong password")).body.code).toBe(
          "sign_in_locked",
        );
    });

    /** A hard budget of a key, once both nodes know it. */
    async function budgetOfKey(subject_id: number, bearer: string, amount: number) {
      const root = await world.root();
      const body = {
        subject: "token",
        subject_id,
        name: "of both nodes",
        window: "lifetime",
        amount,
      } as const;
      const { data: budget } = await root.call(createBudget, { body });
      const known = async (url: string): Promise<string> =>
        (
          await fetch(`${url}/v1/budget`, { headers: { authorization: `Bearer ${bearer}` } })
        ).text();
      for (const url of [world.url, other.url])
        await eventually(async () => expect(await known(url)).toContain("of both nodes"), soon);
      return async () => (await root.call(getBudget, { params: { id: budget.id } })).data;
    }

    test("500 calls on both nodes race for a hard budget of ten, and it is never passed", {
      tags: ["BU-01"],
      timeout: 90_000,
    }, async () => {
      const token = await world.given.token();
      const amount = 10 * defaultHold;
      const read = await budgetOfKey(token.id, token.key, amount);
      const replies = await Promise.all(
        Array.from({ length: 500 }, (_, n) => call(n % 2 ? world.url : other.url, token.key)),
      );
      const count = served(replies);
      expect(count).toBeGreaterThanOrEqual(10);
      const refused = replies.filter(({ status }) => status !== 200);
      expect(new Set(refused.map(({ body }) => body.error?.code))).toEqual(
        new Set(["budget_exceeded"]),
      );
      await world.settled();
      const { spent, held, exceeded } = await read();
      expect({ spent, held, exceeded }).toEqual({
        spent: count * defaultCharge,
        held: 0,
        exceeded: 0,
      });
    });

    test("kill -9 of one node under load: the other goes on, nothing is lost, the books and a budget agree", {
      tags: ["FT-17", "BU-03", "large"],
      timeout: 90_000,
    }, async () => {
      await world.given.channel({ key: "sim-pace-50+tokens-200", models: "long" });
      const chargedBefore = (await world.settled()).charged;
      const budget = await budgetOfKey(tokenId, key, 1_000_000_000);
      await eventually(async () => {
        const stream = await send(other.url, key, { model: "long", stream: true });
        await stream.body?.cancel();
        expect(stream.status).toBe(200);
      }, soon);
      const before = await world.settled();
      let isOver = false;
      const statuses: number[] = [];
      const callers = Array.from({ length: 6 }, async () => {
        while (!isOver) statuses.push((await world.chat(key, limited)).status);
      });
      const streams = await Promise.all(
        Array.from({ length: 12 }, () => send(other.url, key, { model: "long", stream: true })),
      );
      const onBoth = Array.from({ length: 30 }, () => onOther(key).catch(() => undefined));
      await eventually(() => expect(statuses.length).toBeGreaterThan(20));
      other.kill("SIGKILL");
      await other.exited;
      const endings = await Promise.allSettled(streams.map((stream) => stream.text()));
      expect(endings.every(({ status }) => status === "rejected")).toBe(true);
      const killedAt = statuses.length;
      await eventually(() => expect(statuses.length).toBeGreaterThan(killedAt + 20));
      isOver = true;
      await Promise.all([...callers, ...onBoth]);
      expect(new Set(statuses)).toEqual(new Set([200]));
      expect((await world.books()).reservations).toBeGreaterThanOrEqual(12);
      expect((await budget()).held).toBeGreaterThan(0);

      // The leases of the killed node have expired; the next node to start ends its calls.
      writeFileSync(clock, "120000");
      await world.restart();
      const books = await world.settled({ timeoutMs: 30_000 });
      expect(books).toMatchObject({ held: 0, shortfall: 0 });
      expect(books.balance + books.charged).toBe(before.balance + before.charged);
      expect(books.succeeded - before.succeeded).toBeGreaterThanOrEqual(statuses.length);
      const charged = (await world.logs()).reduce((sum, { quota }) => sum + quota, 0);
      expect(charged).toBe(books.charged);
      expect(await budget()).toMatchObject({ spent: books.charged - chargedBefore, held: 0 });
      expect(await world.audit()).toBe("The books agree.");
      other = await startOther();
      expect((await onOther(key, { model })).status).toBe(200);
    });
  },
);
