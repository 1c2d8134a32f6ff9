import type { Migration } from "./migration.ts";

/** The language that the console last sent for a user, for mails. Empty: none was sent. */
const statements = ["alter table users add column language text not null default ''"];

export const userLanguage: Migration = {
  id: 24,
  name: "user-language",
  sqlite: statements,
  postgres: statements,
};
