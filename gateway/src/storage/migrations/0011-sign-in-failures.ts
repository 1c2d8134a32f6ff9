import type { Migration } from "./migration.ts";

/** The same words in both databases. */
const statements = [
  // Failures that make the next try at an account wait, known or not. The account is named by a hash.
  `create table sign_in_failures (
  account_hash text not null primary key,
  failures text not null,
  forget_at bigint not null
)`,
  "create index sign_in_failures_forget on sign_in_failures (forget_at)",
];

export const signInFailures: Migration = {
  id: 11,
  name: "sign-in failures",
  sqlite: statements,
  postgres: statements,
};
