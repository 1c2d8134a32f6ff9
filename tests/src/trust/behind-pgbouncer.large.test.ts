// A gateway whose PostgreSQL is behind a connection pooler in transaction mode, beside one that
// reaches it directly.
import { updateOption } from "@tollgate/contract/site/options.ts";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { readReply } from "../harness/api-session.ts";
import { eventually } from "../harness/eventually.ts";
import { databaseKinds } from "../harness/gateway-database.ts";
import { type GatewayProcess, startGatewayProcess } from "../harness/gateway-process.ts";
import {
  type PgbouncerServer,
  pgbouncerAvailable,
  startPgbouncer,
} from "../harness/pgbouncer-server.ts";
import {
  chatBody,
  defaultCharge,
  startTestGateway,
  type TestGateway,
} from "../harness/test-gateway.ts";

const possible = pgbouncerAvailable();
const reason = possible.available ? "" : ` (${possible.reason})`;

describe.skipIf(!possible.available || !databaseKinds.includes("postgres"))(
  `behind PgBouncer${reason}`,
  () => {
    let direct: TestGateway;
    let pooler: PgbouncerServer;
    let key: string;

    beforeAll(async () => {
      direct = await startTestGateway({ store: "postgres" });
      pooler = await startPgbouncer(direct.databaseUrl ?? "");
      await direct.given.channel({ key: "sim-ok" });
      ({ key } = await direct.given.token());
    });
    afterAll(async () => {
      await pooler.stop();
      await direct.close();
    });

    const startBehind = (url: string, env: Record<string, string> = {}): Promise<GatewayProcess> =>
      startGatewayProcess({
        dataDir: direct.dataDir,
        databaseUrl: url,
        upstreams: [direct.simulator.url],
        env,
      });

    const ask = (gateway: GatewayProcess) =>
      fetch(`${gateway.url}/v1/chat/completions`, {
        method: "POST",
        headers: { authorization: `Bearer ${key}`, "content-type": "application/json" },
        body: JSON.stringify(chatBody({ max_tokens: 12 })),
      });

    test.each([
      ["with the direct address", true],
      ["without it", false],
    ])(
      "%s, 200 calls at once are charged once each, and settings of other nodes arrive",
      async (_, hasDirectUrl) => {
        const gateway = await startBehind(pooler.url, {
          DATABASE_POOLER: "transaction",
          ...(hasDirectUrl && { DATABASE_DIRECT_URL: direct.databaseUrl ?? "" }),
        });
        try {
          expect(gateway.output().includes("DATABASE_DIRECT_URL is not set")).toBe(!hasDirectUrl);
          const before = await direct.settled();
          const replies = await Promise.all(Array.from({ length: 200 }, () => ask(gateway)));
          expect(replies.map(({ status }) => status)).toEqual(replies.map(() => 200));
          for (const reply of replies) await reply.text();
          expect(await direct.settled()).toMatchObject({
            charged: before.charged + 200 * defaultCharge,
            rows: before.rows + 200,
            held: 0,
          });
          const name = `behind ${hasDirectUrl}`;
          await (await direct.root()).call(updateOption, {
            body: { key: "SystemName", value: name },
          });
          await eventually(async () => {
            const { body } = await readReply(await fetch(`${gateway.url}/api/status`));
            expect(body).toMatchObject({ data: { system_name: name } });
          });
        } finally {
          await gateway.stop();
        }
      },
    );

    test("a start that is not told of the pooler ends with what to set, also where the pooler hides itself", async () => {
      const hiding = await startPgbouncer(direct.databaseUrl ?? "", ["statement_timeout"]);
      try {
        for (const { url } of [pooler, hiding]) {
          await expect(startBehind(url)).rejects.toThrow(
            "set DATABASE_POOLER=transaction, and DATABASE_DIRECT_URL",
          );
        }
      } finally {
        await hiding.stop();
      }
    });
  },
);
