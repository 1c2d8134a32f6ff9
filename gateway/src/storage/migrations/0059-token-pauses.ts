/** A token that was paused says by what, why and when. */
import type { Migration } from "./migration.ts";

const statements = [
  "alter table tokens add column paused_by text",
  "alter table tokens add column paused_by_name text not null default ''",
  "alter table tokens add column pause_reason text not null default ''",
  "alter table tokens add column paused_at bigint",
];

export const tokenPauses: Migration = { id: 59, name: "token pauses", sqlite: statements, postgres: statements };
