/**
 * A session remembers the OpenID Connect sign-in that opened it, so that the provider can end it; a logout token is remembered by
 * its hash until it is too old to be accepted.
 */
import type { Migration } from "./migration.ts";

const statements = [
  "alter table sessions add column provider text",
  "alter table sessions add column provider_subject text",
  "alter table sessions add column provider_sid text",
  "create index sessions_by_subject on sessions (provider, provider_subject) where provider is not null",
  "create index sessions_by_sid on sessions (provider, provider_sid) where provider_sid is not null",
  "create table logout_tokens (id_hash text primary key, expires_at bigint not null)",
];

export const providerSessions: Migration = {
  id: 36,
  name: "sessions of providers",
  sqlite: statements,
  postgres: statements,
};
