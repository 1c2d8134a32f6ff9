/** Each process leases the lowest free node number of the database for its lifetime. */
import { randomUUID } from "node:crypto";
import { setTimeout as wait } from "node:timers/promises";
import type pg from "pg";
import { StorageUnavailable } from "./database.ts";
import { nodesMax } from "./time-ids.ts";

/** The number of a process that died is free after this time. */
const leaseMs = 30_000;
const renewMs = 7_500;
/**
 * Processes that start at the same moment take the same lowest number; who comes late finds the
 * next one at once.
 */
const contestedAttemptsMax = 10;
const retryMs = 1_000;

/** The database's clock, so that nodes with different clocks agree on which leases are valid. */
const databaseNowMs = "(extract(epoch from clock_timestamp()) * 1000)::bigint";

const allInUse =
  `All ${nodesMax} node numbers of this database are in use. This start waits until another gateway process on it ends, ` +
  `or until the number of one that died is free again (${leaseMs / 1_000} seconds).`;

export interface NodeLease {
  node: number;
  /** Unique to this process. */
  owner: string;
  stop(): Promise<void>;
}

/**
 * Waits while all numbers are in use, and reports that once to `onError`. `onLost` is called when
 * another process may have taken the number: two processes must never mint the same ids.
 */
export async function leaseNode(
  pool: pg.Pool,
  onError: (error: Error) => void,
  onLost: (error: Error) => void,
): Promise<NodeLease> {
  const owner = randomUUID();
  const node = await claimNode(pool, owner, onError);

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
    owner,
    async stop() {
      clearInterval(timer);
      await pool
        .query("delete from nodes where node = $1 and owner = $2", [node, owner])
        .catch(onError);
    },
  };
}

async function claimNode(
  pool: pg.Pool,
  owner: string,
  onError: (error: Error) => void,
): Promise<number> {
  for (let attempt = 1; ; attempt += 1) {
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
    if (attempt === contestedAttemptsMax) onError(new StorageUnavailable(allInUse));
    await wait(attempt < contestedAttemptsMax ? 20 * attempt : retryMs);
  }
}
