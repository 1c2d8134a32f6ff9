/** A token that was paused says by what, why and when; budgets may pause, by their windows that begin after a moment. */
import type { Migration } from "./migration.ts";

const statements = [
  "alter table tokens add column paused_by text",
  "alter table tokens add column paused_by_name text not null default ''",
  "alter table tokens add column pause_reason text not null default ''",
  "alter table tokens add column paused_at bigint",
  "alter table budgets add column on_reached text not null default 'none'",
  "alter table budgets add column pauses_after bigint not null default 0",
];

export const tokenPauses: Migration = { id: 59, name: "token pauses", sqlite: statements, postgres: statements };
