/** Opens the configured database and migrates it to the newest schema. */
import { accessSync, constants, mkdirSync } from "node:fs";
import { join } from "node:path";
import pg from "pg";
import { type Database, StorageUnavailable } from "./database.ts";
import { migratePostgres, migrateSqlite } from "./migrate.ts";
import { openPostgres, postgresConfig } from "./postgres-database.ts";
import { lockDataDir, openSqlite } from "./sqlite-database.ts";
import { classifyFailure } from "./sqlite-protocol.ts";

export interface StorageConfig {
  dataDir: string;
  /** `postgres://…`; absent means SQLite in `dataDir`. */
  databaseUrl: string | undefined;
  /** Maximum number of connections to PostgreSQL. */
  databaseConnections?: number;
}

export const sqliteFile = (dataDir: string): string => join(dataDir, "tollgate.db");

/** `onError` receives errors of background work; `onFatal` is called when storage cannot continue and the process must end. */
export async function openDatabase(
  { dataDir, databaseUrl, databaseConnections }: StorageConfig,
  { onError, onFatal }: { onError(error: Error): void; onFatal(error: Error): void },
): Promise<Database> {
  if (databaseUrl) {
    const client = new pg.Client({ ...postgresConfig(databaseUrl), statement_timeout: 0 });
    await client.connect();
    try {
      await migratePostgres(client);
    } finally {
      await client.end();
    }
    return await openPostgres(databaseUrl, onError, onFatal, databaseConnections);
  }
  const unlock = lockFolder(dataDir);
  try {
    migrateSqlite(sqliteFile(dataDir));
    const db = await openSqlite(sqliteFile(dataDir), onFatal);
    return { ...db, close: () => db.close().finally(unlock) };
  } catch (error) {
    unlock();
    const failure = classifyFailure(error);
    throw failure.kind === "unavailable" ? new StorageUnavailable(failure.message, { cause: error }) : error;
  }
}

/** Creates the folder if it is missing and locks it against other processes; the returned function unlocks it. */
function lockFolder(dataDir: string): () => void {
  try {
    mkdirSync(dataDir, { recursive: true, mode: 0o700 });
    accessSync(dataDir, constants.W_OK);
    return lockDataDir(dataDir);
  } catch (error) {
    if (error instanceof StorageUnavailable) throw error;
    const { code } = error as NodeJS.ErrnoException;
    throw new StorageUnavailable(`DATA_DIR ${dataDir} cannot be written (${code}); set it to a folder that can`, {
      cause: error,
    });
  }
}
