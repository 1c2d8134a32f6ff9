/** Batches that run at providers: what each was held for, and what must still be asked and charged. */
import type { Migration } from "./migration.ts";

const statements = [
  `create table provider_batches (
  id bigint primary key, batch_id text, channel_id bigint not null, user_id bigint not null, state text not null,
  terms text not null, answer text, created_at bigint not null, expires_at bigint not null, due_at bigint not null,
  lease_until bigint not null, unique (batch_id, channel_id)
)`,
  "create index provider_batches_of_users on provider_batches (user_id, id)",
  "create index provider_batches_due on provider_batches (due_at) where state <> 'settled'",
];

export const providerBatches: Migration = {
  id: 42,
  name: "batches at providers",
  sqlite: statements,
  postgres: statements,
};
