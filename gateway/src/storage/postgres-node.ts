/** Each process leases the lowest free node number of the database for its lifetime. */
import { randomUUID } from "node:crypto";
import { setTimeout as wait } from "node:timers/promises";
import type pg from "pg";
import { StorageUnavailable } from "./database.ts";
import { nodesMax } from "./time-ids.ts";

const leaseMs = 60_000;
const renewMs = 15_000;
const claimAttemptsMax = 10;

/** The database's clock, so that nodes with different clocks agree on which leases are valid. */
const databaseNowMs = "(extract(epoch from clock_timestamp()) * 1000)::bigint";

export interface NodeLease {
  node: number;
  stop(): Promise<void>;
}

/** `onLost` is called when another process may have taken the number: two processes must never mint the same ids. */
export async function leaseNode(
  pool: pg.Pool,
  onError: (error: Error) => void,
  onLost: (error: Error) => void,
): Promise<NodeLease> {
  const owner = randomUUID();
  const node = await claimNode(pool, owner);

  async function renew(): Promise<void> {
    const { rowCount } = await pool.query(
      `update nodes set lease_until = ${databaseNowMs} + $3 where node = $1 and owner = $2`,
      [node, owner, leaseMs],
    );
    if (rowCount === 0) onLost(new Error(`the lease of node ${node} was lost`));
  }
  const timer = setInterval(() => void renew().catch(onError), renewMs);
  timer.unref();
  return {
    node,
    async stop() {
      clearInterval(timer);
      await pool.query("delete from nodes where node = $1 and owner = $2", [node, owner]).catch(onError);
    },
  };
}

async function claimNode(pool: pg.Pool, owner: string): Promise<number> {
  for (let attempt = 1; attempt <= claimAttemptsMax; attempt += 1) {
    const { rows } = await pool.query<{ node: number }>(
      `insert into nodes (node, owner, lease_until)
       select free.node, $1, ${databaseNowMs} + $2
       from generate_series(0, ${nodesMax - 1}) as free (node)
       left join nodes on nodes.node = free.node
       where nodes.node is null or nodes.lease_until < ${databaseNowMs}
       order by free.node limit 1
       on conflict (node) do update set owner = excluded.owner, lease_until = excluded.lease_until
       where nodes.lease_until < ${databaseNowMs}
       returning node`,
      [owner, leaseMs],
    );
    if (rows[0]) return rows[0].node;
    // Another process that started at the same moment took the number; the next one is free.
    await wait(20 * attempt);
  }
  throw new StorageUnavailable(`all ${nodesMax} node numbers of this database are in use`);
}
