/**
 * The last characters of each key, by which administrators find it, and what an administrator last did to it until its owner has
 * read that. The program fills the endings of existing keys when it starts: they are sealed.
 */
import type { Migration } from "./migration.ts";

const statements = [
  "alter table tokens add column key_ending text not null default ''",
  "alter table tokens add column taken_action text",
  "alter table tokens add column taken_action_at bigint",
];

export const tokenEndings: Migration = {
  id: 25,
  name: "token endings",
  sqlite: statements,
  postgres: statements,
};
