// A database of the last schema before version 0.1.0, with data in every table, opens with this
// program.

import { DatabaseSync } from "node:sqlite";
import { readDecrypted } from "@tollgate/tests/support/encrypted-fixtures.ts";
import { createTestAccount, holdOf, settleOf } from "@tollgate/tests/support/money-fixtures.ts";
import {
  createOldDatabase,
  inPostgres,
  type OldDatabase,
  oldMasterKey,
} from "@tollgate/tests/support/old-databases.ts";
import {
  openDatabaseReader,
  type TestDatabase,
  testDatabases,
} from "@tollgate/tests/support/test-databases.ts";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { auditBooks } from "../money/audit/audit.ts";
import { createSealer } from "../secrets/seal.ts";
import { checkTrail } from "./audit-chain.ts";
import type { Database } from "./database.ts";
import { readChecksum, SchemaError } from "./migrate.ts";
import { migrations } from "./migration-list.ts";
import { openDatabase, readSqliteFile } from "./open-database.ts";

const watch = {
  onError: () => undefined,
  onFatal: (error: Error) => {
    throw error;
  },
};
type Contents = (readonly [table: string, rows: Record<string, unknown>[]])[];

describe.each(testDatabases)(
  "a database of the last schema before 0.1.0 on $name",
  ({ name, open }) => {
    const dialect = name === "sqlite" ? "sqlite" : "postgres";
    let old: OldDatabase;
    beforeEach(async () => {
      old = await createOldDatabase(name);
    });
    afterEach(() => old.remove());

    const rows = async <Row>(text: string): Promise<Row[]> => {
      const reader = await openDatabaseReader(old.config);
      try {
        return await reader.rows<Row>(text);
      } finally {
        await reader.close();
      }
    };
    const change = async (text: string): Promise<void> => {
      const { databaseUrl } = old.config;
      if (databaseUrl) await inPostgres(databaseUrl, (client) => client.query(text));
      else {
        const db = new DatabaseSync(readSqliteFile(old.config.dataDir));
        db.exec(text);
        db.close();
      }
    };
    const opened = async <Result>(work: (db: Database) => Promise<Result>): Promise<Result> => {
      const db = await openDatabase(old.config, watch);
      try {
        return await work(db);
      } finally {
        await db.close();
      }
    };
    const tables = Object.keys(tableOrder);
    const contents = (): Promise<Contents> =>
      Promise.all(
        tables.map(
          async (table) =>
            [table, await rows(`select * from ${table} order by ${tableOrder[table]}`)] as const,
        ),
      );

    /**
     * Later migrations may add columns and rows of their own, and drop what nothing reads any more.
     */
    const dropped: readonly string[] = ["key_host"];
    const onlyColumnsOf = (after: Contents, before: Contents): Contents =>
      before.map(([table, found], at) => [
        table,
        found.map((row) => {
          const keys = tableOrder[table]?.split(", ") ?? [];
          const kept = after[at]?.[1].find((one) => keys.every((key) => one[key] === row[key]));
          const columns = Object.entries(row).map(([name, value]) => [
            name,
            dropped.includes(name) ? value : kept?.[name],
          ]);
          return Object.fromEntries(columns);
        }),
      ]);

    test("is taken over by one record and upgraded; no row changes", {
      tags: ["F-126"],
    }, async () => {
      const before = await contents();
      expect(before.filter(([, found]) => found.length === 0)).toEqual([]);
      await opened(async () => undefined);
      expect(await rows("select id, name, checksum from migrations order by id")).toEqual(
        migrations.map((migration) => ({
          id: migration.id,
          name: migration.name,
          checksum: readChecksum(migration[dialect]),
        })),
      );
      expect(onlyColumnsOf(await contents(), before)).toEqual(before);
      // Clients hold ids of providers from before: they are let through for a while.
      const [grace] = await rows<{ due_at: number }>(
        "select due_at from chores where name = 'unknown state allowed'",
      );
      expect(Number(grace?.due_at)).toBeGreaterThan(Date.now() + 29 * 24 * 3_600_000);
      // The next start finds nothing to do.
      const records = await rows("select * from migrations");
      await opened(async () => undefined);
      expect(await rows("select * from migrations")).toEqual(records);
    });

    test("keeps its books, its record of changes and its sealed values, and goes on with them", async () => {
      await opened(async (db) => {
        expect(await auditBooks(db)).toEqual([]);
        expect(await checkTrail(db)).toMatchObject({ entries: 2 });
        expect(Object.keys(await readDecrypted(db, createSealer(oldMasterKey)))).toHaveLength(17);
        const account = await createTestAccount(db, 1_000, [500]);
        const id = db.mintId();
        await db.money(holdOf(account, id, 100));
        expect(await db.money(settleOf(account, id, 60))).toBe("settled");
        expect(await auditBooks(db)).toEqual([]);
      });
    });

    test.each([
      ["with fewer migrations", "delete from migrations where id = 12"],
      ["with another checksum", "update migrations set checksum = 'other' where id = 7"],
      ["with a gap", "delete from migrations where id = 3"],
    ])("%s is refused, says what to do and stays as it is", async (_, edit) => {
      await change(edit);
      const records = await rows("select * from migrations order by id");
      const refusal = await openDatabase(old.config, watch).catch((error: unknown) => error);
      expect(refusal).toBeInstanceOf(SchemaError);
      expect(String(refusal)).toMatch(/last version before 0\.1\.0/);
      expect(await rows("select * from migrations order by id")).toEqual(records);
    });

    test("has, object by object, the schema of a new one", async () => {
      await opened(async () => undefined);
      const fresh: TestDatabase = await open();
      try {
        const shapeOf = async (config: OldDatabase["config"]) => {
          const reader = await openDatabaseReader(config);
          try {
            const found = await reader.rows<{ object: string }>(shapeQuery[dialect]);
            return found.map(({ object }) => withoutLayout(object)).sort();
          } finally {
            await reader.close();
          }
        };
        const expected = await shapeOf(old.config);
        expect(expected.length).toBeGreaterThan(50);
        expect(await shapeOf(fresh.config)).toEqual(expected);
      } finally {
        await fresh.close();
      }
    });
  },
);

/** Neither white space nor comments are part of an object. */
const withoutLayout = (text: string): string =>
  text.replaceAll(/--.*$/gm, "").replaceAll(/\s+/g, "");

/** Partitions of months are made at run time, so no schema holds them. */
const month = "'^(logs|traces)_[0-9]{6}'";
const shapeQuery = {
  sqlite:
    "select type || ' ' || name || ' on ' || tbl_name || ': ' || coalesce(sql, '') as object from sqlite_master",
  postgres: `
    select format('column %s %s %s %s %s %s %s', c.relname, row_number() over (partition by c.oid order by a.attnum),
      a.attname, format_type(a.atttypid, a.atttypmod), a.attnotnull, a.attidentity, pg_get_expr(d.adbin, d.adrelid)) as object
    from pg_attribute a join pg_class c on c.oid = a.attrelid
    left join pg_attrdef d on d.adrelid = c.oid and d.adnum = a.attnum
    where c.relnamespace = 'public'::regnamespace and c.relkind in ('r', 'p') and a.attnum > 0 and not a.attisdropped
      and c.relname !~ ${month}
    union all
    select format('relation %s %s %s %s', relname, relkind, pg_get_partkeydef(oid), pg_get_expr(relpartbound, oid))
    from pg_class where relnamespace = 'public'::regnamespace and relname !~ ${month}
    union all
    select format('constraint %s %s %s', conrelid::regclass, conname, pg_get_constraintdef(oid))
    from pg_constraint where connamespace = 'public'::regnamespace and conrelid::regclass::text !~ ${month}
    union all
    select format('index %s', indexdef) from pg_indexes where schemaname = 'public' and tablename !~ ${month}
    union all
    select format('function %s', pg_get_functiondef(oid)) from pg_proc where pronamespace = 'public'::regnamespace
    union all
    select format('sequence %s %s', relname, pg_get_serial_sequence(relname, 'id')) from pg_class
    where relnamespace = 'public'::regnamespace and relname in ('users', 'wallets', 'tokens', 'channels', 'redemptions', 'audit_entries')`,
} as const;

/** Every table with data, and what orders its rows. */
const tableOrder: Readonly<Record<string, string>> = {
  users: "id",
  wallets: "id",
  ledger: "billing_id, kind",
  reservations: "id",
  redemptions: "id",
  low_balance_notices: "wallet_id",
  welcomed_addresses: "address_hash",
  tokens: "id",
  channels: "id",
  channel_keys: "channel_uuid, place",
  channel_jobs: "kind",
  channel_job_results: "job_id",
  prices: "model_name",
  sessions: "id_hash",
  second_factors: "user_id",
  recovery_codes: "code_hash",
  invitation_codes: "user_id",
  mail_codes: "email",
  external_accounts: "external_id",
  oauth_states: "state_hash",
  sign_in_failures: "account_hash",
  logs: "id",
  traces: "id",
  options: "key",
  audit_entries: "id",
  idempotency_keys: "key",
  held_responses: "response_id",
  versions: "topic",
  chores: "name",
};
