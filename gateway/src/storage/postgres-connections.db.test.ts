import { type AddressInfo, connect, createServer } from "node:net";
import { createMigratedDatabase } from "@tollgate/tests/harness/database-templates.ts";
import { dropDatabase, runSql } from "@tollgate/tests/harness/postgres-cluster.ts";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type Database, StorageUnavailable } from "./database.ts";
import { openConnection } from "./postgres-connections.ts";
import { openPostgres } from "./postgres-database.ts";

const ignored = () => undefined;

const put = (db: Database, key: string) => ({
  query: db.sql.insertInto("options").values({ key, value: "", updated_at: 1 }),
  rows: 1,
});

/**
 * `endOfConnection` gives what a server sends before it ends a connection: an ErrorResponse of the
 * protocol, its fields ended by zero bytes.
 */
function endOfConnection(): Buffer {
  const fields = Buffer.from(
    "SFATAL\0VFATAL\0C57P01\0Mterminating connection due to administrator command\0\0",
  );
  const head = Buffer.alloc(5);
  head.write("E");
  head.writeUInt32BE(4 + fields.length, 1);
  return Buffer.concat([head, fields]);
}

/**
 * A proxy to the server. Once `endAfter` is set it ends the connection that is sent these bytes, in
 * the same packet. `silence` keeps all connections open of which nothing is heard any more; new
 * ones work.
 */
async function startEndingProxy(databaseUrl: string) {
  const target = new URL(databaseUrl);
  let silenced = 0;
  let accepted = 0;
  const proxy = {
    url: "",
    endAfter: undefined as string | undefined,
    ended: 0,
    silence: () => {
      silenced = accepted;
    },
    close: () => server.close(),
  };
  const server = createServer((near) => {
    accepted += 1;
    const number = accepted;
    const far = connect(Number(target.port), target.hostname);
    near.on("data", (chunk: Buffer) => number > silenced && far.write(chunk));
    far.on("data", (chunk: Buffer) => {
      if (number <= silenced) return false;
      if (proxy.endAfter === undefined || !chunk.includes(proxy.endAfter)) return near.write(chunk);
      proxy.endAfter = undefined;
      proxy.ended += 1;
      near.end(Buffer.concat([chunk, endOfConnection()]));
      return far.destroy();
    });
    near.on("error", ignored).on("close", () => far.destroy());
    far.on("error", ignored).on("close", () => near.destroy());
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const url = new URL(databaseUrl);
  url.hostname = "127.0.0.1";
  url.port = String((server.address() as AddressInfo).port);
  proxy.url = url.href;
  return proxy;
}

describe.runIf(process.env.TEST_POSTGRES_URL)(
  "a PostgreSQL server with few connections left",
  () => {
    const role = "of_few_connections";
    let databaseUrl: string;
    let db: Database;
    beforeAll(async () => {
      databaseUrl = await createMigratedDatabase();
      const owner = new URL(databaseUrl).username;
      await runSql(
        databaseUrl,
        `create role ${role} login connection limit 4; grant ${owner} to ${role}`,
      );
      const limited = new URL(databaseUrl);
      limited.username = role;
      db = await openPostgres({ databaseUrl: limited.href, connections: 12 }, ignored, ignored);
    });
    afterAll(async () => {
      await db.close();
      await dropDatabase(databaseUrl);
      await runSql(process.env.TEST_POSTGRES_URL ?? "", `drop role ${role}`);
    });

    test("writes wait for a connection that is given back instead of failing", async () => {
      const written = await Promise.allSettled(
        Array.from({ length: 24 }, (_, index) => db.write([put(db, `key-${index}`)])),
      );
      expect(written.filter(({ status }) => status === "rejected")).toEqual([]);
    });
  },
);

describe.runIf(process.env.TEST_POSTGRES_URL)(
  "a PostgreSQL server that ends a connection in use",
  () => {
    let databaseUrl: string;
    let proxy: Awaited<ReturnType<typeof startEndingProxy>>;
    beforeAll(async () => {
      databaseUrl = await createMigratedDatabase();
      proxy = await startEndingProxy(databaseUrl);
    });
    afterAll(async () => {
      proxy.close();
      await dropDatabase(databaseUrl);
    });

    // Vitest fails the run where an error reaches the process.
    test("between two statements of a transaction: the write fails, and the next one has a new connection", {
      tags: ["F-122"],
    }, async () => {
      const db = await openPostgres({ databaseUrl: proxy.url }, ignored, ignored);
      try {
        proxy.endAfter = "BEGIN\0";
        await expect(db.write([put(db, "lost")])).rejects.toBeInstanceOf(StorageUnavailable);
        expect(proxy.ended).toBe(1);
        await db.write([put(db, "kept")]);
        expect(
          await db.read(
            db.sql.selectFrom("options").select("key").where("key", "in", ["lost", "kept"]),
          ),
        ).toEqual([{ key: "kept" }]);
      } finally {
        await db.close();
      }
    });

    test("without a word, as at a loss of power: reads and writes fail, and the next ones have new connections", {
      tags: ["FT-28"],
    }, async () => {
      const db = await openPostgres({ databaseUrl: proxy.url, silenceMs: 2_000 }, ignored, ignored);
      const query = db.sql
        .selectFrom("options")
        .select("key")
        .where("key", "in", ["unheard", "heard"]);
      try {
        await Promise.all([db.read(query), db.read(query)]);
        proxy.silence();
        const unheard = await Promise.allSettled([db.read(query), db.write([put(db, "unheard")])]);
        expect(unheard.map((one) => one.status === "rejected" && one.reason)).toEqual([
          expect.any(StorageUnavailable),
          expect.any(StorageUnavailable),
        ]);
        await db.write([put(db, "heard")]);
        expect(await db.read(query)).toEqual([{ key: "heard" }]);
      } finally {
        await db.close();
      }
    });

    test("between two statements of a migration: the next statement fails", {
      tags: ["F-122"],
    }, async () => {
      const client = await openConnection(proxy.url, { isTimed: false });
      proxy.endAfter = "BEGIN\0";
      await client.query("begin");
      await expect(client.query("select 1")).rejects.toThrow(/terminat|not queryable/);
      await client.end();
    });
  },
);
