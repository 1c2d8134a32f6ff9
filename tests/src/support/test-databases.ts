/**
 * Both databases for tests: a fresh SQLite file, and a fresh PostgreSQL database where a test
 * server is running.
 */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import type { Database } from "@tollgate/gateway/storage/database.ts";
import {
  openDatabase,
  readSqliteFile,
  type StorageConfig,
} from "@tollgate/gateway/storage/open-database.ts";
import { openPool } from "@tollgate/gateway/storage/postgres-connections.ts";
import { copySqliteTemplate, createMigratedDatabase } from "../harness/database-templates.ts";
import { dropDatabase } from "../harness/postgres-cluster.ts";

export interface TestDatabase {
  db: Database;
  /** Reopens the database, as a restart does. */
  config: { dataDir: string; databaseUrl: string | undefined };
  close(): Promise<void>;
}

const watch = {
  onError: () => undefined,
  onFatal: (error: Error) => {
    throw error;
  },
};

async function openSqliteDatabase(): Promise<TestDatabase> {
  const dataDir = mkdtempSync(join(tmpdir(), "tollgate-db-"));
  copySqliteTemplate(dataDir);
  const config = { dataDir, databaseUrl: undefined };
  const db = await openDatabase(config, watch);
  return {
    db,
    config,
    async close() {
      await db.close();
      rmSync(dataDir, { recursive: true, force: true });
    },
  };
}

async function openPostgresDatabase(): Promise<TestDatabase> {
  const config = { dataDir: "", databaseUrl: await createMigratedDatabase() };
  const db = await openDatabase(config, watch);
  return {
    db,
    config,
    async close() {
      await db.close();
      await dropDatabase(config.databaseUrl);
    },
  };
}

/**
 * Suites run once for each; without a test server, the runner has reported why PostgreSQL is
 * missing.
 */
export const testDatabases: readonly { name: string; open(): Promise<TestDatabase> }[] = [
  { name: "sqlite", open: openSqliteDatabase },
  ...(process.env.TEST_POSTGRES_URL ? [{ name: "postgres", open: openPostgresDatabase }] : []),
];

/**
 * `ruleDatabases` are for suites about what no database decides: SQLite in `npm test`, and
 * PostgreSQL as well with `DATABASES=all`, as CI sets it.
 */
export const ruleDatabases =
  process.env.DATABASES === "all" ? testDatabases : testDatabases.slice(0, 1);

/** Reads the database of a running gateway directly, on one lasting connection. */
export interface DatabaseReader {
  rows<Row>(statement: string): Promise<Row[]>;
  close(): Promise<void>;
}

export async function openDatabaseReader({
  dataDir,
  databaseUrl,
}: StorageConfig): Promise<DatabaseReader> {
  if (databaseUrl) {
    // A server that restarts ends idle connections; the next look opens another.
    const pool = openPool({ databaseUrl, connections: 2 }, () => undefined);
    return {
      rows: async <Row>(statement: string) => (await pool.query(statement)).rows as Row[],
      close: () => pool.end(),
    };
  }
  const file = new DatabaseSync(readSqliteFile(dataDir), { readOnly: true, timeout: 5_000 });
  return {
    rows: async <Row>(statement: string) => file.prepare(statement).all() as Row[],
    close: async () => file.close(),
  };
}
