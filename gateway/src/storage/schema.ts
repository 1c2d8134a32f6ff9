/**
 * Every table as kysely sees it. Both databases hold the same columns: integers, text, JSON as text,
 * booleans as 0 or 1, times as integer milliseconds.
 */
import type { QuotaRequestKind } from "@tollgate/contract/quota-requests.ts";
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
  /** What administrators issued, by UTC day (days since 1970). */
  admin_issues: { user_id: number; day: number; amount: QuotaUnits };
  quota_requests: QuotaRequestRow;
  sessions: SessionRow;
  second_factors: SecondFactorRow;
  /** SHA-256 (hex) of each unused recovery code. */
  recovery_codes: { user_id: number; code_hash: string; created_at: Millis };
  invitation_codes: { user_id: number; code: string; created_at: Millis };
  external_accounts: ExternalAccountRow;
  oauth_states: OauthStateRow;
  mail_codes: MailCodeRow;
  /** SHA-256 (hex) of each normalised address that received the initial quota. */
  welcomed_addresses: { address_hash: string; created_at: Millis };
  low_balance_notices: { wallet_id: number; told_at: Millis };
  options: { key: string; value: string; updated_at: Millis };
  held_responses: HeldResponseRow;
  provider_states: ProviderStateRow;
  /** `failures` is a `SignInFailures` (identity/lockouts/lockout-rules.ts) as JSON. */
  sign_in_failures: { account_hash: string; failures: string; forget_at: Millis };
  /** Browsers that signed in to an account before, by SHA-256 (hex) of their cookie. */
  known_devices: { user_id: number; device_hash: string; seen_at: Millis };
  chores: { name: string; due_at: Millis };
  prices: PriceRow;
  logs: LogRow;
  /** `id` is the id of the log row that the trace belongs to; `data` is a `TraceRecord` (contract/src/traces.ts) as JSON. */
  traces: { id: number; data: string };
  audit_entries: AuditRow;
  idempotency_keys: { user_id: number; key: string; operation: string; reply: string; created_at: Millis };
  imported: ImportedRow;
  versions: { topic: string; version: number };
  nodes: { node: number; owner: string; lease_until: Millis };
  rollup_day_model: RollupMeasures & { day: number; model_name: string };
  rollup_day_user_model: RollupMeasures & { day: number; user_id: number; model_name: string };
  rollup_day_user: RollupMeasures & { day: number; user_id: number };
  rollup_day_token: RollupMeasures & { day: number; token_id: number };
  rollup_hour_model: RollupMeasures & { hour: number; model_name: string };
  rollup_hour_channel: RollupMeasures & { hour: number; channel_id: number };
}

/** A row of another system, and the row here that an import made of it. */
export interface ImportedRow {
  /** The name that the operator gave the other system. */
  source: string;
  /** An `ImportEntity` (import/import-items.ts). */
  entity: string;
  source_id: string;
  our_id: number;
  /** What the source said when it was last read, as JSON. */
  state: string;
}

export interface UserRow {
  id: Generated<number>;
  uuid: string;
  username: string;
  /** The folded name, unique; null for a name of before version 0.2.0 that looks like that of another account. */
  username_key: Generated<string | null>;
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
  /** Null without a token, and for one of before version 0.2.0. */
  access_token_created_at: Generated<Millis | null>;
  /** Exact to minutes. */
  access_token_used_at: Generated<Millis | null>;
  /** The owner of the invitation code used at registration. */
  inviter_id: Generated<number | null>;
  /** The language of mails (a `LanguageCode`), as the console last sent it; empty when it sent none. */
  language: Generated<string>;
  created_at: Millis;
  updated_at: Millis;
}

/** `balance - held` is what can be spent; `held` is the sum of the wallet's open reservations. */
export interface WalletRow {
  id: Generated<number>;
  uuid: string;
  balance: Generated<QuotaUnits>;
  held: Generated<QuotaUnits>;
  /** What charges exceeded hold and balance by; every credit pays it first, and a wallet in debt makes no call. */
  debt: Generated<QuotaUnits>;
  created_at: Millis;
}

/** One row moves `amount` from `debit` to `credit`: double entry by construction, never updated or deleted. */
export interface LedgerRow {
  /** The request's id for charges, a minted id for grants and redeemed codes. Unique together with `kind`. */
  billing_id: number;
  kind:
    | "charge"
    | "debt"
    | "shortfall"
    | "debt_payment"
    | "debt_waiver"
    | "grant"
    | "adjustment"
    | "redemption"
    | "opening"
    | "opening_debt"
    | "opening_use";
  /** `issuance`, `wallet:N`, `debt:N`, `revenue`, `shortfall`, or `carried`: what another system had charged before an import. */
  debit: string;
  credit: string;
  amount: QuotaUnits;
  /** What a charge is counted under, so that counters can be audited after logs are cleared. Null on grants. */
  user_id: number | null;
  token_id: number | null;
  channel_id: number | null;
  created_at: Millis;
}

/** An open hold. Settling or releasing deletes the row. */
export interface ReservationRow {
  /** The billing id: also the id of the future log row. */
  id: number;
  wallet_id: number;
  user_id: number;
  token_id: number;
  amount: QuotaUnits;
  /** Part of `amount` also held on the token (0 for unlimited tokens). */
  token_amount: QuotaUnits;
  node: number;
  lease_until: Millis;
  /** JSON with what the sweeper needs to settle in place of the owning process: frozen price, names, estimate. */
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
  /** The last four characters, by which administrators find the key; empty where it cannot be read. */
  key_ending: Generated<string>;
  /** `disabled` or `replaced` by an administrator, until the owner has read it. */
  taken_action: Generated<string | null>;
  taken_action_at: Generated<Millis | null>;
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
  /** Set on the playground key of a session: valid as long as the session, and hidden from lists. */
  session_hash: Generated<string | null>;
  created_at: Millis;
  updated_at: Millis;
  accessed_at: Millis;
}

/** What an administrator wanted to issue above the limit; a decided request has no row. */
export interface QuotaRequestRow {
  /** A time id. */
  id: number;
  /** The administrator. */
  user_id: number;
  kind: QuotaRequestKind;
  /** The uuid of the user or code; empty for new codes. */
  target_uuid: string;
  /** The name of the codes, or the remark of a grant. */
  name: string;
  /** Of the grant, or of each code. */
  quota: QuotaUnits;
  count: number;
  created_at: Millis;
}

export interface RedemptionsTable {
  id: Generated<number>;
  uuid: string;
  /** The creator. */
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
  /** The following columns are null until the code is used. */
  redeemed_at: Generated<Millis | null>;
  redeemed_by: Generated<number | null>;
  /** SHA-256 (hex) of the `Idempotency-Key` of the redemption, so that a repeated call gets the same reply. */
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
  /** The provider key, sealed; another destination (contract/src/key-destination.ts) requires it again. */
  key_sealed: string;
  /** The values of `custom_headers` in `config`, sealed as JSON by lower-case name; empty without any. */
  headers_sealed: string;
  /** Last four characters of the key. */
  key_hint: string;
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
  /** Millionths of the provider's currency; null before the first balance call. */
  balance_micros: number | null;
  balance_updated_at: Millis;
  /** Milliseconds of the last test, 0 after a failed one. */
  response_time: number;
  tested_at: Millis;
  disabled_reason: string;
  created_at: Millis;
  updated_at: Millis;
}

/** An id that a provider issued, and to whom: relay/provider-states. */
export interface ProviderStateRow {
  /** SHA-256 (hex) of the id. */
  id_hash: string;
  channel_id: number;
  /** A `StateKind`. */
  kind: string;
  user_id: number;
  /** Tells the provider keys of a channel apart without revealing them. */
  key_hash: string;
  /** The model that the call asked for: an API key that may not use it may not use the state either. */
  model_name: string;
  created_at: Millis;
  /** To a day. */
  used_at: Millis;
}

/** The state of one key of a channel with several keys. The keys themselves are the lines of `key_sealed`. */
export interface ChannelKeyRow {
  channel_uuid: string;
  /** The number of the line, from 1. */
  place: number;
  /** Last four characters of the key. */
  hint: string;
  /** 1 enabled, 2 disabled by hand, 3 disabled automatically. */
  status: number;
  reason: string;
  /** When the status changed; 0 for never. */
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
  /** A username; empty for a scheduled run. */
  started_by: string;
  started_at: Millis;
  ended_at: Millis | null;
  /** A running job counts as interrupted after this: its node is gone. */
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
  /** When the password or the second factor was last verified in this session. */
  proved_at: Millis;
  address: string;
  user_agent: string;
}

export interface SecondFactorRow {
  user_id: number;
  /** The seed, sealed and bound to the user's uuid. */
  secret_sealed: string;
  created_at: Millis;
  /** Null until the user confirms the seed; until then the factor is not in force. */
  enabled_at: Millis | null;
  /** The 30-second step of the last accepted code; only later steps are accepted. */
  last_step: Generated<number>;
  /** When the password was last given without a code; `tries` counts the codes since then. */
  challenged_at: Generated<Millis>;
  tries: Generated<number>;
}

export interface MailCodeRow {
  purpose: "verify" | "reset";
  /** In lower case. */
  email: string;
  /** SHA-256 (hex) of purpose, address and code. */
  code_hash: string;
  /** The user whose password a link resets; null for a code that verifies an address. */
  user_id: number | null;
  tries: Generated<number>;
  expires_at: Millis;
}

export interface ExternalAccountRow {
  provider: "github" | "lark";
  /** The provider's immutable id: GitHub's number, Lark's open_id. */
  external_id: string;
  user_id: number;
  /** The name of the account at the provider when it was bound. */
  name: string;
  created_at: Millis;
}

/** One OAuth flow. */
export interface OauthStateRow {
  /** SHA-256 (hex) of the state. */
  state_hash: string;
  /** SHA-256 (hex) of the cookie of the browser that started it. */
  browser_hash: string;
  /** The user who binds an account; null for a sign-in. */
  bind_user_id: number | null;
  expires_at: Millis;
  /** SHA-256 (hex) of provider and code of the first callback, the only one that the state is valid for. */
  request_hash: Generated<string | null>;
  used_at: Generated<Millis | null>;
  /** Until then one request is processing the callback. */
  attempt_until: Generated<Millis>;
  /** The result, sealed, for a repeated callback. */
  result: Generated<string | null>;
}

/** A reply of the Responses API with its conversation, stored for a follow-up call. */
export interface HeldResponseRow {
  response_id: string;
  user_id: number;
  /** `StoredResponse` (relay/stored-responses/stored-responses.ts) as JSON, sealed and bound to id and user. */
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

/** `id` encodes the time of the request (storage/time-ids.ts), so it orders and ranges by time without another column. */
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
  /** The model after mapping, which was priced. */
  model_name: string;
  /** The model that the client requested. */
  origin_model_name: string;
  quota: QuotaUnits;
  prompt_tokens: number;
  completion_tokens: number;
  cached_prompt_tokens: number;
  cache_write_5m_tokens: number;
  cache_write_1h_tokens: number;
  elapsed_ms: number;
  /** Milliseconds until the first byte from the upstream, 0 for none. */
  ttft_ms: number;
  is_stream: Flag;
  /** How the call ended: `success`, `failed`, `client_left`, `cut`, `quota_ran_out`, `interrupted`. Empty for other types. */
  outcome: string;
  content: string;
  /** The `FrozenPrice` (money/price.ts) that was charged, as JSON; `explainLog` shows it line by line. Null when nothing was priced. */
  price: string | null;
  /** `UsageDetails` (relay/formats/usage-details.ts) as JSON; null where no provider reported anything. */
  usage_details: string | null;
  /** Attempts after the first, on another channel or with another key; null for other types and in older rows. */
  retries: number | null;
}

export interface AuditRow {
  id: Generated<number>;
  at: Millis;
  actor_id: number;
  address: string;
  action: string;
  target: string;
  /** JSON of what changed, without secrets. */
  change: string;
  previous_hash: string;
  hash: string;
}

/** `latency_N` and `ttft_N` count requests in bucket N of `histogramBoundsMs`. */
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
