import type { Migration } from "./migration.ts";

/**
 * The folded form of a username, which is unique. The program fills it at its start: SQL cannot fold. It stays null for a
 * name of before this migration whose folded form another account has.
 */
const statements = [
  "alter table users add column username_key text",
  "create unique index users_username_key on users (username_key) where status <> 3",
];

export const usernameKeys: Migration = {
  id: 17,
  name: "username-keys",
  sqlite: statements,
  postgres: statements,
};
