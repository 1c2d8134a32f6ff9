/** The configuration file that manages a budget (empty: none), and its name there. Null external ids are in no index. */
import type { Migration } from "./migration.ts";

const statements = [
  "alter table budgets add column external_id text",
  "alter table budgets add column managed_by text not null default ''",
  "create unique index budgets_external_id on budgets (external_id) where external_id is not null",
];

export const managedBudgets: Migration = { id: 65, name: "managed budgets", sqlite: statements, postgres: statements };
