/** The master key that a database belongs to, by its id. The one row is written when a start has proved it, not here. */
import type { Migration } from "./migration.ts";

const statements = [
  `create table database_key (
  place bigint primary key check (place = 1),
  key_id text not null
)`,
];

export const databaseKey: Migration = { id: 84, name: "database key", sqlite: statements, postgres: statements };
