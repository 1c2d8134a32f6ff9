/**
 * The names that programs give to resources (`external_id`), and the configuration file that manages a channel or virtual model
 * (empty: none). Null external ids are in no index, so that rows without one cost nothing.
 */
import type { Migration } from "./migration.ts";

const statements = [
  "alter table channels add column external_id text",
  "alter table channels add column managed_by text not null default ''",
  "alter table virtual_models add column managed_by text not null default ''",
  "alter table users add column external_id text",
  "alter table tokens add column external_id text",
  "create unique index channels_external_id on channels (external_id) where external_id is not null",
  "create unique index users_external_id on users (external_id) where external_id is not null and status <> 3",
  "create unique index tokens_user_id_external_id on tokens (user_id, external_id) where external_id is not null",
];

export const externalIds: Migration = {
  id: 30,
  name: "external ids",
  sqlite: statements,
  postgres: statements,
};
