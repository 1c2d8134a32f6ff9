/** Opens the database that the configuration names, brought to the newest schema. */
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import pg from "pg";
import { type Database, StorageUnavailable } from "./database.ts";
import { migratePostgres, migrateSqlite } from "./migrate.ts";
import { openPostgres, postgresConfig } from "./postgres-database.ts";
import { lockDataDir, openSqlite } from "./sqlite-database.ts";
import { failureOf } from "./sqlite-protocol.ts";

export interface StorageConfig {
  dataDir: string;
  /** `postgres://…`; absent means SQLite in `dataDir`. */
  databaseUrl: string | undefined;
}

export const sqliteFile = (dataDir: string): string => join(dataDir, "tollgate.db");

/** `onTrouble` hears what goes wrong in the background; `onDeath` that storage cannot go on and the process must end. */
export async function openDatabase(
  { dataDir, databaseUrl }: StorageConfig,
  { onTrouble, onDeath }: { onTrouble(error: Error): void; onDeath(error: Error): void },
): Promise<Database> {
  if (databaseUrl) {
    const client = new pg.Client({ ...postgresConfig(databaseUrl), statement_timeout: 0 });
    await client.connect();
    try {
      await migratePostgres(client);
    } finally {
      await client.end();
    }
    return await openPostgres(databaseUrl, onTrouble, onDeath);
  }
  mkdirSync(dataDir, { recursive: true, mode: 0o700 });
  const unlock = lockDataDir(dataDir);
  try {
    migrateSqlite(sqliteFile(dataDir));
    const db = await openSqlite(sqliteFile(dataDir), onDeath);
    return { ...db, close: () => db.close().finally(unlock) };
  } catch (error) {
    unlock();
    const failure = failureOf(error);
    throw failure.kind === "unavailable" ? new StorageUnavailable(failure.message, { cause: error }) : error;
  }
}
