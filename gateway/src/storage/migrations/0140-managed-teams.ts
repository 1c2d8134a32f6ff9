/** The configuration file that a team belongs to; empty for a team of the console. */
import type { Migration } from "./migration.ts";

const statements = ["alter table teams add column managed_by text not null default ''"];

export const managedTeams: Migration = {
  id: 140,
  name: "managed teams",
  sqlite: statements,
  postgres: statements,
};
