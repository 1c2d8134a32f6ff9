/**
 * A gateway whose users start tasks at a provider (batches, videos), and what these have done to
 * its books.
 */
import { expect } from "vitest";
import type { DatabaseKind } from "../harness/gateway-database.ts";
import { startTestGateway, type TestGateway } from "../harness/test-gateway.ts";

export interface TaskGatewayOptions<Client> {
  store: DatabaseKind;
  /** Of the channel, as the simulator knows it. */
  key: string;
  /** Its other fields. */
  channel: Record<string, unknown> & { models: string };
  /** `basePath` is what an official library adds to the gateway's address. */
  basePath: string;
  connect(connection: { baseURL: string; apiKey: string; maxRetries: 0 }): Client;
}

export type TaskGateway<Client extends { baseURL: string }> = Awaited<
  ReturnType<typeof startTaskGateway<Client>>
>;

/**
 * The clients of three users: ann's is for the model "m" alone, bob's for every model, and poor can
 * pay for nothing.
 */
export async function startTaskGateway<Client extends { baseURL: string }>(
  options: TaskGatewayOptions<Client>,
) {
  const { store, key, channel, basePath, connect } = options;
  const gateway = await startTestGateway({ store });
  await gateway.given.channel({ key, config: '{"may_report_false_usage":false}', ...channel });
  const keys = await createTaskUsers(gateway);
  const client = (apiKey: string) =>
    connect({ baseURL: gateway.url + basePath, apiKey, maxRetries: 0 });
  const clients = { ann: client(keys.ann), bob: client(keys.bob), poor: client(keys.poor) };
  return {
    gateway,
    ...clients,
    /** The amounts that are held. */
    async holds(): Promise<number[]> {
      const rows = await gateway.rows<{ amount: number }>("select amount from reservations");
      return rows.map(({ amount }) => Number(amount));
    },
    /** The sum of all charges. */
    charged: async (): Promise<number> => (await gateway.books()).charged,
    async lastRow(): Promise<Record<string, unknown> | undefined> {
      const [row] = await gateway.rows<Record<string, unknown>>(
        "select * from logs where type = 2 order by id desc limit 1",
      );
      return row;
    },
    /** The process dies, and another one goes on. */
    async kill(): Promise<void> {
      await gateway.restart("SIGKILL");
      for (const one of Object.values(clients)) one.baseURL = gateway.url + basePath;
    },
    async close(): Promise<void> {
      expect(await gateway.audit()).toBe("The books agree.");
      await gateway.close();
    },
  };
}

async function createTaskUsers({
  given,
}: TestGateway): Promise<{ ann: string; bob: string; poor: string }> {
  const [ann, bob, poor] = await Promise.all([
    given.user("ann", { quota: 100_000_000 }),
    given.user("bob", { quota: 100_000_000 }),
    given.user("poor", { quota: 100 }),
  ]);
  return {
    ann: (await ann.token({ models: "m" })).key,
    bob: (await bob.token()).key,
    poor: (await poor.token()).key,
  };
}
