import type { Migration } from "./migration.ts";

/** The same words in both databases. */
const statements = [
  // Matched by what never changes at the provider; the name is only for people to recognise.
  `create table external_accounts (
  provider text not null,
  external_id text not null,
  user_id bigint not null,
  name text not null,
  created_at bigint not null,
  primary key (provider, external_id),
  unique (user_id, provider)
)`,
  // One round trip to a provider. From `request_hash` on, the state is good for that one callback alone.
  `create table oauth_states (
  state_hash text not null primary key,
  browser_hash text not null,
  bind_user_id bigint,
  expires_at bigint not null,
  request_hash text,
  used_at bigint,
  attempt_until bigint not null default 0,
  result text
)`,
  "create index oauth_states_expiry on oauth_states (expires_at)",
  // A token with a session is that session's key for the playground: it ends with it and no list shows it.
  "alter table tokens add column session_hash text",
  "create unique index tokens_session on tokens (session_hash) where session_hash is not null",
];

export const externalSignIn: Migration = {
  id: 5,
  name: "external sign-in",
  sqlite: statements,
  postgres: statements,
};
