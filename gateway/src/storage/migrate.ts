/** Brings a database to the newest schema, in order, once, and never backwards. */
import { createHash } from "node:crypto";
import { renameSync, rmSync } from "node:fs";
import { DatabaseSync } from "node:sqlite";
import type { Client } from "pg";
import { firstSchema } from "./migrations/0001-first-schema.ts";
import { redemptions } from "./migrations/0002-redemptions.ts";
import { secondFactor } from "./migrations/0003-second-factor.ts";
import { mail } from "./migrations/0004-mail.ts";
import { externalSignIn } from "./migrations/0005-external-sign-in.ts";
import { channelJobs } from "./migrations/0006-channel-jobs.ts";
import { logUpkeep } from "./migrations/0007-logs.ts";
import { channelKeys } from "./migrations/0008-channel-keys.ts";
import { heldResponses } from "./migrations/0009-held-responses.ts";
import { tokenLimits } from "./migrations/0010-token-limits.ts";
import { signInFailures } from "./migrations/0011-sign-in-failures.ts";
import { syncedHolds } from "./migrations/0012-synced-holds.ts";
import type { Migration } from "./migrations/migration.ts";
import { configureSqlite } from "./sqlite-connection.ts";

export const migrations: readonly Migration[] = [
  firstSchema,
  redemptions,
  secondFactor,
  mail,
  externalSignIn,
  channelJobs,
  logUpkeep,
  channelKeys,
  heldResponses,
  tokenLimits,
  signInFailures,
  syncedHolds,
];

const createMigrationsTable =
  "create table if not exists migrations (id bigint primary key, name text not null, checksum text not null, applied_at bigint not null)";

/** The database is in a state this program must not touch; the message says why and what to do. */
export class SchemaError extends Error {}

interface AppliedMigration {
  id: number;
  checksum: string;
}

const checksum = (statements: readonly string[]): string =>
  createHash("sha256").update(statements.join(";\n")).digest("hex");

/** The migrations still to run, or a refusal. */
export function pendingMigrations(
  known: readonly Migration[],
  applied: readonly AppliedMigration[],
  dialect: "sqlite" | "postgres",
): Migration[] {
  for (const { id, checksum: recorded } of applied) {
    const migration = known.find((one) => one.id === id);
    if (!migration) {
      throw new SchemaError(
        `the database has schema ${id}, this program knows ${known.length}: it was upgraded by a newer Tollgate; run that version`,
      );
    }
    if (checksum(migration[dialect]) !== recorded) {
      throw new SchemaError(`migration ${id} (${migration.name}) is not the one that built this database`);
    }
  }
  return known.filter(({ id }) => !applied.some((one) => one.id === id));
}

/** Copies the file to `<file>.before-<id>` before it changes a schema that holds data. */
export function migrateSqlite(file: string, known: readonly Migration[] = migrations): void {
  const db = configureSqlite(new DatabaseSync(file));
  try {
    db.exec(createMigrationsTable);
    const applied = db
      .prepare("select id, checksum from migrations order by id")
      .all() as unknown as AppliedMigration[];
    const remaining = pendingMigrations(known, applied, "sqlite");
    const first = remaining[0];
    if (!first) return;
    if (applied.length > 0) {
      copyDatabase(db, `${file}.before-${first.id}`);
    }
    db.exec("begin exclusive");
    for (const migration of remaining) {
      for (const statement of migration.sqlite) db.exec(statement);
      db.prepare("insert into migrations (id, name, checksum, applied_at) values (?, ?, ?, ?)").run(
        migration.id,
        migration.name,
        checksum(migration.sqlite),
        Date.now(),
      );
    }
    db.exec("commit");
  } finally {
    if (db.isTransaction) db.exec("rollback");
    db.close();
  }
}

/** A copy that an earlier, failed start left behind holds the same schema: it gives way to a fresh one. */
function copyDatabase(db: DatabaseSync, copy: string): void {
  const unfinished = `${copy}.unfinished`;
  rmSync(unfinished, { force: true });
  db.prepare("vacuum into ?").run(unfinished);
  renameSync(unfinished, copy);
}

/** All nodes may start at once: one migrates, the others wait for its lock. Everything happens in one transaction. */
export async function migratePostgres(client: Client, known: readonly Migration[] = migrations): Promise<void> {
  await client.query("begin");
  try {
    await client.query("select pg_advisory_xact_lock(7081200)");
    await client.query(createMigrationsTable);
    const { rows } = await client.query<AppliedMigration>("select id, checksum from migrations order by id");
    const applied = rows.map(({ id, checksum }) => ({ id: Number(id), checksum }));
    for (const migration of pendingMigrations(known, applied, "postgres")) {
      for (const statement of migration.postgres) await client.query(statement);
      await client.query("insert into migrations (id, name, checksum, applied_at) values ($1, $2, $3, $4)", [
        migration.id,
        migration.name,
        checksum(migration.postgres),
        Date.now(),
      ]);
    }
    await client.query("commit");
  } catch (error) {
    await client.query("rollback").catch(() => undefined);
    throw error;
  }
}
