// The same site in PostgreSQL as in SQLite: what is read of it must be the same.

import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createDatabase, dropDatabase } from "@tollgate/tests/harness/postgres-cluster.ts";
import {
  awkwardRows,
  createFamilyDatabase,
  type FamilySystem,
  familyStatements,
} from "@tollgate/tests/support/family-database.ts";
import { runImport } from "@tollgate/tests/support/import-command.ts";
import { readSite } from "@tollgate/tests/support/read-site.ts";
import { testDatabases } from "@tollgate/tests/support/test-databases.ts";
import pg from "pg";
import { describe, expect, test } from "vitest";
import { migratePostgres, SchemaError } from "../../storage/migrate.ts";
import { openSource } from "./sources/open-source.ts";

async function createPostgresSite(
  system: FamilySystem,
  rows = awkwardRows(system),
): Promise<string> {
  const url = await createDatabase();
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  for (const [sql, values] of familyStatements(system, "postgres", rows))
    await client.query(sql, [...values]);
  await client.end();
  return url;
}

describe.skipIf(!process.env.TEST_POSTGRES_URL)("a source in PostgreSQL", () => {
  test.each<FamilySystem>(["one-api", "laisky-one-api", "new-api"])(
    "of %s is read as its SQLite file",
    async (system) => {
      const folder = mkdtempSync(join(tmpdir(), "tollgate-site-"));
      const rows = awkwardRows(system);
      const url = await createPostgresSite(system, rows);
      try {
        const file = join(folder, "one-api.db");
        createFamilyDatabase(file, system, rows);
        expect(await readSite(await openSource(url))).toEqual(
          await readSite(await openSource(file)),
        );
      } finally {
        await dropDatabase(url);
        rmSync(folder, { recursive: true });
      }
    },
  );

  test.each<FamilySystem>(["one-api", "new-api"])(
    "of %s is carried whole, compares equal, and is carried again without a change",
    async (system) => {
      const url = await createPostgresSite(system);
      const target = await testDatabases[0]?.open();
      if (!target) throw new Error("there is no database to import into");
      const run = async (...args: string[]) =>
        (await runImport(target.db, args, { source: url })).lines;
      try {
        expect(await run()).toContain("The books agree.");
        expect((await run("verify")).at(-1)).toMatch(/^Compared: [1-9].* 0 differences\.$/);
        const again = (await run()).filter((line) => /^(user|token|channel|code):/.test(line));
        expect(again).toHaveLength(4);
        expect(again.join()).not.toMatch(/[1-9]\d* (carried|updated)/);
      } finally {
        await target.close();
        await dropDatabase(url);
      }
    },
  );

  test("cannot be written through, and views are not read", async () => {
    const url = await createPostgresSite("one-api");
    const client = new pg.Client({ connectionString: url });
    await client.connect();
    try {
      await client.query(`
        create function spy() returns bigint language plpgsql as $$ begin insert into options values ('spy', 'was here'); return 1; end $$;
        alter table redemptions rename to codes;
        create view redemptions as select spy() as id;
        alter table tokens add column name2 text`);
      const source = await openSource(url);
      expect(await source.columns("redemptions")).toEqual(new Set());
      await expect(
        source.page({
          table: "redemptions",
          columns: ["id"],
          key: "id",
          after: undefined,
          limit: 1,
        }),
      ).rejects.toThrow(/read-only transaction/);
      await source.close();
      expect((await client.query("select key from options where key = 'spy'")).rows).toEqual([]);
    } finally {
      await client.end();
      await dropDatabase(url);
    }
  });

  test("is refused as Tollgate's own database, and nothing is created in it", async () => {
    const url = await createPostgresSite("one-api");
    const client = new pg.Client({ connectionString: url });
    await client.connect();
    try {
      await expect(migratePostgres(client)).rejects.toThrow(SchemaError);
      expect((await client.query("select to_regclass('migrations') as found")).rows).toEqual([
        { found: null },
      ]);
    } finally {
      await client.end();
      await dropDatabase(url);
    }
  });

  test("that cannot be reached is refused without its password", async () => {
    const url = "postgres://someone:s3cret-password@127.0.0.1:1/site";
    await expect(openSource(url)).rejects.toThrow(
      /PostgreSQL at 127\.0\.0\.1:1\/site cannot be read/,
    );
    await expect(openSource(url)).rejects.not.toThrow(/s3cret/);
  });
});
