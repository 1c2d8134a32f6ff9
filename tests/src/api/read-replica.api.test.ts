// A gateway on PostgreSQL that reads lists, charts and exports from a standby.

import { logout } from "@tollgate/contract/accounts/sessions.ts";
import { deleteToken } from "@tollgate/contract/accounts/tokens.ts";
import { consoleHeader } from "@tollgate/contract/api/envelope.ts";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type ApiSession, requestSignIn, sendTo, signInSession } from "../harness/api-session.ts";
import { rootPassword } from "../harness/database-templates.ts";
import { eventually } from "../harness/eventually.ts";
import { databaseKinds } from "../harness/gateway-database.ts";
import { type GatewayProcess, startGatewayProcess } from "../harness/gateway-process.ts";
import {
  type PostgresCluster,
  type PostgresStandby,
  startPostgresCluster,
  startStandby,
} from "../harness/postgres-cluster.ts";
import { chatBody, startTestGateway, type TestGateway } from "../harness/test-gateway.ts";

const sessionCookieOf = ({ cookie }: ApiSession): string =>
  cookie
    .split("; ")
    .filter((pair) => !pair.startsWith("fresh-reads"))
    .join("; ");

const metricsToken = "scraper-of-this-test";

describe.skipIf(!databaseKinds.includes("postgres"))("a gateway with a standby for reading", () => {
  let cluster: PostgresCluster;
  let standby: PostgresStandby;
  let direct: TestGateway;
  let gateway: GatewayProcess;
  /** `cookie` is that of root's session alone: the cookie that a change leaves has expired. */
  let cookie: string;

  beforeAll(async () => {
    cluster = await startPostgresCluster();
    direct = await startTestGateway({ store: "postgres", postgresUrl: cluster.url });
    await direct.given.channel({ key: "sim-ok" });
    standby = await startStandby(cluster);
    const readUrl = new URL(direct.databaseUrl ?? "");
    readUrl.port = String(standby.port);
    gateway = await startGatewayProcess({
      dataDir: direct.dataDir,
      databaseUrl: direct.databaseUrl ?? "",
      upstreams: [direct.simulator.url],
      env: { DATABASE_READ_URL: readUrl.href, METRICS_TOKEN: metricsToken },
    });
    cookie = sessionCookieOf(await signInSession(sendTo(gateway.url), "root", rootPassword));
  });
  afterAll(async () => {
    await gateway.stop();
    await direct.close();
    await standby.stop();
    await cluster.stop();
  });

  const ask = async (key: string): Promise<number> => {
    const reply = await fetch(`${gateway.url}/v1/chat/completions`, {
      method: "POST",
      headers: { authorization: `Bearer ${key}`, "content-type": "application/json" },
      body: JSON.stringify(chatBody({ max_tokens: 12 })),
    });
    await reply.text();
    return reply.status;
  };

  /**
   * Statements so far that the standby has answered, and those that the primary has answered in its
   * place. Ten scrapes a minute.
   */
  const sources = async (): Promise<{ standby: number; primary: number }> => {
    const reply = await fetch(`${gateway.url}/metrics`, {
      headers: { authorization: `Bearer ${metricsToken}` },
    });
    expect(reply.status).toBe(200);
    const text = await reply.text();
    const of = (source: string): number =>
      Number(
        new RegExp(`^tollgate_db_replica_reads_total\\{source="${source}"\\} (\\d+)$`, "m").exec(
          text,
        )?.[1] ?? 0,
      );
    return { standby: of("replica"), primary: of("lagging") + of("failed") };
  };

  const read = (path: string, cookies = cookie) =>
    fetch(gateway.url + path, { headers: { cookie: cookies } });

  const listed = async (cookies = cookie): Promise<number> => {
    const reply = await read("/api/log/?p=0&size=100", cookies);
    const { success, data } = (await reply.json()) as { success: boolean; data: unknown[] };
    if (!success) throw new Error(`the log was not listed: ${reply.status}`);
    return data.length;
  };

  test("the log, the dashboard and an export come from the standby", async () => {
    const { key } = await direct.given.token();
    expect(await ask(key)).toBe(200);
    await eventually(async () => expect(await listed()).toBeGreaterThan(0));
    const before = await sources();
    await listed();
    expect(await (await read("/api/user/dashboard")).json()).toMatchObject({ success: true });
    expect(await (await read("/api/log/export")).text()).toContain("sim-model");
    const after = await sources();
    expect(after.standby).toBeGreaterThanOrEqual(before.standby + 3);
    expect(after.primary).toBe(before.primary);
  });

  test("who has just changed something reads from the primary for ten seconds", async () => {
    const changed = await fetch(`${gateway.url}/api/user/self`, {
      method: "PUT",
      headers: {
        "content-type": "application/json",
        [consoleHeader.name]: consoleHeader.value,
        cookie,
      },
      body: JSON.stringify({ display_name: "Root of this test" }),
    });
    expect(await changed.json()).toMatchObject({ success: true });
    const [fresh] = changed.headers.getSetCookie();
    expect(fresh).toBe("fresh-reads=1; Max-Age=10; Path=/api; HttpOnly; SameSite=Lax");
    const before = await sources();
    await listed(`${cookie}; fresh-reads=1`);
    expect(await sources()).toEqual(before);
  });

  test("a standby that falls behind authenticates no client, and after five seconds is not asked for lists either", {
    tags: ["large"],
  }, async () => {
    const { id, key } = await direct.given.token();
    expect(await ask(key)).toBe(200);
    await standby.pause();
    try {
      await (await direct.root()).call(deleteToken, { params: { id } });
      await eventually(async () => expect(await ask(key)).toBe(401));
      const session = await signInSession(sendTo(gateway.url), "root", rootPassword);
      const ended = sessionCookieOf(session);
      await session.call(logout);
      await expect(listed(ended)).rejects.toThrow("the log was not listed");
      await eventually(() =>
        expect(gateway.output()).toContain("the standby is more than 5 s behind"),
      );
      const before = await sources();
      expect(await listed()).toBeGreaterThan(0);
      const after = await sources();
      expect(after.standby).toBe(before.standby);
      expect(after.primary).toBeGreaterThan(before.primary);
    } finally {
      await standby.resume();
    }
  });

  test("without the standby, the primary answers", { tags: ["large"] }, async () => {
    const before = await listed();
    await standby.stop();
    expect(await listed()).toBe(before);
    expect((await requestSignIn(gateway.url, "root", rootPassword)).body).toMatchObject({
      success: true,
    });
    expect((await sources()).primary).toBeGreaterThan(0);
  });
});
