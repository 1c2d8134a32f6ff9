import type { Migration } from "./migration.ts";

/** The same words in both databases: what a token may ask for in a minute and at once; 0 is no limit. */
const statements = ["rpm_limit", "tpm_limit", "max_parallel_requests"].map(
  (column) => `alter table tokens add column ${column} bigint not null default 0`,
);

export const tokenLimits: Migration = {
  id: 10,
  name: "token limits",
  sqlite: statements,
  postgres: statements,
};
