// A network that loses and breaks between gateway and PostgreSQL: no call is served unbilled.
import { describe, expect, test } from "vitest";
import { readReply } from "../harness/api-session.ts";
import { startChaosProxy, type Toxics } from "../harness/chaos-proxy.ts";
import { eventually } from "../harness/eventually.ts";
import { databaseKinds } from "../harness/gateway-database.ts";
import { defaultCharge, startTestGateway } from "../harness/test-gateway.ts";
import { keepCalling } from "./keep-calling.ts";

describe.skipIf(!databaseKinds.includes("postgres"))("between gateway and PostgreSQL:", () => {
  test("lost packets and connections that break repeatedly: no call is served unbilled", {
    tags: ["FT-14", "FT-28"],
    timeout: 600_000,
  }, async () => {
    const limited = { max_tokens: 12 };
    const proxy = await startChaosProxy(process.env.TEST_POSTGRES_URL);
    const proxied = new URL(process.env.TEST_POSTGRES_URL ?? "");
    proxied.host = proxy.host;
    const own = await startTestGateway({
      store: "postgres",
      postgresUrl: proxied.href,
      env: { SHUTDOWN_GRACE_SECONDS: "5" },
    });
    try {
      const { pid } = own.process;
      await own.given.channel({ key: "sim-ok" });
      const { key: ownKey } = await own.given.token();
      const lossy: Toxics = { stalls: { share: 0.3, ms: 30 } };
      Object.assign(proxy, { up: lossy, down: lossy });
      const load = keepCalling(own, ownKey, 8, limited);
      for (let round = 0; round < 8; round += 1) {
        const answered = load.statuses.length;
        await eventually(() => expect(load.statuses.length).toBeGreaterThan(answered + 4), {
          timeoutMs: 60_000,
        });
        proxy.resetConnections();
      }
      await load.stop();
      proxy.clearToxics();
      await eventually(async () => expect((await own.chat(ownKey, limited)).status).toBe(200));
      expect(new Set(load.statuses)).toEqual(
        expect.toBeOneOf([new Set([200]), new Set([200, 503])]),
      );
      const { rows, charged, succeeded, held } = await own.settled({ timeoutMs: 90_000 });
      expect(held).toBe(0);
      expect(succeeded).toBeGreaterThanOrEqual(
        load.statuses.filter((status) => status === 200).length + 1,
      );
      expect(charged).toBe(succeeded * defaultCharge);
      expect(rows).toBe(succeeded);
      expect(own.process.pid).toBe(pid);
      expect(await own.audit()).toBe("The books agree.");
    } finally {
      await own.close();
      await proxy.close();
    }
  });

  test("a single connection to it is enough: calls wait for their turn", {
    tags: ["FT-14"],
    timeout: 120_000,
  }, async () => {
    const own = await startTestGateway({
      store: "postgres",
      env: { DATABASE_CONNECTIONS: "1", SHUTDOWN_GRACE_SECONDS: "5" },
    });
    try {
      await own.given.channel({ key: "sim-ok" });
      const { key: ownKey } = await own.given.token();
      const replies = await Promise.all(
        Array.from({ length: 40 }, () => own.chat(ownKey, { max_tokens: 12 })),
      );
      expect(new Set(replies.map(({ status }) => status))).toEqual(new Set([200]));
      expect(await own.settled()).toMatchObject({ rows: 40, charged: 40 * defaultCharge });
      expect(await readReply(await fetch(`${own.url}/readyz`))).toMatchObject({ status: 200 });
      expect(await own.audit()).toBe("The books agree.");
    } finally {
      await own.close();
    }
  });
});
