/**
 * Programs that sign in for a person: codes that wait for an answer, and what renews the key of each sign-in. The sign-in itself is a
 * session like that of a browser, and its key is a token of that session: whatever ends one ends the other.
 */
import type { Migration } from "./migration.ts";

const statements = [
  `create table device_codes (
    device_hash text primary key, user_code_hash text not null unique, agent text not null, address text not null,
    user_agent text not null, created_at bigint not null, expires_at bigint not null,
    answer text not null default '', user_id bigint, session_hash text
  )`,
  "create index device_codes_expires on device_codes (expires_at)",
  `create table agent_sign_ins (
    session_hash text primary key, refresh_hash text not null unique, earlier_hash text unique, rotated_at bigint not null
  )`,
];

export const agentSignIns: Migration = { id: 110, name: "agent sign-ins", sqlite: statements, postgres: statements };
