/** Uploads that a client sends piece by piece: whose each is, where it goes, and the provider's address of it. */
import type { Migration } from "./migration.ts";

const statements = [
  `create table provider_uploads (
    id_hash text primary key, user_id bigint not null, token_id bigint not null, channel_id bigint not null,
    key_hash text not null, bytes bigint not null, address_sealed text not null, created_at bigint not null
  )`,
  "create index provider_uploads_of_users on provider_uploads (user_id)",
];

export const providerUploads: Migration = {
  id: 61,
  name: "provider uploads",
  sqlite: statements,
  postgres: statements,
};
