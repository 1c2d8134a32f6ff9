/** Contents of calls that are kept for keys which ask for it: the objects are outside of the database, their keys inside. */
import type { Migration } from "./migration.ts";

const statements = [
  "alter table tokens add column bodies text not null default ''",
  `create table call_bodies (id bigint not null primary key, user_id bigint not null, token_id bigint not null, mode text not null,
    key_sealed text not null, created_at bigint not null)`,
  "create index call_bodies_by_token on call_bodies (token_id) where key_sealed <> ''",
  "create index call_bodies_by_time on call_bodies (created_at) where key_sealed <> ''",
  "create index call_bodies_erased on call_bodies (id) where key_sealed = ''",
  "insert into chores (name, due_at) values ('call bodies', 0)",
];

export const callBodies: Migration = { id: 54, name: "call bodies", sqlite: statements, postgres: statements };
