/** Databases of other systems, told by a table that only they have. */

/**
 * A table, and the system whose database has it. The names are those that the systems give their
 * tables.
 */
const systemByTable = {
  abilities: "one-api or one of its forks",
  LiteLLM_VerificationToken: "LiteLLM",
} as const;

const tables = Object.keys(systemByTable) as (keyof typeof systemByTable)[];
const listed = tables.map((table) => `'${table}'`).join(", ");

/** The tables of other systems; no row where Tollgate has migrated the database before. */
export const foreignTablesQuery = {
  sqlite: `select name from sqlite_schema where type = 'table' and name in (${listed})
    and not exists (select 1 from sqlite_schema where type = 'table' and name = 'migrations')`,
  postgres: `select table_name as name from information_schema.tables
    where table_schema = any (current_schemas(false)) and table_name in (${listed}) and to_regclass('migrations') is null`,
} as const;

/**
 * `findForeignDatabaseProblem` says why this program must not create its tables here, or undefined.
 */
export function findForeignDatabaseProblem(found: readonly { name: string }[]): string | undefined {
  const table = tables.find((name) => found.some((one) => one.name === name));
  if (table === undefined) return undefined;
  return `this is the database of ${systemByTable[table]} (it has a table ${table}); nothing was changed in it. Give Tollgate a database of its own in DATA_DIR or DATABASE_URL, then bring the data over with the command import (docs/import.md)`;
}
