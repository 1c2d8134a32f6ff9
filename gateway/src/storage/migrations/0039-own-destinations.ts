/** Users are told of what is theirs at destinations of their own: rows of the site have user 0 and need no proof of the receiver. */
import type { Migration } from "./migration.ts";

const statements = [
  "alter table alert_events add column user_id bigint not null default 0",
  "alter table alerts add column user_id bigint not null default 0",
  "alter table destinations add column user_id bigint not null default 0",
  "alter table destinations add column verified bigint not null default 1",
  "create index destinations_by_user on destinations (user_id)",
  "create table notice_settings (user_id bigint not null primary key, balance_below bigint not null)",
];

export const ownDestinations: Migration = {
  id: 39,
  name: "destinations of users",
  sqlite: statements,
  postgres: statements,
};
