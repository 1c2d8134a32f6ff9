// A program: brings the database that the environment names from the last schema before 0.1.0 to
// the current one, and then through a migration that rewrites every row of the log. No real
// migration is that long, so killed-migrations.large.test.ts kills this one.
import { migratePostgres, migrateSqlite } from "@tollgate/gateway/storage/migrate.ts";
import { migrations } from "@tollgate/gateway/storage/migration-list.ts";
import type { Migration } from "@tollgate/gateway/storage/migrations/migration.ts";
import { readSqliteFile } from "@tollgate/gateway/storage/open-database.ts";
import { inPostgres } from "../support/old-databases.ts";

const statements = [
  "alter table logs add column region text",
  "update logs set region = 'region ' || (user_id % 7)",
  "create index logs_region on logs (region, id)",
  "update users set email = lower(email)",
];

const rewriteLogs: Migration = {
  id: (migrations.at(-1)?.id ?? 0) + 1,
  name: "rewrite the log",
  sqlite: statements,
  postgres: statements,
};
const known = [...migrations, rewriteLogs];

const { DATA_DIR = "", DATABASE_URL } = process.env;
if (DATABASE_URL) await inPostgres(DATABASE_URL, (client) => migratePostgres(client, known));
else migrateSqlite(readSqliteFile(DATA_DIR), known);
