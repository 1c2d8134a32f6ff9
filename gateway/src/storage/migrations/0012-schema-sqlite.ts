export const sqliteSchema = `
-- Accounts and money

create table users (
  id integer primary key autoincrement,
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
  updated_at bigint not null,
  inviter_id bigint
);
-- Status 3 is deleted: the name and the address of a deleted user are free again.
create unique index users_username on users (username) where status <> 3;
create unique index users_email_taken on users (lower(email)) where status <> 3 and email <> '';

create table wallets (
  id integer primary key autoincrement,
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
) without rowid;

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

create table redemptions (
  id integer primary key autoincrement,
  uuid text not null unique,
  user_id bigint not null,
  name text not null,
  key_hash text not null unique,
  key_sealed text not null,
  status bigint not null,
  quota bigint not null check (quota >= 0),
  created_at bigint not null,
  updated_at bigint not null,
  redeemed_at bigint,
  redeemed_by bigint,
  redeemed_once text,
  billing_id bigint unique
);

-- Wallets whose owner was notified of a low balance; the row is removed once the balance is above the threshold again.
create table low_balance_notices (wallet_id bigint not null primary key, told_at bigint not null);

-- Addresses that received the initial quota: a deleted account that registers again does not receive it twice.
create table welcomed_addresses (address_hash text not null primary key, created_at bigint not null);

-- Tokens

create table tokens (
  id integer primary key autoincrement,
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
  accessed_at bigint not null,
  session_hash text,
  rpm_limit bigint not null default 0,
  tpm_limit bigint not null default 0,
  max_parallel_requests bigint not null default 0
);
create index tokens_user_id on tokens (user_id, id);
-- A token with a session is the playground key of that session.
create unique index tokens_session on tokens (session_hash) where session_hash is not null;

-- Channels

create table channels (
  id integer primary key autoincrement,
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

-- The state of each key of a channel with several keys; the keys themselves are the lines of channels.key_sealed.
create table channel_keys (
  channel_uuid text not null,
  place bigint not null,
  hint text not null,
  status bigint not null,
  reason text not null,
  changed_at bigint not null,
  primary key (channel_uuid, place)
);

-- One row per kind, so that no kind runs twice at once, on any number of nodes.
create table channel_jobs (
  kind text not null primary key,
  id bigint not null unique,
  state text not null,
  total bigint not null,
  done bigint not null,
  failed bigint not null,
  started_by text not null,
  started_at bigint not null,
  ended_at bigint,
  lease_until bigint not null
);

create table channel_job_results (
  job_id bigint not null,
  channel_id bigint not null,
  channel_uuid text not null,
  channel_name text not null,
  outcome text not null,
  message text not null,
  primary key (job_id, channel_id)
);

create table prices (model_name text not null primary key, entry text not null, updated_at bigint not null);

-- Sign-in

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

-- One row per user with a second factor, which is in force from enabled_at on.
create table second_factors (
  user_id bigint not null primary key,
  secret_sealed text not null,
  created_at bigint not null,
  enabled_at bigint,
  last_step bigint not null default 0,
  challenged_at bigint not null default 0,
  tries bigint not null default 0
);

create table recovery_codes (
  user_id bigint not null,
  code_hash text not null,
  created_at bigint not null,
  primary key (user_id, code_hash)
);

create table invitation_codes (
  user_id bigint not null primary key,
  code text not null unique,
  created_at bigint not null
);

-- Mailed codes and links: one per purpose and address, so a new one replaces the one before.
create table mail_codes (
  purpose text not null,
  email text not null,
  code_hash text not null,
  user_id bigint,
  tries bigint not null default 0,
  expires_at bigint not null,
  primary key (purpose, email)
);

-- Matched by the provider's immutable id; the name is for display only.
create table external_accounts (
  provider text not null,
  external_id text not null,
  user_id bigint not null,
  name text not null,
  created_at bigint not null,
  primary key (provider, external_id),
  unique (user_id, provider)
);

-- One OAuth flow. Once request_hash is set, the state is valid for that one callback only.
create table oauth_states (
  state_hash text not null primary key,
  browser_hash text not null,
  bind_user_id bigint,
  expires_at bigint not null,
  request_hash text,
  used_at bigint,
  attempt_until bigint not null default 0,
  result text
);
create index oauth_states_expiry on oauth_states (expires_at);

-- Failures that delay the next attempt on an account, whether or not it exists; the account is a hash.
create table sign_in_failures (
  account_hash text not null primary key,
  failures text not null,
  forget_at bigint not null
);
create index sign_in_failures_forget on sign_in_failures (forget_at);

-- Logs

create table logs (
  id integer primary key,
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
);
-- The id orders by time, so each of these serves "newest first" and time ranges.
create index logs_user_id on logs (user_id, id);
create index logs_model_name on logs (model_name, id);
create index logs_channel_id on logs (channel_id, id);
-- Without it, one page of a rarely used model would scan all calls of the user.
create index logs_user_model on logs (user_id, model_name, id);

create table traces (id integer primary key, data text not null);

-- Roll-ups

create table rollup_day_model (
  day bigint not null, model_name text not null,
  requests bigint not null, failures bigint not null, quota bigint not null, prompt_tokens bigint not null,
  completion_tokens bigint not null, cached_prompt_tokens bigint not null, cache_write_tokens bigint not null,
  cache_hits bigint not null, cache_hit_quota bigint not null, elapsed_ms bigint not null, ttft_ms bigint not null,
  latency_0 bigint not null, latency_1 bigint not null, latency_2 bigint not null, latency_3 bigint not null,
  latency_4 bigint not null, latency_5 bigint not null, latency_6 bigint not null, latency_7 bigint not null,
  latency_8 bigint not null, latency_9 bigint not null, latency_10 bigint not null, latency_11 bigint not null,
  ttft_0 bigint not null, ttft_1 bigint not null, ttft_2 bigint not null, ttft_3 bigint not null,
  ttft_4 bigint not null, ttft_5 bigint not null, ttft_6 bigint not null, ttft_7 bigint not null,
  ttft_8 bigint not null, ttft_9 bigint not null, ttft_10 bigint not null, ttft_11 bigint not null,
  primary key (day, model_name)
) without rowid;

create table rollup_day_user_model (
  day bigint not null, user_id bigint not null, model_name text not null,
  requests bigint not null, failures bigint not null, quota bigint not null, prompt_tokens bigint not null,
  completion_tokens bigint not null, cached_prompt_tokens bigint not null, cache_write_tokens bigint not null,
  cache_hits bigint not null, cache_hit_quota bigint not null, elapsed_ms bigint not null, ttft_ms bigint not null,
  latency_0 bigint not null, latency_1 bigint not null, latency_2 bigint not null, latency_3 bigint not null,
  latency_4 bigint not null, latency_5 bigint not null, latency_6 bigint not null, latency_7 bigint not null,
  latency_8 bigint not null, latency_9 bigint not null, latency_10 bigint not null, latency_11 bigint not null,
  ttft_0 bigint not null, ttft_1 bigint not null, ttft_2 bigint not null, ttft_3 bigint not null,
  ttft_4 bigint not null, ttft_5 bigint not null, ttft_6 bigint not null, ttft_7 bigint not null,
  ttft_8 bigint not null, ttft_9 bigint not null, ttft_10 bigint not null, ttft_11 bigint not null,
  primary key (day, user_id, model_name)
) without rowid;

create table rollup_day_token (
  day bigint not null, token_id bigint not null,
  requests bigint not null, failures bigint not null, quota bigint not null, prompt_tokens bigint not null,
  completion_tokens bigint not null, cached_prompt_tokens bigint not null, cache_write_tokens bigint not null,
  cache_hits bigint not null, cache_hit_quota bigint not null, elapsed_ms bigint not null, ttft_ms bigint not null,
  latency_0 bigint not null, latency_1 bigint not null, latency_2 bigint not null, latency_3 bigint not null,
  latency_4 bigint not null, latency_5 bigint not null, latency_6 bigint not null, latency_7 bigint not null,
  latency_8 bigint not null, latency_9 bigint not null, latency_10 bigint not null, latency_11 bigint not null,
  ttft_0 bigint not null, ttft_1 bigint not null, ttft_2 bigint not null, ttft_3 bigint not null,
  ttft_4 bigint not null, ttft_5 bigint not null, ttft_6 bigint not null, ttft_7 bigint not null,
  ttft_8 bigint not null, ttft_9 bigint not null, ttft_10 bigint not null, ttft_11 bigint not null,
  primary key (day, token_id)
) without rowid;

create table rollup_hour_model (
  hour bigint not null, model_name text not null,
  requests bigint not null, failures bigint not null, quota bigint not null, prompt_tokens bigint not null,
  completion_tokens bigint not null, cached_prompt_tokens bigint not null, cache_write_tokens bigint not null,
  cache_hits bigint not null, cache_hit_quota bigint not null, elapsed_ms bigint not null, ttft_ms bigint not null,
  latency_0 bigint not null, latency_1 bigint not null, latency_2 bigint not null, latency_3 bigint not null,
  latency_4 bigint not null, latency_5 bigint not null, latency_6 bigint not null, latency_7 bigint not null,
  latency_8 bigint not null, latency_9 bigint not null, latency_10 bigint not null, latency_11 bigint not null,
  ttft_0 bigint not null, ttft_1 bigint not null, ttft_2 bigint not null, ttft_3 bigint not null,
  ttft_4 bigint not null, ttft_5 bigint not null, ttft_6 bigint not null, ttft_7 bigint not null,
  ttft_8 bigint not null, ttft_9 bigint not null, ttft_10 bigint not null, ttft_11 bigint not null,
  primary key (hour, model_name)
) without rowid;

create table rollup_hour_channel (
  hour bigint not null, channel_id bigint not null,
  requests bigint not null, failures bigint not null, quota bigint not null, prompt_tokens bigint not null,
  completion_tokens bigint not null, cached_prompt_tokens bigint not null, cache_write_tokens bigint not null,
  cache_hits bigint not null, cache_hit_quota bigint not null, elapsed_ms bigint not null, ttft_ms bigint not null,
  latency_0 bigint not null, latency_1 bigint not null, latency_2 bigint not null, latency_3 bigint not null,
  latency_4 bigint not null, latency_5 bigint not null, latency_6 bigint not null, latency_7 bigint not null,
  latency_8 bigint not null, latency_9 bigint not null, latency_10 bigint not null, latency_11 bigint not null,
  ttft_0 bigint not null, ttft_1 bigint not null, ttft_2 bigint not null, ttft_3 bigint not null,
  ttft_4 bigint not null, ttft_5 bigint not null, ttft_6 bigint not null, ttft_7 bigint not null,
  ttft_8 bigint not null, ttft_9 bigint not null, ttft_10 bigint not null, ttft_11 bigint not null,
  primary key (hour, channel_id)
) without rowid;

create table rollup_day_user (
  day bigint not null, user_id bigint not null,
  requests bigint not null, failures bigint not null, quota bigint not null, prompt_tokens bigint not null,
  completion_tokens bigint not null, cached_prompt_tokens bigint not null, cache_write_tokens bigint not null,
  cache_hits bigint not null, cache_hit_quota bigint not null, elapsed_ms bigint not null, ttft_ms bigint not null,
  latency_0 bigint not null, latency_1 bigint not null, latency_2 bigint not null, latency_3 bigint not null,
  latency_4 bigint not null, latency_5 bigint not null, latency_6 bigint not null, latency_7 bigint not null,
  latency_8 bigint not null, latency_9 bigint not null, latency_10 bigint not null, latency_11 bigint not null,
  ttft_0 bigint not null, ttft_1 bigint not null, ttft_2 bigint not null, ttft_3 bigint not null,
  ttft_4 bigint not null, ttft_5 bigint not null, ttft_6 bigint not null, ttft_7 bigint not null,
  ttft_8 bigint not null, ttft_9 bigint not null, ttft_10 bigint not null, ttft_11 bigint not null,
  primary key (day, user_id)
) without rowid;

-- The installation

create table options (key text not null primary key, value text not null, updated_at bigint not null);

create table audit_entries (
  id integer primary key autoincrement,
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

-- Responses stored for channels whose provider stores none; the content is encrypted.
create table held_responses (
  response_id text not null primary key,
  user_id bigint not null,
  sealed text not null,
  created_at bigint not null,
  expires_at bigint not null
);
create index held_responses_expiry on held_responses (expires_at);

create table versions (topic text not null primary key, version bigint not null);
insert into versions (topic, version) values ('channels', 0), ('tokens', 0), ('users', 0), ('options', 0), ('prices', 0);

create table nodes (node bigint not null primary key, owner text not null, lease_until bigint not null);

-- Scheduled jobs that one node runs for all: the node that moves due_at forward runs the job.
create table chores (name text not null primary key, due_at bigint not null);
insert into chores (name, due_at) values ('log retention', 0);
`;
