/** What a database is before an upgrade, read without changing anything in it. */
import { statSync } from "node:fs";
import { DatabaseSync } from "node:sqlite";
import { foreignTablesQuery } from "./foreign-database.ts";
import { type AppliedMigration, migrations, planMigrations, refuseForeign } from "./migrate.ts";
import type { Migration } from "./migrations/migration.ts";
import { type StorageConfig, sqliteFile } from "./open-database.ts";

export interface DatabaseState {
  dialect: "sqlite" | "postgres";
  /** The migration that ran last; undefined for a new database. */
  schema: number | undefined;
  /** What the next start of this program runs, in order. */
  pending: readonly Pick<Migration, "id" | "name">[];
  /** Of the whole database. */
  bytes: number;
  /** Provider keys as they are stored. */
  sealedKeys: readonly string[];
}

type ReadRows = <Row>(text: string) => Promise<Row[]>;

const tablesQuery = {
  sqlite: "select name from sqlite_schema where type = 'table' and name = 'migrations'",
  postgres: "select 'migrations' as name where to_regclass('migrations') is not null",
} as const;
const sizeQuery = {
  sqlite: "select page_count * page_size as bytes from pragma_page_count(), pragma_page_size()",
  postgres: "select pg_database_size(current_database()) as bytes",
} as const;

/** Rejects with `SchemaError` where this program would refuse to start on the database. */
export async function readDatabaseState(
  config: Pick<StorageConfig, "dataDir" | "databaseUrl" | "databaseDirectUrl">,
): Promise<DatabaseState> {
  const { databaseUrl, databaseDirectUrl } = config;
  return databaseUrl ? await ofPostgres(databaseDirectUrl ?? databaseUrl) : await ofSqlite(sqliteFile(config.dataDir));
}

async function ofSqlite(file: string): Promise<DatabaseState> {
  if (!statSync(file, { throwIfNoEntry: false })?.size)
    return { dialect: "sqlite", schema: undefined, pending: migrations, bytes: 0, sealedKeys: [] };
  const db = new DatabaseSync(file, { readOnly: true });
  try {
    return await stateOf("sqlite", async <Row>(text: string) => db.prepare(text).all() as Row[]);
  } finally {
    db.close();
  }
}

async function ofPostgres(url: string): Promise<DatabaseState> {
  const { default: pg } = await import("pg");
  const { postgresConfig } = await import("./postgres-database.ts");
  const client = new pg.Client(postgresConfig({ databaseUrl: url }));
  await client.connect();
  try {
    await client.query("begin read only");
    return await stateOf("postgres", async <Row>(text: string) => (await client.query(text)).rows as Row[]);
  } finally {
    await client.end();
  }
}

async function stateOf(dialect: DatabaseState["dialect"], read: ReadRows): Promise<DatabaseState> {
  refuseForeign(await read<{ name: string }>(foreignTablesQuery[dialect]));
  const [size] = await read<{ bytes: number }>(sizeQuery[dialect]);
  const bytes = Number(size?.bytes ?? 0);
  if ((await read<{ name: string }>(tablesQuery[dialect])).length === 0)
    return { dialect, schema: undefined, pending: migrations, bytes, sealedKeys: [] };
  const rows = await read<AppliedMigration>("select id, checksum from migrations order by id");
  const applied = rows.map(({ id, checksum }) => ({ id: Number(id), checksum }));
  const { pending } = planMigrations(migrations, applied, dialect);
  const keys = await read<{ key_sealed: string }>("select key_sealed from channels where key_sealed <> ''");
  return {
    dialect,
    schema: applied.at(-1)?.id,
    pending,
    bytes,
    sealedKeys: keys.map(({ key_sealed }) => key_sealed),
  };
}
