/** Files that users store at providers: whose they are, at which channel, and what lists show of them. */
import type { Migration } from "./migration.ts";

const statements = [
  `create table provider_files (
  id bigint primary key, file_id text not null, channel_id bigint not null, user_id bigint not null, purpose text not null,
  filename text not null, bytes bigint not null, created_at bigint not null, expires_at bigint, unique (file_id, channel_id)
)`,
  "create index provider_files_of_users on provider_files (user_id, id)",
];

export const providerFiles: Migration = {
  id: 38,
  name: "files at providers",
  sqlite: statements,
  postgres: statements,
};
