/**
 * The ids that providers issued, by hash. A database that is in use already has ids from before in its clients: for 30 days
 * the program lets unknown ones through.
 */
import type { Migration } from "./migration.ts";

const table = `create table provider_states (
  id_hash text not null, channel_id bigint not null, kind text not null, user_id bigint not null, key_hash text not null,
  model_name text not null, created_at bigint not null, used_at bigint not null, primary key (id_hash, channel_id)
)`;
const index = "create index provider_states_used on provider_states (used_at)";
/** 30 days. */
const graceMs = "2592000000";
const grace = (now: string): string =>
  `insert into chores (name, due_at) select 'unknown state allowed', ${now} + ${graceMs} from users limit 1`;

export const providerStates: Migration = {
  id: 20,
  name: "provider states",
  sqlite: [table, index, grace("unixepoch() * 1000")],
  postgres: [table, index, grace("(extract(epoch from now()) * 1000)::bigint")],
};
