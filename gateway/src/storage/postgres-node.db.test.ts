import type pg from "pg";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { createMigratedDatabase } from "../../../tests/src/harness/database-templates.ts";
import { dropDatabase } from "../../../tests/src/harness/postgres-cluster.ts";
import { openPool } from "./postgres-connections.ts";
import { leaseNode, type NodeLease } from "./postgres-node.ts";
import { nodesMax } from "./time-ids.ts";

describe.runIf(process.env.TEST_POSTGRES_URL)("node numbers", () => {
  let databaseUrl: string;
  let pool: pg.Pool;
  const errors: Error[] = [];
  const leases: NodeLease[] = [];

  beforeEach(async () => {
    errors.length = 0;
    databaseUrl = await createMigratedDatabase();
    pool = openPool({ databaseUrl }, () => undefined);
  });
  afterEach(async () => {
    for (const { stop } of leases.splice(0)) await stop();
    await pool.end();
    await dropDatabase(databaseUrl);
  });

  const failOnLoss = (error: Error) => {
    throw error;
  };
  const lease = async () => {
    const taken = await leaseNode(pool, (error) => errors.push(error), failOnLoss);
    leases.push(taken);
    return taken;
  };

  test("starts at the same moment get a number each", async () => {
    await Promise.all(Array.from({ length: 8 }, lease));
    expect(leases.map(({ node }) => node).sort((a, b) => a - b)).toEqual([0, 1, 2, 3, 4, 5, 6, 7]);
    expect(errors).toEqual([]);
  });

  test("the number of a process that died is free within 30 seconds, and not before its lease ends", async () => {
    expect((await lease()).node).toBe(0);
    const [dead] = (
      await pool.query("select lease_until - extract(epoch from now()) * 1000 as rest from nodes")
    ).rows;
    expect(Number(dead.rest)).toBeGreaterThan(0);
    expect(Number(dead.rest)).toBeLessThanOrEqual(30_000);
    const next = await lease();
    expect(next.node).toBe(1);
    await pool.query("update nodes set lease_until = 0 where node = 0");
    expect((await lease()).node).toBe(0);
  });

  test("a start that finds all in use says so, waits, and takes the first that is given back", async () => {
    for (let count = 0; count < nodesMax; count += 1) await lease();
    const late = lease();
    await expect
      .poll(() => errors.map(({ message }) => message), { timeout: 15_000 })
      .toEqual([expect.stringContaining("All 16 node numbers of this database are in use")]);
    await leases[5]?.stop();
    expect((await late).node).toBe(5);
  });
});
