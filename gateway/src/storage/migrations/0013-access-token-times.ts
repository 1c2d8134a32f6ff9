import type { Migration } from "./migration.ts";

/**
 * `statements` are when an access token was created and last used. Null: before this migration, or
 * never.
 */
const statements = [
  "alter table users add column access_token_created_at bigint",
  "alter table users add column access_token_used_at bigint",
];

export const accessTokenTimes: Migration = {
  id: 13,
  name: "access-token-times",
  sqlite: statements,
  postgres: statements,
};
