/** What an alert measured, and beyond which figure it began, as numbers beside its words: for receivers of webhooks. */
import type { Migration } from "./migration.ts";

const statements = ["alert_events", "alerts"].flatMap((table) => [
  `alter table ${table} add column value double precision`,
  `alter table ${table} add column threshold double precision`,
]);

export const alertValues: Migration = { id: 79, name: "alert values", sqlite: statements, postgres: statements };
