/** Administrators who see and change nothing: meant for accounts of role 10 alone. */
import type { Migration } from "./migration.ts";

const statements = ["alter table users add column read_only bigint not null default 0"];

export const auditors: Migration = {
  id: 130,
  name: "auditors",
  sqlite: statements,
  postgres: statements,
};
