/** Brings a database to the newest schema, in order, once, and never backwards. */
import { createHash } from "node:crypto";
import { closeSync, openSync, renameSync, rmSync, statSync } from "node:fs";
import { DatabaseSync } from "node:sqlite";
import type { Client } from "pg";
import { findForeignDatabaseProblem, foreignTablesQuery } from "./foreign-database.ts";
import { migrations } from "./migration-list.ts";
import type { Migration } from "./migrations/migration.ts";
import { configureSqlite } from "./sqlite-connection.ts";

type Dialect = "sqlite" | "postgres";

const createMigrationsTable =
  "create table if not exists migrations (id bigint primary key, name text not null, checksum text not null, applied_at bigint not null)";

/**
 * The database is in a state that this program must not change; the message says why and what to
 * do.
 */
export class SchemaError extends Error {}

export interface AppliedMigration {
  id: number;
  checksum: string;
}

export interface MigrationPlan {
  /**
   * The migration whose predecessors built this database: their records are replaced by its own,
   * nothing else changes.
   */
  adopted: Migration | undefined;
  pending: Migration[];
}

export const readChecksum = (statements: readonly string[]): string =>
  createHash("sha256").update(statements.join(";\n")).digest("hex");

/** `planMigrations` gives those that are still to do, or a `SchemaError`. */
export function planMigrations(
  known: readonly Migration[],
  applied: readonly AppliedMigration[],
  dialect: Dialect,
): MigrationPlan {
  const [first] = known;
  if (first && isBuiltByReplaced(first, applied, dialect))
    return { adopted: first, pending: known.slice(1) };
  for (const { id, checksum } of applied) checkApplied(known, id, checksum, dialect);
  return {
    adopted: undefined,
    pending: known.filter(({ id }) => !applied.some((one) => one.id === id)),
  };
}

function isBuiltByReplaced(
  first: Migration,
  applied: readonly AppliedMigration[],
  dialect: Dialect,
): boolean {
  const replaced = first.replacedChecksums?.[dialect];
  return (
    replaced !== undefined &&
    applied.length === replaced.length &&
    applied.every(({ id, checksum }, index) => id === index + 1 && checksum === replaced[index])
  );
}

function checkApplied(
  known: readonly Migration[],
  id: number,
  checksum: string,
  dialect: Dialect,
): void {
  const [oldest, newest] = [known[0]?.id ?? 0, known.at(-1)?.id ?? 0];
  if (id < oldest) {
    throw new SchemaError(
      "the database was built by migrations of versions before 0.1.0, and not exactly by the twelve of the last one; start it once with the last version before 0.1.0, then with this version",
    );
  }
  const migration = known.find((one) => one.id === id);
  if (!migration) {
    throw new SchemaError(
      `the database has schema ${id}, this program knows ${newest}: it was upgraded by a newer Tollgate; run that version`,
    );
  }
  if (readChecksum(migration[dialect]) !== checksum) {
    throw new SchemaError(
      `migration ${id} (${migration.name}) is not the one that built this database; run the version that built it`,
    );
  }
}

const deleteRecords = "delete from migrations";

/** Copies the file to `<file>.before-<id>` before it changes a schema that holds data. */
export function migrateSqlite(file: string, known: readonly Migration[] = migrations): void {
  refuseForeignFile(file);
  const db = configureSqlite(new DatabaseSync(file));
  try {
    db.exec(createMigrationsTable);
    const applied = db
      .prepare("select id, checksum from migrations order by id")
      .all() as unknown as AppliedMigration[];
    const { adopted, pending } = planMigrations(known, applied, "sqlite");
    const [next] = pending;
    if (!adopted && !next) return;
    if (next && applied.length > 0) copyDatabase(db, `${file}.before-${next.id}`);
    const record = db.prepare(
      "insert into migrations (id, name, checksum, applied_at) values (?, ?, ?, ?)",
    );
    db.exec("begin exclusive");
    if (adopted) {
      db.exec(deleteRecords);
      record.run(...buildRecord(adopted, "sqlite"));
    }
    for (const migration of pending) {
      for (const statement of migration.sqlite) db.exec(statement);
      record.run(...buildRecord(migration, "sqlite"));
    }
    db.exec("commit");
  } finally {
    if (db.isTransaction) db.exec("rollback");
    db.close();
  }
}

/**
 * Looks before anything is changed: the first ordinary connection would already change the mode of
 * the file.
 */
function refuseForeignFile(file: string): void {
  if (!statSync(file, { throwIfNoEntry: false })?.size) return;
  const db = new DatabaseSync(file, { readOnly: true });
  try {
    refuseForeign(db.prepare(foreignTablesQuery.sqlite).all() as { name: string }[]);
  } finally {
    db.close();
  }
}

export function refuseForeign(found: readonly { name: string }[]): void {
  const problem = findForeignDatabaseProblem(found);
  if (problem !== undefined) throw new SchemaError(problem);
}

const buildRecord = (migration: Migration, dialect: Dialect): [number, string, string, number] => [
  migration.id,
  migration.name,
  readChecksum(migration[dialect]),
  Date.now(),
];

/** A copy that a failed start left behind holds the same schema and is replaced. */
function copyDatabase(db: DatabaseSync, copy: string): void {
  const unfinished = `${copy}.unfinished`;
  rmSync(unfinished, { force: true });
  // Created empty and readable by its owner only: it holds what the database holds.
  closeSync(openSync(unfinished, "wx", 0o600));
  db.prepare("vacuum into ?").run(unfinished);
  renameSync(unfinished, copy);
}

const takeMigrationLock = "select pg_advisory_xact_lock(7081200)";

/**
 * Runs alone among all nodes that start, like a migration; `client` does nothing else meanwhile.
 */
export async function runWithMigrationLock(
  client: Client,
  work: () => Promise<void>,
): Promise<void> {
  await client.query("begin");
  await client.query(takeMigrationLock);
  // The connection's end gives the lock back, whatever happens.
  await work();
  await client.query("commit");
}

/**
 * `migratePostgres` gives all nodes may start at once: one migrates, the others wait for its lock.
 * Everything happens in one transaction.
 */
export async function migratePostgres(
  client: Client,
  known: readonly Migration[] = migrations,
): Promise<void> {
  const record = (migration: Migration) =>
    client.query(
      "insert into migrations (id, name, checksum, applied_at) values ($1, $2, $3, $4)",
      buildRecord(migration, "postgres"),
    );
  await client.query("begin");
  try {
    await client.query(takeMigrationLock);
    refuseForeign((await client.query<{ name: string }>(foreignTablesQuery.postgres)).rows);
    await client.query(createMigrationsTable);
    const { rows } = await client.query<AppliedMigration>(
      "select id, checksum from migrations order by id",
    );
    const applied = rows.map(({ id, checksum }) => ({ id: Number(id), checksum }));
    const { adopted, pending } = planMigrations(known, applied, "postgres");
    if (adopted) {
      await client.query(deleteRecords);
      await record(adopted);
    }
    for (const migration of pending) {
      for (const statement of migration.postgres) await client.query(statement);
      await record(migration);
    }
    await client.query("commit");
  } catch (error) {
    await client.query("rollback").catch(() => undefined);
    throw error;
  }
}
