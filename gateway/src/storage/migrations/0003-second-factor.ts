import type { Migration } from "./migration.ts";

/** The same words in both databases. */
const statements = [
  // One row for each user who set a second factor up; it counts from the moment of `enabled_at`.
  `create table second_factors (
  user_id bigint not null primary key,
  secret_sealed text not null,
  created_at bigint not null,
  enabled_at bigint,
  last_step bigint not null default 0,
  challenged_at bigint not null default 0,
  tries bigint not null default 0
)`,
  `create table recovery_codes (
  user_id bigint not null,
  code_hash text not null,
  created_at bigint not null,
  primary key (user_id, code_hash)
)`,
  `create table invitation_codes (
  user_id bigint not null primary key,
  code text not null unique,
  created_at bigint not null
)`,
];

export const secondFactor: Migration = {
  id: 3,
  name: "second factor",
  sqlite: statements,
  postgres: statements,
};
