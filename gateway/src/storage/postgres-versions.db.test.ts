import { type AddressInfo, createServer, type Server, type Socket } from "node:net";
import { createMigratedDatabase } from "@tollgate/tests/harness/database-templates.ts";
import { freePort } from "@tollgate/tests/harness/free-port.ts";
import { dropDatabase, runSql } from "@tollgate/tests/harness/postgres-cluster.ts";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import type { Database } from "./database.ts";
import { openPostgres } from "./postgres-database.ts";

describe.runIf(process.env.TEST_POSTGRES_URL)("a change on another node", () => {
  let databaseUrl: string;
  let node: Database | undefined;
  const errors: Error[] = [];
  beforeEach(async () => {
    errors.length = 0;
    databaseUrl = await createMigratedDatabase();
  });
  afterEach(async () => {
    await node?.close();
    await dropDatabase(databaseUrl);
  });

  async function openNode(listenUrl?: string): Promise<Database> {
    node = await openPostgres(
      { databaseUrl, listenUrl },
      (error) => errors.push(error),
      (error) => errors.push(error),
    );
    return node;
  }

  const change = () =>
    runSql(databaseUrl, "update versions set version = version + 1 where topic = 'options'");

  test("is told again where a listener failed", async () => {
    const db = await openNode();
    const told: string[] = [];
    db.onChange("options", async () => {
      told.push("options");
      if (told.length === 1) throw new Error("the rows could not be read");
    });
    await change();
    await expect.poll(() => told).toEqual(["options", "options"]);
    expect(errors.map(({ message }) => message)).toEqual(["the rows could not be read"]);
  });

  test("is noticed where no connection to listen on is accepted", async () => {
    const db = await openNode(`postgres://postgres@127.0.0.1:${await freePort()}/postgres`);
    let told = 0;
    db.onChange("options", () => {
      told += 1;
    });
    await expect.poll(() => errors.length).toBeGreaterThan(0);
    await change();
    await expect.poll(() => told).toBe(1);
  });

  describe("where the server to listen on is silent", () => {
    const open = new Set<Socket>();
    let silent: Server;
    beforeEach(async () => {
      silent = createServer((socket) => open.add(socket.on("error", () => undefined)));
      await new Promise<void>((resolve) => silent.listen(0, "127.0.0.1", resolve));
    });
    afterEach(() => {
      for (const socket of open) socket.destroy();
      silent.close();
    });

    test("is noticed", async () => {
      const { port } = silent.address() as AddressInfo;
      const db = await openNode(`postgres://postgres@127.0.0.1:${port}/postgres`);
      let told = 0;
      db.onChange("options", () => {
        told += 1;
      });
      await expect.poll(() => open.size).toBeGreaterThan(0);
      await change();
      await expect.poll(() => told).toBe(1);
    });
  });
});
