/** Opens the configured database and migrates it to the newest schema. */
import {
  accessSync,
  chmodSync,
  closeSync,
  constants,
  mkdirSync,
  openSync,
  readdirSync,
  statSync,
} from "node:fs";
import { basename, join } from "node:path";
import { type Database, StorageUnavailable } from "./database.ts";
import { migratePostgres, migrateSqlite, runWithMigrationLock } from "./migrate.ts";
import { lockDataDir, lockFile, openSqlite } from "./sqlite-database.ts";
import { classifyFailure } from "./sqlite-protocol.ts";
import type { ClockJump } from "./steady-clock.ts";

export interface StorageConfig {
  dataDir: string;
  /** `postgres://…`; absent means SQLite in `dataDir`. */
  databaseUrl: string | undefined;
  /** PostgreSQL itself, where `databaseUrl` leads to a connection pooler. */
  databaseDirectUrl?: string | undefined;
  databasePooler?: "none" | "transaction";
  /** A standby of PostgreSQL, for lists, charts and exports. */
  databaseReadUrl?: string | undefined;
  /** Maximum number of connections to PostgreSQL. */
  databaseConnections?: number;
  /**
   * `hasLittleMemory` is for a command that passes through all of SQLite's file once
   * (sqlite-connection.ts).
   */
  hasLittleMemory?: boolean;
}

const ownerOnly = 0o600;
const othersMode = 0o077;

const noDirectUrl =
  "DATABASE_DIRECT_URL is not set: behind a connection pooler, changes made on other nodes arrive within a second and not at once";

export const readSqliteFile = (dataDir: string): string => join(dataDir, "tollgate.db");

export interface DatabaseEvents {
  onError(error: Error): void;
  onFatal(error: Error): void;
  /** The clock of this machine jumped ahead. */
  onClockJump?(jump: ClockJump): void;
}

/**
 * `onError` receives errors of background work; `onFatal` is called when storage cannot continue
 * and the process must end.
 */
export async function openDatabase(
  {
    dataDir,
    databaseUrl,
    databaseDirectUrl,
    databasePooler = "none",
    databaseReadUrl,
    databaseConnections,
    hasLittleMemory,
  }: StorageConfig,
  { onError, onFatal, onClockJump = () => undefined }: DatabaseEvents,
): Promise<Database> {
  if (databaseUrl) {
    // Loaded here: a gateway on SQLite does without PostgreSQL's client.
    const { openConnection } = await import("./postgres-connections.ts");
    const { openPostgres } = await import("./postgres-database.ts");
    const isPooled = databasePooler === "transaction";
    if (isPooled && !databaseDirectUrl) onError(new Error(noDirectUrl));
    const directUrl = isPooled ? databaseDirectUrl : databaseUrl;
    const client = await openConnection(directUrl ?? databaseUrl, { isTimed: false });
    try {
      await migratePostgres(client);
    } finally {
      await client.end();
    }
    const access = {
      databaseUrl,
      isPooled,
      listenUrl: directUrl,
      connections: databaseConnections,
      readUrl: databaseReadUrl,
    };
    return await openPostgres(access, onError, onFatal, onClockJump);
  }
  const unlock = lockFolder(dataDir);
  try {
    migrateSqlite(readSqliteFile(dataDir));
    const db = await openSqlite(readSqliteFile(dataDir), onError, onFatal, {
      hasLittleMemory,
      onClockJump,
    });
    return { ...db, close: () => db.close().finally(unlock) };
  } catch (error) {
    unlock();
    const failure = classifyFailure(error);
    throw failure.kind === "unavailable"
      ? new StorageUnavailable(failure.message, { cause: error })
      : error;
  }
}

/**
 * Runs while no other process that starts can change the database; of SQLite's file no other
 * process can at any time.
 */
export async function runAlone(
  { databaseUrl, databaseDirectUrl, databasePooler }: StorageConfig,
  work: () => Promise<void>,
): Promise<void> {
  if (!databaseUrl) return await work();
  const { openConnection } = await import("./postgres-connections.ts");
  const directUrl = databasePooler === "transaction" ? databaseDirectUrl : undefined;
  const client = await openConnection(directUrl ?? databaseUrl, { isTimed: false });
  try {
    await runWithMigrationLock(client, work);
  } finally {
    await client.end();
  }
}

/**
 * The folder may exist and be readable by all. SQLite gives its log and its index the mode of the
 * database, so that is created first; copies of before an upgrade hold as much.
 */
function restrictToOwner(dataDir: string): void {
  const file = readSqliteFile(dataDir);
  for (const path of [file, join(dataDir, lockFile)]) closeSync(openSync(path, "a", ownerOnly));
  const names = readdirSync(dataDir).filter(
    (name) => name.startsWith(lockFile) || name.startsWith(basename(file)),
  );
  for (const name of names) {
    const path = join(dataDir, name);
    if ((statSync(path).mode & othersMode) !== 0) chmodSync(path, ownerOnly);
  }
}

/**
 * Creates the folder if it is missing and locks it against other processes; the returned function
 * unlocks it.
 */
function lockFolder(dataDir: string): () => void {
  try {
    mkdirSync(dataDir, { recursive: true, mode: 0o700 });
    accessSync(dataDir, constants.W_OK);
    restrictToOwner(dataDir);
    return lockDataDir(dataDir);
  } catch (error) {
    if (error instanceof StorageUnavailable) throw error;
    const { code } = error as NodeJS.ErrnoException;
    throw new StorageUnavailable(
      `DATA_DIR ${dataDir} cannot be written (${code}); set it to a folder that can`,
      {
        cause: error,
      },
    );
  }
}
