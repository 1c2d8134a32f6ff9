/** The database of a test gateway: where it is, and what it stores, read past the gateway. */
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { readSqliteFile, type StorageConfig } from "@tollgate/gateway/storage/open-database.ts";
import pg from "pg";
import {
  copySqliteTemplate,
  createMigratedDatabase,
  createRoot,
  withDatabase,
} from "./database-templates.ts";
import { createDatabase, dropDatabase, runSql } from "./postgres-cluster.ts";

export type DatabaseKind = "sqlite" | "postgres";

/** SQLite, and PostgreSQL where the run has a test server; the runner reports a missing one. */
export const databaseKinds: readonly DatabaseKind[] = [
  "sqlite",
  ...(process.env.TEST_POSTGRES_URL ? (["postgres"] as const) : []),
];

/**
 * `ruleDatabaseKinds` are for suites about what no database decides: SQLite in `npm test`, and
 * PostgreSQL as well with `DATABASES=all`, as CI sets it.
 */
export const ruleDatabaseKinds =
  process.env.DATABASES === "all" ? databaseKinds : databaseKinds.slice(0, 1);

const rootQuota = 500_000_000_000_000;

export interface GatewayDatabaseOptions {
  store: DatabaseKind;
  /** An existing data folder, which stays; without one a folder is made, and removed on close. */
  dataDir?: string | undefined;
  /** A PostgreSQL server other than that of the run. */
  postgresUrl?: string | undefined;
  /** Where the run has templates, root is there before the gateway's first start. */
  hasRoot: boolean;
}

export interface GatewayDatabase {
  readonly store: DatabaseKind;
  readonly dataDir: string;
  readonly databaseUrl: string | undefined;
  rows<Row>(statement: string): Promise<Row[]>;
  /** Drops what was made for it. */
  close(): Promise<void>;
}

export async function createGatewayDatabase(
  options: GatewayDatabaseOptions,
): Promise<GatewayDatabase> {
  const { store, postgresUrl, hasRoot } = options;
  const dataDir = options.dataDir ?? (await mkdtemp(join(tmpdir(), "tollgate-test-")));
  if (store === "sqlite" && options.dataDir === undefined) copySqliteTemplate(dataDir, { hasRoot });
  const databaseUrl =
    store === "postgres" ? await createDatabaseOn(postgresUrl, hasRoot) : undefined;
  let pool: pg.Pool | undefined;
  return {
    store,
    dataDir,
    databaseUrl,
    async rows<Row>(statement: string): Promise<Row[]> {
      if (databaseUrl === undefined)
        return await queryRows<Row>({ dataDir, databaseUrl }, statement);
      pool ??= openPool(databaseUrl);
      const { rows } = await pool.query<{ found: Row[] }>(asJson(statement));
      return rows[0]?.found ?? [];
    },
    async close() {
      await pool?.end();
      if (databaseUrl !== undefined) await dropDatabase(databaseUrl, postgresUrl);
      if (options.dataDir === undefined) await rm(dataDir, { recursive: true, force: true });
    },
  };
}

const createDatabaseOn = (serverUrl: string | undefined, hasRoot: boolean): Promise<string> =>
  serverUrl === undefined
    ? createMigratedDatabase({ hasRoot })
    : createDatabase(undefined, serverUrl);

function openPool(databaseUrl: string): pg.Pool {
  const pool = new pg.Pool({
    connectionString: databaseUrl,
    max: 2,
    application_name: "test reader",
  });
  // A server that restarts ends idle connections; the next query opens another.
  pool.on("error", () => undefined);
  return pool;
}

/** JSON gives numbers for PostgreSQL's 64-bit integers and sums, as SQLite's rows have them. */
const asJson = (statement: string): string =>
  `select coalesce(json_agg(found), '[]') as found from (${statement}) as found`;

/** Rows of any gateway's database. */
export async function queryRows<Row>(
  { dataDir, databaseUrl }: StorageConfig,
  statement: string,
): Promise<Row[]> {
  if (databaseUrl) return JSON.parse(await runSql(databaseUrl, asJson(statement))) as Row[];
  const file = new DatabaseSync(readSqliteFile(dataDir), { readOnly: true });
  try {
    return file.prepare(statement).all() as Row[];
  } finally {
    file.close();
  }
}

/** Creates root before the gateway's first start, with exactly this much to spend. */
export async function setRootBalance(
  balance: number,
  { dataDir, databaseUrl }: Pick<GatewayDatabase, "dataDir" | "databaseUrl">,
): Promise<void> {
  await withDatabase({ dataDir, databaseUrl }, async (db) => {
    await createRoot(db);
    const taken = {
      verb: "grant",
      id: db.mintId(),
      walletId: 1,
      amount: balance - rootQuota,
      at: Date.now(),
    } as const;
    const result = await db.money(taken);
    if (result !== "granted") throw new Error(result);
  });
}
