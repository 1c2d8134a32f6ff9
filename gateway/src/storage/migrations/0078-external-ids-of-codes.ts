/** The names that programs give to redemption codes and to destinations of the site. Null external ids are in no index. */
import type { Migration } from "./migration.ts";

const statements = ["redemptions", "destinations"].flatMap((table) => [
  `alter table ${table} add column external_id text`,
  `create unique index ${table}_external_id on ${table} (external_id) where external_id is not null`,
]);

export const externalIdsOfCodes: Migration = {
  id: 78,
  name: "external ids of codes and destinations",
  sqlite: statements,
  postgres: statements,
};
