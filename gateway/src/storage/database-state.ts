/** The state of a database before an upgrade, read without changing anything in it. */
import { statSync } from "node:fs";
import { DatabaseSync } from "node:sqlite";
import { StorageUnavailable } from "./database.ts";
import { foreignTablesQuery } from "./foreign-database.ts";
import { type AppliedMigration, planMigrations, refuseForeign } from "./migrate.ts";
import { migrations } from "./migration-list.ts";
import type { Migration } from "./migrations/migration.ts";
import { readSqliteFile, type StorageConfig } from "./open-database.ts";
import { computeIdTime, newestIdQuery } from "./time-ids.ts";

export interface DatabaseState {
  dialect: "sqlite" | "postgres";
  /** The migration that ran last; undefined for a new database. */
  schema: number | undefined;
  /** `pending` is what the next start of this program runs, in order. */
  pending: readonly Pick<Migration, "id" | "name">[];
  /** `bytes` are those of the whole database. */
  bytes: number;
  /** Provider keys as they are stored. */
  sealedKeys: readonly string[];
  /**
   * The id of the master key that the database belongs to; undefined where no start has named one.
   */
  keyId: string | undefined;
  /** Name and version of what keeps the database. */
  server: string;
  /**
   * `clockAheadMs` says how far the clock of a database server is ahead of this machine's, in
   * milliseconds; negative where it is behind.
   */
  clockAheadMs: number;
  /** The time of the newest id; undefined without one. */
  newestEntryAt: number | undefined;
  /** Whom enabled channels call directly; an empty address is that of the type. */
  upstreams: readonly Upstream[];
}

export interface Upstream {
  type: number;
  base_url: string;
}

const emptyDatabase = {
  schema: undefined,
  pending: migrations,
  bytes: 0,
  sealedKeys: [],
  keyId: undefined,
  newestEntryAt: undefined,
  upstreams: [],
} as const;

type DatabaseAddress = Pick<StorageConfig, "dataDir" | "databaseUrl" | "databaseDirectUrl">;

/** `readDatabasePlace` names the place of the database, without secrets. */
export function readDatabasePlace({ dataDir, databaseUrl }: DatabaseAddress): string {
  if (!databaseUrl) return readSqliteFile(dataDir);
  if (!URL.canParse(databaseUrl)) return "the PostgreSQL database";
  const { pathname, host, searchParams } = new URL(databaseUrl);
  const server = host || searchParams.get("host") || "this machine";
  return `the PostgreSQL database ${pathname.slice(1)} at ${server}`;
}

/**
 * Rejects with `StorageUnavailable` where no Tollgate has its tables: a command that reads them
 * would make them, and find all well.
 */
export async function requireDatabase(address: DatabaseAddress): Promise<void> {
  if (await hasDatabase(address)) return;
  const place = readDatabasePlace(address);
  throw new StorageUnavailable(
    address.databaseUrl
      ? `there is no Tollgate in ${place}; set DATABASE_URL`
      : `there is no database at ${place}; set DATA_DIR`,
  );
}

export async function hasDatabase({
  dataDir,
  databaseUrl,
  databaseDirectUrl,
}: DatabaseAddress): Promise<boolean> {
  if (!databaseUrl) return isFilled(readSqliteFile(dataDir));
  const { openConnection } = await import("./postgres-connections.ts");
  const client = await openConnection(databaseDirectUrl ?? databaseUrl, { isTimed: true });
  try {
    return (await client.query(tablesQuery.postgres)).rows.length > 0;
  } finally {
    await client.end();
  }
}

/** The lock of a first start leaves an empty file. */
const isFilled = (file: string): boolean =>
  (statSync(file, { throwIfNoEntry: false })?.size ?? 0) > 0;

type ReadRows = <Row>(text: string) => Promise<Row[]>;

const tablesQuery = {
  sqlite: "select name from sqlite_schema where type = 'table' and name = 'migrations'",
  postgres: "select 'migrations' as name where to_regclass('migrations') is not null",
} as const;
const serverQuery = {
  sqlite: "select 'SQLite ' || sqlite_version() as server, null as clock",
  postgres: `select 'PostgreSQL ' || current_setting('server_version') as server,
    floor(extract(epoch from clock_timestamp()) * 1000) as clock`,
} as const;
/** The schema in which a database names its master key. */
const databaseKeySchema = 84;
/** The schema in which channels can have proxies of their own. */
const channelProxiesSchema = 35;
const sizeQuery = {
  sqlite: "select page_count * page_size as bytes from pragma_page_count(), pragma_page_size()",
  postgres: "select pg_database_size(current_database()) as bytes",
} as const;

/**
 * Rejects with `SchemaError` where this program would refuse to start on the database, and with
 * `StorageUnavailable` where it cannot be read.
 */
export async function readDatabaseState(config: DatabaseAddress): Promise<DatabaseState> {
  const { databaseUrl, databaseDirectUrl } = config;
  try {
    if (databaseUrl) return await ofPostgres(databaseDirectUrl ?? databaseUrl);
    return await ofSqlite(readSqliteFile(config.dataDir));
  } catch (error) {
    // Both drivers give their errors a code, and so does the system.
    const { code, message } = error as NodeJS.ErrnoException;
    throw code === undefined ? error : new StorageUnavailable(message || code);
  }
}

async function ofSqlite(file: string): Promise<DatabaseState> {
  if (!isFilled(file))
    return { ...emptyDatabase, dialect: "sqlite", server: "SQLite", clockAheadMs: 0 };
  const db = new DatabaseSync(file, { readOnly: true });
  try {
    return await readState("sqlite", async <Row>(text: string) => db.prepare(text).all() as Row[]);
  } finally {
    db.close();
  }
}

async function ofPostgres(url: string): Promise<DatabaseState> {
  const { openConnection } = await import("./postgres-connections.ts");
  const client = await openConnection(url, { isTimed: true });
  try {
    await client.query("begin read only");
    return await readState(
      "postgres",
      async <Row>(text: string) => (await client.query(text)).rows as Row[],
    );
  } finally {
    await client.end();
  }
}

async function readState(
  dialect: DatabaseState["dialect"],
  read: ReadRows,
): Promise<DatabaseState> {
  refuseForeign(await read<{ name: string }>(foreignTablesQuery[dialect]));
  const [size] = await read<{ bytes: number }>(sizeQuery[dialect]);
  const bytes = Number(size?.bytes ?? 0);
  const [found] = await read<{ server: string; clock: number | null }>(serverQuery[dialect]);
  const server = found?.server ?? "";
  const clockAheadMs = typeof found?.clock === "number" ? found.clock - Date.now() : 0;
  if ((await read<{ name: string }>(tablesQuery[dialect])).length === 0)
    return { ...emptyDatabase, dialect, bytes, server, clockAheadMs };
  const rows = await read<AppliedMigration>("select id, checksum from migrations order by id");
  const applied = rows.map(({ id, checksum }) => ({ id: Number(id), checksum }));
  const { pending } = planMigrations(migrations, applied, dialect);
  const keys = await read<{ key_sealed: string }>(
    "select key_sealed from channels where key_sealed <> ''",
  );
  const schema = applied.at(-1)?.id;
  const named =
    (schema ?? 0) < databaseKeySchema
      ? []
      : await read<{ key_id: string }>("select key_id from database_key");
  const [newest] = await read<{ id: number }>(newestIdQuery);
  const newestId = Number(newest?.id ?? 0);
  return {
    dialect,
    schema,
    pending,
    bytes,
    sealedKeys: keys.map(({ key_sealed }) => key_sealed),
    keyId: named[0]?.key_id,
    server,
    clockAheadMs,
    newestEntryAt: newestId === 0 ? undefined : computeIdTime(newestId),
    upstreams: await listDirectUpstreams(read, schema ?? 0),
  };
}

/** `listDirectUpstreams` gives none where root's proxy stands in between. */
async function listDirectUpstreams(read: ReadRows, schema: number): Promise<Upstream[]> {
  const proxies = await read(
    "select key from options where key = 'OutboundProxySecret' and value <> ''",
  );
  if (proxies.length > 0) return [];
  const direct = schema >= channelProxiesSchema ? "and proxy_sealed = ''" : "";
  const rows = await read<Upstream>(
    `select distinct type, base_url from channels where status = 1 ${direct}`,
  );
  return rows.map(({ type, base_url }) => ({ type: Number(type), base_url }));
}
