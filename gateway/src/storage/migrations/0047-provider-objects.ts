/** Objects that users made at providers, beside files and batches: whose they are, and at which channel. */
import type { Migration } from "./migration.ts";

const statements = [
  `create table provider_objects (
  id bigint primary key, object_id text not null, channel_id bigint not null, kind text not null, user_id bigint not null,
  created_at bigint not null, unique (object_id, channel_id)
)`,
  "create index provider_objects_of_users on provider_objects (user_id, kind, id)",
];

export const providerObjects: Migration = {
  id: 47,
  name: "objects at providers",
  sqlite: statements,
  postgres: statements,
};
