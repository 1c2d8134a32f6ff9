import type { Migration } from "./migration.ts";

/** The same words in both databases. */
const statements = [
  // What is known of each key of a channel that has several; the keys themselves are the lines of its sealed key.
  `create table channel_keys (
  channel_uuid text not null,
  place bigint not null,
  hint text not null,
  status bigint not null,
  reason text not null,
  changed_at bigint not null,
  primary key (channel_uuid, place)
)`,
];

export const channelKeys: Migration = {
  id: 8,
  name: "channel keys",
  sqlite: statements,
  postgres: statements,
};
