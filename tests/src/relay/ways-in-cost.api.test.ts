// What ways to sign in and management keys cost the calls of clients: the statements of a call,
// with all of them off and on.
import { createManagementKey } from "@tollgate/contract/accounts/management-keys.ts";
import { expect, test } from "vitest";
import { rootPassword } from "../harness/database-templates.ts";
import { freePort } from "../harness/free-port.ts";
import { databaseKinds } from "../harness/gateway-database.ts";
import {
  startTestGateway,
  type TestGateway,
  type TestGatewayOptions,
} from "../harness/test-gateway.ts";
import { readPrometheusText } from "../support/prometheus-text.ts";
import { describeVariants } from "../support/variants.ts";

const token = "a-token-for-prometheus";
/** So many that what the clock of the node asks meanwhile is less than half a statement of each. */
const calls = 300;
const verbs = ["read", "write", "hold", "settle"] as const;

/** Everything that an operator can switch on without another server. */
const waysIn = {
  TRUSTED_PROXIES: "10.1.0.0/16",
  TRUSTED_SIGN_IN_HEADER: "remote-user",
  TRUSTED_SIGN_IN_SECRET_HEADER: "x-proxy-secret",
  TRUSTED_SIGN_IN_SECRET: "only-the-proxy-knows-this",
};
const settings = {
  GitHubClientId: "id",
  GitHubClientSecret: "secret",
  GitHubOAuthEnabled: "true",
  ProofOfWorkBits: "20",
  TokenKeyProofEnabled: "true",
  KeyNetworksThreshold: "1",
};

describeVariants(databaseKinds)("on %s", (store) => {
  /** Statements of each verb for a call, rounded. */
  async function statementsOf(
    env: TestGatewayOptions["env"],
    prepare: (gateway: TestGateway, id: number) => Promise<void>,
  ) {
    const port = await freePort();
    const gateway = await startTestGateway({
      store,
      env: { METRICS_PORT: String(port), METRICS_TOKEN: token, ...env },
    });
    try {
      const counts = async () => {
        const { sum } = readPrometheusText(
          await (await fetch(`http://127.0.0.1:${port}/metrics`)).text(),
        );
        return verbs.map((verb) => sum("tollgate_db_duration_seconds_count", { verb }));
      };
      await gateway.given.channel({ key: "sim-ok" });
      const { key, id } = await gateway.given.token();
      await prepare(gateway, id);
      // The first call of a key reads its row.
      await gateway.chat(key);
      await gateway.settled();
      const before = await counts();
      for (let done = 0; done < calls; done += 10)
        await Promise.all(
          Array.from({ length: 10 }, async () =>
            expect((await gateway.chat(key)).status).toBe(200),
          ),
        );
      await gateway.settled();
      return (await counts()).map((count, index) =>
        Math.round((count - (before[index] ?? 0)) / calls),
      );
    } finally {
      await gateway.close();
    }
  }

  test("a call asks the database as often with every way in switched on, an old key and management keys", {
    timeout: 180_000,
  }, async () => {
    const off = await statementsOf({}, async () => undefined);
    const on = await statementsOf(waysIn, async (gateway, id) => {
      for (const [key, value] of Object.entries(settings))
        await gateway.api("PUT", "/api/option/", { key, value });
      const { call } = await gateway.signIn("root", rootPassword);
      for (const name of ["one", "two", "three"])
        await call(createManagementKey, {
          body: { name, scopes: ["logs:read"], lifetime_days: 1 },
        });
      // The calls come with the key that the token had before.
      await gateway.api("POST", "/api/token/rotate", { id, overlap_seconds: 3_600 });
    });
    // On SQLite a hold stays in memory or reaches the file, by how busy the node is.
    const [reads, writes, holds, settles] = on;
    expect([reads, writes, settles]).toEqual([off[0], off[1], off[3]]);
    expect([reads, settles]).toEqual([0, 1]);
    expect(Math.max(holds ?? Number.NaN, off[2] ?? Number.NaN)).toBeLessThanOrEqual(1);
  });
});
