import { firstRollupTables, measureColumns } from "../rollups.ts";
import { moneyFunctions } from "./0001-money-functions.ts";
import type { Migration } from "./migration.ts";

/** Written once for both databases; `ID` and `KEYED` are the two places where their words differ. */
const shared = `
create table users (
  id ID,
  uuid text not null unique,
  username text not null,
  display_name text not null,
  email text not null,
  password_hash text not null,
  role bigint not null,
  status bigint not null,
  "group" text not null,
  wallet_id bigint not null,
  used_quota bigint not null default 0 check (used_quota >= 0),
  request_count bigint not null default 0,
  must_change_password bigint not null,
  access_token_hash text unique,
  created_at bigint not null,
  updated_at bigint not null
);
-- The name of a deleted user (status 3) can be taken again.
create unique index users_username on users (username) where status <> 3;
create index users_email on users (email);

create table wallets (
  id ID,
  uuid text not null unique,
  balance bigint not null default 0 check (balance >= 0),
  held bigint not null default 0 check (held >= 0 and held <= balance),
  created_at bigint not null
);

create table ledger (
  billing_id bigint not null,
  kind text not null,
  debit text not null,
  credit text not null,
  amount bigint not null check (amount > 0),
  user_id bigint,
  token_id bigint,
  channel_id bigint,
  created_at bigint not null,
  primary key (billing_id, kind)
)KEYED;

create table reservations (
  id bigint not null primary key,
  wallet_id bigint not null,
  user_id bigint not null,
  token_id bigint not null,
  amount bigint not null check (amount >= 0),
  token_amount bigint not null check (token_amount >= 0),
  node bigint not null,
  lease_until bigint not null,
  snapshot text not null,
  progress text
);

create table tokens (
  id ID,
  uuid text not null unique,
  user_id bigint not null,
  name text not null,
  key_hash text not null unique,
  key_sealed text not null,
  status bigint not null,
  remain_quota bigint not null check (remain_quota >= 0),
  held_quota bigint not null default 0 check (held_quota >= 0),
  used_quota bigint not null default 0 check (used_quota >= 0),
  unlimited_quota bigint not null,
  expired_at bigint,
  models text not null,
  subnet text not null,
  created_at bigint not null,
  updated_at bigint not null,
  accessed_at bigint not null
);
create index tokens_user_id on tokens (user_id, id);

create table channels (
  id ID,
  uuid text not null unique,
  name text not null,
  type bigint not null,
  status bigint not null,
  key_sealed text not null,
  key_hint text not null,
  key_host text not null,
  base_url text not null,
  other text not null,
  models text not null,
  hidden_models text,
  model_mapping text,
  model_configs text,
  system_prompt text,
  inference_profile_arn_map text,
  testing_model text,
  "group" text not null,
  config text not null,
  priority bigint not null,
  weight bigint not null,
  ratelimit bigint not null,
  used_quota bigint not null default 0 check (used_quota >= 0),
  balance_micros bigint,
  balance_updated_at bigint not null,
  response_time bigint not null,
  tested_at bigint not null,
  disabled_reason text not null,
  created_at bigint not null,
  updated_at bigint not null
);

create table sessions (
  id_hash text not null primary key,
  user_id bigint not null,
  created_at bigint not null,
  seen_at bigint not null,
  expires_at bigint not null,
  proved_at bigint not null,
  address text not null,
  user_agent text not null
);
create index sessions_user_id on sessions (user_id);

create table options (key text not null primary key, value text not null, updated_at bigint not null);

create table prices (model_name text not null primary key, entry text not null, updated_at bigint not null);

create table audit_entries (
  id ID,
  at bigint not null,
  actor_id bigint not null,
  address text not null,
  action text not null,
  target text not null,
  change text not null,
  previous_hash text not null,
  hash text not null
);

create table idempotency_keys (
  user_id bigint not null,
  key text not null,
  operation text not null,
  reply text not null,
  created_at bigint not null,
  primary key (user_id, key)
);

create table versions (topic text not null primary key, version bigint not null);
insert into versions (topic, version) values ('channels', 0), ('tokens', 0), ('users', 0), ('options', 0), ('prices', 0);

create table nodes (node bigint not null primary key, owner text not null, lease_until bigint not null);
`;

const logs = `
create table logs (
  id LOG_ID,
  type bigint not null,
  user_id bigint not null,
  username text not null,
  token_id bigint not null,
  token_name text not null,
  channel_id bigint not null,
  channel_name text not null,
  model_name text not null,
  origin_model_name text not null,
  quota bigint not null,
  prompt_tokens bigint not null,
  completion_tokens bigint not null,
  cached_prompt_tokens bigint not null,
  cache_write_5m_tokens bigint not null,
  cache_write_1h_tokens bigint not null,
  elapsed_ms bigint not null,
  ttft_ms bigint not null,
  is_stream bigint not null,
  outcome text not null,
  content text not null,
  price text
)PARTITIONED;
-- The id orders by time, so each of these serves "newest first" and time ranges too.
create index logs_user_id on logs (user_id, id);
create index logs_model_name on logs (model_name, id);
create index logs_channel_id on logs (channel_id, id);
create table traces (id LOG_ID, data text not null)PARTITIONED;
`;

export const createRollup = ({ table, keys }: { table: string; keys: readonly string[] }): string => {
  const keyColumns = keys.map((key) => `${key} ${key === "model_name" ? "text" : "bigint"} not null`);
  const measures = measureColumns.map((column) => `${column} bigint not null`);
  return `create table ${table} (${[...keyColumns, ...measures].join(", ")}, primary key (${keys.join(", ")}))KEYED;`;
};
const rollups = firstRollupTables.map(createRollup).join("\n");

/**
 * Settled calls that the roll-ups and channel counters do not contain yet. On PostgreSQL every settle of a model or
 * channel would queue on one row; `tollgate_fold_rollups` moves them over each second, exactly once.
 */
const rollupQueue = `
create table rollup_queue (
  day bigint not null, hour bigint not null,
  user_id bigint not null, token_id bigint not null, channel_id bigint not null, model_name text not null,
  failed bigint not null, quota bigint not null,
  prompt_tokens bigint not null, completion_tokens bigint not null,
  cached_prompt_tokens bigint not null, cache_write_tokens bigint not null,
  elapsed_ms bigint not null, ttft_ms bigint not null
);
`;

const split = (sql: string): string[] =>
  sql
    .split(/;\s*\n/)
    .map((statement) => statement.trim())
    .filter((statement) => statement !== "");

const forSqlite = (sql: string): string =>
  sql
    .replaceAll(" ID,", " integer primary key autoincrement,")
    .replaceAll("LOG_ID", "integer primary key")
    .replaceAll("PARTITIONED", "")
    .replaceAll("KEYED", " without rowid");

const forPostgres = (sql: string): string =>
  sql
    .replaceAll(" ID,", " bigint generated by default as identity primary key,")
    .replaceAll("LOG_ID", "bigint primary key")
    .replaceAll("PARTITIONED", " partition by range (id)")
    .replaceAll("KEYED", "");

export const firstSchema: Migration = {
  id: 1,
  name: "first schema",
  sqlite: split(forSqlite(`${shared}\n${logs}\n${rollups}\n`)),
  postgres: [
    ...split(forPostgres(`${shared}\n${logs}\n${rollups}\n${rollupQueue}`)),
    // Rows outside every month that was made ahead still have a home.
    "create table logs_other partition of logs default",
    "create table traces_other partition of traces default",
    ...moneyFunctions,
  ],
};
