import type { Migration } from "./migration.ts";

/** The same words in both databases. */
const statements = [
  // Codes and links that were mailed: one of a kind for each address, so a new one ends the one before.
  `create table mail_codes (
  purpose text not null,
  email text not null,
  code_hash text not null,
  user_id bigint,
  tries bigint not null default 0,
  expires_at bigint not null,
  primary key (purpose, email)
)`,
  // Whoever deletes an account and comes back with the same address is not given the first quota again.
  "create table welcomed_addresses (address_hash text not null primary key, created_at bigint not null)",
  // Wallets whose owner knows that little is left; a row goes when the balance is above the threshold again.
  "create table low_balance_notices (wallet_id bigint not null primary key, told_at bigint not null)",
  "alter table users add column inviter_id bigint",
  // An address belongs to one account. Of accounts that shared one, none could sign in with it anyway.
  `update users set email = '' where email <> '' and status <> 3 and exists (
  select 1 from users other where lower(other.email) = lower(users.email) and other.status <> 3 and other.id < users.id
)`,
  "drop index users_email",
  "create unique index users_email_taken on users (lower(email)) where status <> 3 and email <> ''",
];

export const mail: Migration = { id: 4, name: "mail", sqlite: statements, postgres: statements };
