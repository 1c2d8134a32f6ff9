/** Chores that take long keep how far they have come: the daily checks of the record of changes and of the books. */
import type { Migration } from "./migration.ts";

const statements = [
  "alter table chores add column progress text not null default ''",
  "insert into chores (name, due_at) values ('check the record of changes', 0), ('check the books', 0)",
];

export const choreProgress: Migration = { id: 64, name: "chore progress", sqlite: statements, postgres: statements };
