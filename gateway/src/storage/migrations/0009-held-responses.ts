import type { Migration } from "./migration.ts";

/** The same words in both databases. */
const statements = [
  // Conversations that are kept for channels that keep none. What was said is sealed.
  `create table held_responses (
  response_id text not null primary key,
  user_id bigint not null,
  sealed text not null,
  created_at bigint not null,
  expires_at bigint not null
)`,
  "create index held_responses_expiry on held_responses (expires_at)",
];

export const heldResponses: Migration = {
  id: 9,
  name: "held responses",
  sqlite: statements,
  postgres: statements,
};
