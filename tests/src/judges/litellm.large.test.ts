// The import from the tables that LiteLLM's own migrations make, as its newest package has them:
// moved in, moved in again after deletions, and compared each time.

import { auditBooks } from "@tollgate/gateway/money/audit/audit.ts";
import { afterEach, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { dropDatabase } from "../harness/postgres-cluster.ts";
import { runImport } from "../support/import-command.ts";
import {
  awkwardLitellmRows,
  createLitellmDatabase,
  hashOfLitellmKey,
  litellmEnvironment,
  litellmKeys,
  withLitellm,
} from "../support/litellm-database.ts";
import { rawRows } from "../support/raw-rows.ts";
import { ruleDatabases, type TestDatabase } from "../support/test-databases.ts";
import { litellmMigrationsAvailable, readLitellmMigrations } from "./judge-programs.ts";

const possible = litellmMigrationsAvailable();
const reason = possible.available ? "" : ` (${possible.reason})`;
/** Channels are read whole where no variable is missing. */
const environment = { ...litellmEnvironment, NOT_SET_ANYWHERE: "provider-key-of-other" };
const installTimeoutMs = 600_000;

interface StoredColumn {
  table: string;
  name: string;
  type: string;
}

const readColumns = async (url: string): Promise<StoredColumn[]> => {
  let columns: StoredColumn[] = [];
  await withLitellm(url, async (client) => {
    const found = await client.query<StoredColumn>(
      `select table_name as table, column_name as name, data_type as type
        from information_schema.columns where table_schema = 'public' order by 1, 2`,
    );
    columns = found.rows;
  });
  return columns;
};

describe.skipIf(!possible.available || !process.env.TEST_POSTGRES_URL)(
  `the tables of LiteLLM's migrations${reason}`,
  () => {
    let migrations: string[];
    let source: string;
    beforeAll(async () => {
      migrations = await readLitellmMigrations();
    }, installTimeoutMs);
    beforeEach(async () => {
      source = await createLitellmDatabase(awkwardLitellmRows(), migrations);
    });
    afterEach(() => dropDatabase(source));

    test("have the columns that our tests of the import write, of the same types", async () => {
      const ours = await createLitellmDatabase({});
      try {
        const theirs = new Map(
          (await readColumns(source)).map(({ table, name, type }) => [`${table}.${name}`, type]),
        );
        const columns = await readColumns(ours);
        expect(columns.length).toBeGreaterThan(100);
        const others = columns
          .map(({ table, name, type }) => [`${table}.${name}`, type] as const)
          .filter(([name, type]) => theirs.get(name) !== type)
          .map(([name, type]) => `${name}: ${type} here, ${theirs.get(name)} there`);
        expect(others).toEqual([]);
      } finally {
        await dropDatabase(ours);
      }
    });

    test.each(ruleDatabases)(
      "are moved into $name, twice, with deletions between",
      async ({ open }) => {
        const target: TestDatabase = await open();
        try {
          const run = async (...args: string[]) =>
            (await runImport(target.db, args, { source, environment })).lines;
          const statusOf = async (name: string) =>
            (
              await rawRows<{ status: number }>(
                target.db,
                `select status from tokens where name = '${name}'`,
              )
            )[0]?.status;
          expect(await run("--all")).toContain("The books agree.");
          expect((await run("verify")).at(-1)).toMatch(/ 0 differences\.$/);
          expect(await statusOf("limited")).toBe(1);

          await withLitellm(source, (client) =>
            client.query(
              `delete from "LiteLLM_VerificationToken" where token = '${hashOfLitellmKey(litellmKeys.limited)}';
             delete from "LiteLLM_ProxyModelTable" where model_id = 'm1'`,
            ),
          );
          expect((await run("verify")).at(-1)).toMatch(/ 2 differences\.$/);
          const later = await run("--all");
          expect(later).toContain("The books agree.");
          expect(later.filter((line) => line.includes("is disabled here"))).toHaveLength(2);
          expect(await statusOf("limited")).toBe(2);
          expect((await run("verify")).at(-1)).toMatch(/ 0 differences\.$/);
          expect(await auditBooks(target.db)).toEqual([]);
        } finally {
          await target.close();
        }
      },
    );
  },
);
