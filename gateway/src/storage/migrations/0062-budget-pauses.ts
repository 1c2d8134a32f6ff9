/** Budgets that pause keys, and up to which window each has done so. */
import type { Migration } from "./migration.ts";

const statements = [
  "alter table budgets add column on_reached text not null default 'refuse'",
  "alter table budgets add column pauses_after bigint not null default 0",
  "create index budgets_pausing on budgets (id) where on_reached = 'pause'",
];

export const budgetPauses: Migration = { id: 62, name: "budget pauses", sqlite: statements, postgres: statements };
