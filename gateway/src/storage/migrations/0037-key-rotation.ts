/** The key that a token had before its last rotation, and until when it works. */
import type { Migration } from "./migration.ts";

const statements = [
  "alter table tokens add column old_key_hash text",
  "alter table tokens add column old_key_ending text not null default ''",
  "alter table tokens add column old_key_until bigint",
  "create unique index tokens_old_key_hash on tokens (old_key_hash) where old_key_hash is not null",
];

export const keyRotation: Migration = { id: 37, name: "key rotation", sqlite: statements, postgres: statements };
