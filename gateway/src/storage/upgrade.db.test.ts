// Schema 1 with data in it becomes the newest one: what was there stays, and what is new works on it.
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { logRow } from "@tollgate/tests/support/money-fixtures.ts";
import { testDatabases } from "@tollgate/tests/support/test-databases.ts";
import pg from "pg";
import { describe, expect, test } from "vitest";
import { auditBooks } from "../money/audit.ts";
import { migratePostgres, migrateSqlite, migrations } from "./migrate.ts";
import { openDatabase, sqliteFile } from "./open-database.ts";
import { configureSqlite } from "./sqlite-connection.ts";

const firstSchema = migrations.slice(0, 1);
const watch = {
  onTrouble: () => undefined,
  onDeath: (error: Error) => {
    throw error;
  },
};

/** A wallet that was granted 500 and charged 40, its owner, and the row of that call. */
const data = `
insert into wallets (uuid, balance, held, created_at) values ('w', 460, 0, 1);
insert into users (uuid, username, display_name, email, password_hash, role, status, "group", wallet_id, used_quota,
  request_count, must_change_password, access_token_hash, created_at, updated_at)
values ('u', 'mira', 'Mira', '', 'h', 1, 1, 'default', 1, 40, 1, 0, null, 1, 1),
  ('v', 'gone', '', 'shared@example.org', 'h', 1, 3, 'default', 1, 0, 0, 0, null, 1, 1),
  ('x', 'first', '', 'Shared@example.org', 'h', 1, 1, 'default', 1, 0, 0, 0, null, 1, 1),
  ('y', 'second', '', 'shared@Example.org', 'h', 1, 2, 'default', 1, 0, 0, 0, null, 1, 1);
insert into ledger (billing_id, kind, debit, credit, amount, user_id, token_id, channel_id, created_at)
values (4096, 'grant', 'issuance', 'wallet:1', 500, null, null, null, 1),
  (8192, 'charge', 'wallet:1', 'revenue', 40, 1, 1, 1, 1);
insert into options (key, value, updated_at) values ('SystemName', 'Before', 1);
`;

interface OldDatabase {
  config: { dataDir: string; databaseUrl: string | undefined };
  remove(): Promise<void>;
}

async function createOldSqlite(): Promise<OldDatabase> {
  const dataDir = mkdtempSync(join(tmpdir(), "tollgate-upgrade-"));
  migrateSqlite(sqliteFile(dataDir), firstSchema);
  const db = configureSqlite(new DatabaseSync(sqliteFile(dataDir)));
  db.exec(data);
  db.close();
  return { config: { dataDir, databaseUrl: undefined }, remove: async () => rmSync(dataDir, { recursive: true }) };
}

async function createOldPostgres(): Promise<OldDatabase> {
  const server = new URL(process.env.TEST_POSTGRES_URL ?? "");
  const name = `test_upgrade_${process.hrtime.bigint()}`;
  const run = async (url: string, work: (client: pg.Client) => Promise<unknown>) => {
    const client = new pg.Client({ connectionString: url });
    await client.connect();
    try {
      await work(client);
    } finally {
      await client.end();
    }
  };
  await run(server.href, (client) => client.query(`create database ${name}`));
  const target = new URL(server);
  target.pathname = `/${name}`;
  await run(target.href, async (client) => {
    await migratePostgres(client, firstSchema);
    await client.query(data);
  });
  return {
    config: { dataDir: "", databaseUrl: target.href },
    remove: () => run(server.href, (client) => client.query(`drop database ${name} with (force)`)),
  };
}

describe.each(testDatabases)("upgrading $name", ({ name }) => {
  test("from schema 1 keeps every balance, and codes can be redeemed into it", { tags: ["F-126"] }, async () => {
    const old = await (name === "sqlite" ? createOldSqlite() : createOldPostgres());
    const db = await openDatabase(old.config, watch);
    try {
      const balance = async () => (await db.read(db.sql.selectFrom("wallets").select("balance")))[0]?.balance;
      expect(await balance()).toBe(460);
      expect(await db.read(db.sql.selectFrom("options").select("value"))).toEqual([{ value: "Before" }]);
      // Of accounts that shared an address the first one keeps it; one that is gone does not count.
      const mails = await db.read(db.sql.selectFrom("users").select("email").orderBy("id"));
      expect(mails.map(({ email }) => email)).toEqual(["", "shared@example.org", "Shared@example.org", ""]);
      const code = {
        uuid: "c",
        user_id: 1,
        name: "first",
        key_hash: "h",
        key_sealed: "",
        status: 1,
        quota: 25,
        created_at: 1,
        updated_at: 1,
      };
      await db.write([{ query: db.sql.insertInto("redemptions").values(code), rows: 1 }]);
      const account = { userId: 1, walletId: 1, tokenIds: [], channelId: 0 };
      const id = db.mintId();
      const log = logRow(account, id, { type: 1, quota: 25 });
      const redeem = {
        verb: "redeem",
        id,
        codeId: 1,
        quota: 25,
        walletId: 1,
        userId: 1,
        at: 2,
        idempotencyHash: null,
        log,
      } as const;
      expect(await db.money(redeem)).toBe("redeemed");
      expect(await balance()).toBe(485);
      // The charge of the old data has no roll-up, token and channel: everything else must agree.
      const disagree = (await auditBooks(db)).map(({ check }) => check);
      expect(disagree.filter((check) => !check.includes("roll-ups"))).toEqual([]);
    } finally {
      await db.close();
      await old.remove();
    }
  });
});
