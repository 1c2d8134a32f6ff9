/**
 * Every table as kysely sees it. Both databases hold the same columns: integers, text, JSON as text,
 * booleans as 0 or 1, times as integer milliseconds.
 */
import type { Generated } from "kysely";

type Flag = 0 | 1;
type Millis = number;
type QuotaUnits = number;

export interface DatabaseSchema {
  users: UserRow;
  wallets: WalletRow;
  ledger: LedgerRow;
  reservations: ReservationRow;
  tokens: TokensTable;
  channels: ChannelsTable;
  channel_keys: ChannelKeyRow;
  channel_jobs: ChannelJobRow;
  channel_job_results: ChannelJobResultRow;
  redemptions: RedemptionsTable;
  sessions: SessionRow;
  second_factors: SecondFactorRow;
  /** SHA-256 (hex) of each recovery code that was not used yet. */
  recovery_codes: { user_id: number; code_hash: string; created_at: Millis };
  invitation_codes: { user_id: number; code: string; created_at: Millis };
  external_accounts: ExternalAccountRow;
  oauth_states: OauthStateRow;
  mail_codes: MailCodeRow;
  /** SHA-256 (hex) of each address that was given the first quota, in its plainest form. */
  welcomed_addresses: { address_hash: string; created_at: Millis };
  low_balance_notices: { wallet_id: number; told_at: Millis };
  options: { key: string; value: string; updated_at: Millis };
  held_responses: HeldResponseRow;
  /** `failures` is a `Failures` (sessions/lockout-rules.ts) as JSON. */
  sign_in_failures: { account_hash: string; failures: string; forget_at: Millis };
  chores: { name: string; due_at: Millis };
  prices: PriceRow;
  logs: LogRow;
  /** `id` is the id of the log row that the trace belongs to; `data` is a `TraceRecord` (contract/src/traces.ts) as JSON. */
  traces: { id: number; data: string };
  audit_entries: AuditRow;
  idempotency_keys: { user_id: number; key: string; operation: string; reply: string; created_at: Millis };
  versions: { topic: string; version: number };
  nodes: { node: number; owner: string; lease_until: Millis };
  rollup_day_model: RollupMeasures & { day: number; model_name: string };
  rollup_day_user_model: RollupMeasures & { day: number; user_id: number; model_name: string };
  rollup_day_user: RollupMeasures & { day: number; user_id: number };
  rollup_day_token: RollupMeasures & { day: number; token_id: number };
  rollup_hour_model: RollupMeasures & { hour: number; model_name: string };
  rollup_hour_channel: RollupMeasures & { hour: number; channel_id: number };
}

export interface UserRow {
  id: Generated<number>;
  uuid: string;
  username: string;
  display_name: string;
  email: string;
  password_hash: string;
  /** 1 user, 10 admin, 100 root. */
  role: number;
  /** 1 enabled, 2 disabled, 3 deleted. */
  status: number;
  group: string;
  wallet_id: number;
  used_quota: Generated<QuotaUnits>;
  request_count: Generated<number>;
  must_change_password: Flag;
  /** SHA-256 (hex) of the personal access token, or null. */
  access_token_hash: string | null;
  /** Whose invitation code it registered with. */
  inviter_id: Generated<number | null>;
  created_at: Millis;
  updated_at: Millis;
}

/** `balance - held` is what can be spent; `held` is the sum of the wallet's open reservations. */
export interface WalletRow {
  id: Generated<number>;
  uuid: string;
  balance: Generated<QuotaUnits>;
  held: Generated<QuotaUnits>;
  created_at: Millis;
}

/** One row moves `amount` from `debit` to `credit`: double entry by construction, never updated or deleted. */
export interface LedgerRow {
  /** The request's id for charges, a minted id for grants and redeemed codes. Unique together with `kind`. */
  billing_id: number;
  kind: "charge" | "shortfall" | "grant" | "adjustment" | "redemption";
  /** `issuance`, `wallet:N`, `revenue` or `shortfall`. */
  debit: string;
  credit: string;
  amount: QuotaUnits;
  /** Who and what a charge counts for, so that counters can be audited after logs are cleared. Null on grants. */
  user_id: number | null;
  token_id: number | null;
  channel_id: number | null;
  created_at: Millis;
}

/** An open hold. Settling or releasing deletes the row. */
export interface ReservationRow {
  /** The billing id: also the id of the log row to come. */
  id: number;
  wallet_id: number;
  user_id: number;
  token_id: number;
  amount: QuotaUnits;
  /** Part of `amount` also held on the token (0 for unlimited tokens). */
  token_amount: QuotaUnits;
  node: number;
  lease_until: Millis;
  /** JSON of what the sweeper needs to settle without the process that held: frozen price, names, estimate. */
  snapshot: string;
  /** JSON of what was delivered so far, or null before the first byte. */
  progress: string | null;
}

export interface TokensTable {
  id: Generated<number>;
  uuid: string;
  user_id: number;
  name: string;
  /** SHA-256 (hex) of the key without its `sk-` prefix. */
  key_hash: string;
  /** The key, sealed for reveal and copy. */
  key_sealed: string;
  /** 1 enabled, 2 disabled, 4 exhausted. Expired (3) follows from `expired_at` and is never stored. */
  status: number;
  remain_quota: QuotaUnits;
  held_quota: Generated<QuotaUnits>;
  used_quota: Generated<QuotaUnits>;
  unlimited_quota: Flag;
  /** Null means never. */
  expired_at: Millis | null;
  /** Comma-joined model names; empty means no restriction. */
  models: string;
  /** Comma-joined CIDR blocks; empty means no restriction. */
  subnet: string;
  /** Calls and tokens per minute, and calls at once; 0 means no limit. */
  rpm_limit: Generated<number>;
  tpm_limit: Generated<number>;
  max_parallel_requests: Generated<number>;
  /** Set on the playground key of a session: it works while that session lasts, and no list shows it. */
  session_hash: Generated<string | null>;
  created_at: Millis;
  updated_at: Millis;
  accessed_at: Millis;
}

export interface RedemptionsTable {
  id: Generated<number>;
  uuid: string;
  /** Who made it. */
  user_id: number;
  name: string;
  /** SHA-256 (hex) of the code. */
  key_hash: string;
  /** The code, sealed for administrators. */
  key_sealed: string;
  /** 1 unused, 2 disabled, 3 used: final. */
  status: number;
  quota: QuotaUnits;
  created_at: Millis;
  updated_at: Millis;
  /** The rest is null until the code is used. */
  redeemed_at: Generated<Millis | null>;
  redeemed_by: Generated<number | null>;
  /** SHA-256 (hex) of the `Idempotency-Key` it was redeemed with, so that the same call is answered again. */
  redeemed_once: Generated<string | null>;
  /** The ledger entry that paid it, and the log row. */
  billing_id: Generated<number | null>;
}

export interface ChannelsTable {
  id: Generated<number>;
  uuid: string;
  name: string;
  type: number;
  /** 1 enabled, 2 disabled by hand, 3 disabled automatically. */
  status: number;
  /** The provider key, sealed; never leaves the process but towards `key_host`. */
  key_sealed: string;
  /** Last four characters of the key. */
  key_hint: string;
  /** The host:port that the key was entered for. */
  key_host: string;
  base_url: string;
  other: string;
  models: string;
  hidden_models: string | null;
  model_mapping: string | null;
  model_configs: string | null;
  system_prompt: string | null;
  inference_profile_arn_map: string | null;
  testing_model: string | null;
  group: string;
  config: string;
  priority: number;
  weight: number;
  ratelimit: number;
  used_quota: Generated<QuotaUnits>;
  /** Millionths of the currency that the provider reckons in; null before the first balance call. */
  balance_micros: number | null;
  balance_updated_at: Millis;
  /** Milliseconds of the last test, 0 after a failed one. */
  response_time: number;
  tested_at: Millis;
  disabled_reason: string;
  created_at: Millis;
  updated_at: Millis;
}

/** What is known of one key of a channel that has several. The keys themselves are the lines of `key_sealed`. */
export interface ChannelKeyRow {
  channel_uuid: string;
  /** From 1 on: which line. */
  place: number;
  /** Last four characters of the key. */
  hint: string;
  /** 1 enabled, 2 disabled by hand, 3 disabled automatically. */
  status: number;
  reason: string;
  /** When the status changed; 0 when it never did. */
  changed_at: Millis;
}

/** The latest background job of a kind. */
export interface ChannelJobRow {
  kind: "test" | "balance";
  /** A time id. */
  id: number;
  state: "running" | "done" | "cancelled" | "interrupted";
  total: number;
  done: number;
  failed: number;
  /** A username; empty when the clock started it. */
  started_by: string;
  started_at: Millis;
  ended_at: Millis | null;
  /** A running job whose node is gone is taken for interrupted after this. */
  lease_until: Millis;
}

export interface ChannelJobResultRow {
  job_id: number;
  channel_id: number;
  channel_uuid: string;
  channel_name: string;
  outcome: "passed" | "failed" | "skipped";
  message: string;
}

export interface SessionRow {
  /** SHA-256 (hex) of the session id in the cookie. */
  id_hash: string;
  user_id: number;
  created_at: Millis;
  seen_at: Millis;
  expires_at: Millis;
  /** When a password or second factor was last proved in this session. */
  proved_at: Millis;
  address: string;
  user_agent: string;
}

export interface SecondFactorRow {
  user_id: number;
  /** The seed, sealed and bound to the user's uuid. */
  secret_sealed: string;
  created_at: Millis;
  /** Null while the seed waits to be confirmed: it protects nothing yet. */
  enabled_at: Millis | null;
  /** The 30-second step of the last code that was accepted; only later ones are. */
  last_step: Generated<number>;
  /** When the password was last shown without a code; `tries` counts the codes since then. */
  challenged_at: Generated<Millis>;
  tries: Generated<number>;
}

export interface MailCodeRow {
  purpose: "verify" | "reset";
  /** In lower case. */
  email: string;
  /** SHA-256 (hex) of purpose, address and code. */
  code_hash: string;
  /** Whose password a link resets; null for a code that proves an address. */
  user_id: number | null;
  tries: Generated<number>;
  expires_at: Millis;
}

export interface ExternalAccountRow {
  provider: "github" | "lark";
  /** What never changes: GitHub's number, Lark's open_id. */
  external_id: string;
  user_id: number;
  /** What the provider called the account when it was bound. */
  name: string;
  created_at: Millis;
}

/** One round trip to a provider. */
export interface OauthStateRow {
  /** SHA-256 (hex) of the state. */
  state_hash: string;
  /** SHA-256 (hex) of the cookie of the browser that asked for it. */
  browser_hash: string;
  /** Who binds; null when somebody signs in. */
  bind_user_id: number | null;
  expires_at: Millis;
  /** SHA-256 (hex) of provider and code of the one callback it is good for, from the first of them on. */
  request_hash: Generated<string | null>;
  used_at: Generated<Millis | null>;
  /** Until then somebody is working on the callback. */
  attempt_until: Generated<Millis>;
  /** How it ended, sealed, for the same callback sent again. */
  result: Generated<string | null>;
}

/** An answer of Responses with the conversation before it, kept for whoever goes on with it. */
export interface HeldResponseRow {
  response_id: string;
  user_id: number;
  /** `HeldResponse` (relay/held-responses.ts) as JSON, sealed and bound to id and user. */
  sealed: string;
  created_at: Millis;
  expires_at: Millis;
}

export interface PriceRow {
  model_name: string;
  /** A `PriceEntry` as JSON. */
  entry: string;
  updated_at: Millis;
}

/** `id` encodes the time of the request (storage/ids.ts), so it orders and ranges by time without another column. */
export interface LogRow {
  id: number;
  /** 1 top-up, 2 consume, 3 management, 4 system, 5 test. */
  type: number;
  user_id: number;
  username: string;
  token_id: number;
  token_name: string;
  channel_id: number;
  channel_name: string;
  /** The model after mapping: the one that was priced. */
  model_name: string;
  /** The model that the client asked for. */
  origin_model_name: string;
  quota: QuotaUnits;
  prompt_tokens: number;
  completion_tokens: number;
  cached_prompt_tokens: number;
  cache_write_5m_tokens: number;
  cache_write_1h_tokens: number;
  elapsed_ms: number;
  /** Milliseconds to the first byte from the upstream, 0 when there was none. */
  ttft_ms: number;
  is_stream: Flag;
  /** How the call ended: `success`, `failed`, `client_left`, `cut`, `quota_ran_out`, `interrupted`. Empty for other types. */
  outcome: string;
  content: string;
  /** The `FrozenPrice` (money/price.ts) that was charged, as JSON; `explainLog` tells it line by line. Null when nothing was priced. */
  price: string | null;
}

export interface AuditRow {
  id: Generated<number>;
  at: Millis;
  actor_id: number;
  address: string;
  action: string;
  target: string;
  /** JSON of what changed, secrets left out. */
  change: string;
  previous_hash: string;
  hash: string;
}

/** `latency_N` and `ttft_N` count requests whose time fell into bucket N of `histogramBoundsMs`. */
export type RollupMeasures = {
  requests: number;
  failures: number;
  quota: QuotaUnits;
  prompt_tokens: number;
  completion_tokens: number;
  cached_prompt_tokens: number;
  cache_write_tokens: number;
  cache_hits: number;
  cache_hit_quota: QuotaUnits;
  elapsed_ms: number;
  ttft_ms: number;
} & Record<`latency_${number}` | `ttft_${number}`, number>;
