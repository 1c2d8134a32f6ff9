/**
 * Databases that tests copy: migrating each anew takes a hundred times as long, and so does hashing
 * root's password. A template has the schema of today and the partitions of these months; one with
 * root has the account, too, that the first start of a gateway creates.
 */
import { copyFileSync, existsSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { ensureRoot } from "@tollgate/gateway/accounts/identity/users/root-account.ts";
import { createUserStore } from "@tollgate/gateway/accounts/identity/users/user-store.ts";
import type { Database } from "@tollgate/gateway/storage/database.ts";
import {
  openDatabase,
  readSqliteFile,
  type StorageConfig,
} from "@tollgate/gateway/storage/open-database.ts";
import { createDatabase } from "./postgres-cluster.ts";

/**
 * `templateMasterKey` is that of every database that a test makes before a gateway starts on it:
 * beside one, no gateway makes a key.
 */
const templateMasterKey = Buffer.alloc(32, 3);

/** `putMasterKey` says where the folder has none. */
export function putMasterKey(dataDir: string): void {
  const file = join(dataDir, "master.key");
  if (existsSync(file)) return;
  mkdirSync(dataDir, { recursive: true });
  writeFileSync(file, `${templateMasterKey.toString("base64")}\n`, { mode: 0o600 });
}

export const rootPassword = "a password for tests";

const fail = (error: Error) => {
  throw error;
};

/** Opens a database without a gateway, and migrates it. */
export async function withDatabase(
  config: StorageConfig,
  work: (db: Database) => Promise<unknown>,
): Promise<void> {
  const db = await openDatabase(config, { onError: fail, onFatal: fail });
  try {
    await work(db);
  } finally {
    await db.close();
  }
}

export const createRoot = (db: Database) =>
  ensureRoot(db, createUserStore(db), { initialPassword: rootPassword, now: Date.now() });

const sqliteTemplate = (folder: string, hasRoot: boolean) =>
  join(folder, hasRoot ? "with-root" : "without-root");

export async function writeSqliteTemplates(folder: string): Promise<void> {
  await withDatabase(
    { dataDir: sqliteTemplate(folder, false), databaseUrl: undefined },
    async () => undefined,
  );
  await withDatabase({ dataDir: sqliteTemplate(folder, true), databaseUrl: undefined }, createRoot);
  process.env.TEST_SQLITE_TEMPLATES = folder;
}

/** Puts a database into an empty folder, in a run with templates. */
export function copySqliteTemplate(dataDir: string, { hasRoot = false } = {}): void {
  const folder = process.env.TEST_SQLITE_TEMPLATES;
  if (folder)
    copyFileSync(readSqliteFile(sqliteTemplate(folder, hasRoot)), readSqliteFile(dataDir));
}

export async function createPostgresTemplates(): Promise<string[]> {
  const empty = await createDatabase();
  await withDatabase({ dataDir: "", databaseUrl: empty }, async () => undefined);
  const withRoot = await createDatabase(empty);
  await withDatabase({ dataDir: "", databaseUrl: withRoot }, createRoot);
  process.env.TEST_POSTGRES_TEMPLATE = empty;
  process.env.TEST_POSTGRES_ROOT_TEMPLATE = withRoot;
  return [empty, withRoot];
}

/** A new database on the test server of this run. */
export const createMigratedDatabase = ({ hasRoot = false } = {}): Promise<string> =>
  createDatabase(
    hasRoot ? process.env.TEST_POSTGRES_ROOT_TEMPLATE : process.env.TEST_POSTGRES_TEMPLATE,
  );
