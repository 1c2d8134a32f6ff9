/**
 * Nodes that follow tasks at a provider (batches, videos) over hours and crashes, with an account
 * that pays and the clock of the test.
 */
import { createEgress } from "@tollgate/gateway/egress/egress.ts";
import { openProviderStates } from "@tollgate/gateway/relay/provider-states/open-provider-states.ts";
import { createProviderStateStore } from "@tollgate/gateway/relay/provider-states/provider-state-store.ts";
import type { RelayChannel } from "@tollgate/gateway/relay/routing/channel-table.ts";
import { createProviderTokens } from "@tollgate/gateway/relay/upstream/provider-tokens.ts";
import type { Database } from "@tollgate/gateway/storage/database.ts";
import { openDatabase } from "@tollgate/gateway/storage/open-database.ts";
import { startSimulator } from "@tollgate/simulator/simulator.ts";
import { expect } from "vitest";
import { createTestAccount, holdOf } from "./money-fixtures.ts";
import { relayChannel } from "./relay-channel.ts";
import type { TestDatabase } from "./test-databases.ts";

const startingBalance = 10_000;

export type TaskNodes = Awaited<ReturnType<typeof openTaskNodes>>;

/** `key` is that of the channel, as the simulator knows it. */
export async function openTaskNodes(open: () => Promise<TestDatabase>, key: string) {
  const [{ db, config, close }, simulator] = await Promise.all([open(), startSimulator()]);
  const egress = createEgress(new Set([new URL(simulator.url).host]));
  const others: Database[] = [];
  const closeOthers = async () => {
    for (const other of others.splice(0)) await other.close();
  };
  const nodes = {
    db,
    simulator,
    /** The clock of all nodes. */
    now: 0,
    account: await createTestAccount(db, startingBalance, [null]),

    /**
     * Before each test: a new account, a provider that does as it should, the time of today, and no
     * connection of another node.
     */
    async reset(): Promise<void> {
      await closeOthers();
      nodes.account = await createTestAccount(db, startingBalance, [null]);
      simulator.script(key, {});
      nodes.now = Date.now();
    },

    /** `node` gives what a node works with, and the errors that it reports. */
    async node(on: Database, differences: Pick<RelayChannel, "urlsFor" | "provider">) {
      const keys = [{ index: 0, key, hint: "", status: 1 }] as const;
      const channel = relayChannel(nodes.account.channelId, {
        models: new Set(["m"]),
        key,
        keys,
        ...differences,
      });
      const errors: unknown[] = [];
      const now = () => nodes.now;
      const clock = { now, onError: (error: unknown) => void errors.push(error) };
      const states = await openProviderStates({
        db: on,
        store: createProviderStateStore(on),
        ...clock,
      });
      const deps = {
        ...clock,
        egress,
        providerTokens: createProviderTokens(egress, now),
        db: on,
        states,
        channels: { snapshot: { channels: [channel] } as never },
        metrics: { settled: () => undefined },
        onShortfall: () => undefined,
      };
      return { deps, states, errors, home: { channel, key: keys[0] } };
    },

    /** Another node's connection to the same database, which must be a server's. */
    async connect(): Promise<Database> {
      const other = await openDatabase(config, {
        onError: () => undefined,
        onFatal: () => undefined,
      });
      others.push(other);
      return other;
    },

    /** `snapshotOf` gives what the row of a call keeps of it from its start. */
    snapshotOf: (url: string) => ({
      username: "ann",
      token_name: "key",
      origin_model_name: "m",
      is_stream: false,
      url,
      method: "POST",
      body_size: 0,
      received_at: nodes.now,
    }),

    async hold(id: number, amount: number, snapshot: object): Promise<void> {
      const command = holdOf(nodes.account, id, amount, {
        leaseUntil: 0,
        snapshot: JSON.stringify(snapshot),
      });
      expect(await db.money(command)).toBe("held");
    },

    /** Balance and what is held. */
    async wallet(): Promise<[balance: number, held: number]> {
      const query = db.sql.selectFrom("wallets").select(["balance", "held"]);
      const [row] = await db.read(query.where("id", "=", nodes.account.walletId));
      return [Number(row?.balance), Number(row?.held)];
    },

    async close(): Promise<void> {
      await closeOthers();
      await egress.close();
      await simulator.close();
      await close();
    },
  };
  return nodes;
}
