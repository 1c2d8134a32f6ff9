/** Which channel and key signed the reasoning of a conversation, for every node. */
import type { Migration } from "./migration.ts";

const statements = [
  `create table reasoning_homes (
    conversation_hash text primary key, channel_id bigint not null, key_hash text not null, known_until bigint not null)`,
  "create index reasoning_homes_until on reasoning_homes (known_until)",
];

export const reasoningHomes: Migration = { id: 75, name: "reasoning homes", sqlite: statements, postgres: statements };
