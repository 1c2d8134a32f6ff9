/**
 * Restores the dumps in tests/fixtures/schema-12: a database of the last schema before version
 * 0.1.0, with data.
 */
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { readSqliteFile } from "@tollgate/gateway/storage/open-database.ts";
import { configureSqlite } from "@tollgate/gateway/storage/sqlite-connection.ts";
import pg from "pg";
import { createDatabase, dropDatabase } from "../harness/postgres-cluster.ts";

export interface OldDatabase {
  config: { dataDir: string; databaseUrl: string | undefined };
  remove(): Promise<void>;
}

/** Sealed values in the dumps open with this master key. */
export const oldMasterKey: Uint8Array = new Uint8Array(32).fill(7);

const readDump = (name: string): string =>
  readFileSync(new URL(`../../fixtures/schema-12/${name}.sql`, import.meta.url), "utf8");

export function restoreOldSqlite(dataDir: string): void {
  const db = configureSqlite(new DatabaseSync(readSqliteFile(dataDir)));
  try {
    db.exec(readDump("sqlite"));
  } finally {
    db.close();
  }
}

export const restoreOldPostgres = (databaseUrl: string): Promise<void> =>
  inPostgres(databaseUrl, async (client) => {
    await client.query(readDump("postgres"));
  });

export async function inPostgres<Result>(
  url: string,
  work: (client: pg.Client) => Promise<Result>,
): Promise<Result> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    return await work(client);
  } finally {
    await client.end();
  }
}

export async function createOldDatabase(dialect: string): Promise<OldDatabase> {
  if (dialect === "sqlite") {
    const dataDir = mkdtempSync(join(tmpdir(), "tollgate-old-"));
    restoreOldSqlite(dataDir);
    return {
      config: { dataDir, databaseUrl: undefined },
      remove: async () => rmSync(dataDir, { recursive: true }),
    };
  }
  const databaseUrl = await createDatabase();
  await restoreOldPostgres(databaseUrl);
  return { config: { dataDir: "", databaseUrl }, remove: () => dropDatabase(databaseUrl) };
}
