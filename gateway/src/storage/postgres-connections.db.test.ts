import { createMigratedDatabase } from "@tollgate/tests/harness/database-templates.ts";
import { dropDatabase, runSql } from "@tollgate/tests/harness/postgres-cluster.ts";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { Database } from "./database.ts";
import { openPostgres } from "./postgres-database.ts";

describe.runIf(process.env.TEST_POSTGRES_URL)("a PostgreSQL server with few connections left", () => {
  const role = "of_few_connections";
  let databaseUrl: string;
  let db: Database;
  beforeAll(async () => {
    databaseUrl = await createMigratedDatabase();
    const owner = new URL(databaseUrl).username;
    await runSql(databaseUrl, `create role ${role} login connection limit 4; grant ${owner} to ${role}`);
    const limited = new URL(databaseUrl);
    limited.username = role;
    const ignored = () => undefined;
    db = await openPostgres({ databaseUrl: limited.href, connections: 12 }, ignored, ignored);
  });
  afterAll(async () => {
    await db.close();
    await dropDatabase(databaseUrl);
    await runSql(process.env.TEST_POSTGRES_URL ?? "", `drop role ${role}`);
  });

  test("writes wait for a connection that is given back instead of failing", async () => {
    const put = (key: string) => ({
      query: db.sql.insertInto("options").values({ key, value: "", updated_at: 1 }),
      rows: 1,
    });
    const written = await Promise.allSettled(Array.from({ length: 24 }, (_, index) => db.write([put(`key-${index}`)])));
    expect(written.filter(({ status }) => status === "rejected")).toEqual([]);
  });
});
