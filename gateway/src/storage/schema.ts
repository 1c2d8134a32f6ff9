/**
 * Every table as kysely sees it. Both databases hold the same columns: integers, text, JSON as
 * text, booleans as 0 or 1, times as integer milliseconds.
 */
import type { Generated } from "kysely";
import type {
  ExternalAccountRow,
  LogoutTokenRow,
  MailCodeRow,
  OauthStateRow,
  SecondFactorRow,
  SessionRow,
  UserRow,
} from "./tables/account-tables.ts";
import type { AgentSignInRow, DeviceCodeRow } from "./tables/agent-sign-in-tables.ts";
import type {
  AlertEventRow,
  AlertsTable,
  DestinationsTable,
  NodeSuspensionsRow,
  NoticeRow,
  NoticeSettingsRow,
} from "./tables/alert-tables.ts";
import type {
  BudgetCounterRow,
  BudgetRequestRow,
  BudgetsTable,
  BudgetTemplatesTable,
} from "./tables/budget-tables.ts";
import type { CallBodiesTable } from "./tables/call-body-table.ts";
import type {
  CostRollupRow,
  HeldResponseRow,
  KeptObjectRow,
  LogRow,
  MarkRollupRow,
  ProviderBatchRow,
  ProviderFileRow,
  ProviderStateRow,
  ProviderUploadRow,
  RollupMeasures,
  TagRollupRow,
  TeamRollupRow,
  VideoTaskRow,
} from "./tables/call-tables.ts";
import type {
  ChannelJobResultRow,
  ChannelJobRow,
  ChannelKeyRow,
  ChannelsTable,
  ModelFactRow,
  ToldModelEndsRow,
  VirtualModelsTable,
} from "./tables/channel-tables.ts";
import type { Millis, QuotaUnits } from "./tables/column-types.ts";
import type {
  CostReportDayRow,
  CostReportLineRow,
  CostReportRow,
} from "./tables/cost-report-tables.ts";
import type { ManagementKeysTable } from "./tables/management-key-table.ts";
import type { McpServersTable } from "./tables/mcp-server-table.ts";
import type {
  LedgerRow,
  OfferedPricesRow,
  PriceRow,
  QuotaRequestRow,
  RedemptionsTable,
  ReservationRow,
  WalletRow,
} from "./tables/money-tables.ts";
import type { OidcProvidersTable } from "./tables/oidc-tables.ts";
import type { PasskeyChallengeRow, PasskeysTable } from "./tables/passkey-tables.ts";
import type {
  AuditRow,
  ClockSpanRow,
  ImportedLogSumRow,
  ImportedRow,
  ShadowCallRow,
  SiteImportRow,
} from "./tables/record-tables.ts";
import type { RunPartRow, RunRow } from "./tables/run-tables.ts";
import type {
  TeamInvitationsTable,
  TeamKeyOffersTable,
  TeamMembersTable,
  TeamsTable,
} from "./tables/team-tables.ts";
import type { KeyNetworkRow, TokensTable } from "./tables/token-tables.ts";

export interface DatabaseSchema {
  users: UserRow;
  wallets: WalletRow;
  ledger: LedgerRow;
  reservations: ReservationRow;
  budgets: BudgetsTable;
  budget_templates: BudgetTemplatesTable;
  budget_counters: BudgetCounterRow;
  tokens: TokensTable;
  teams: TeamsTable;
  team_members: TeamMembersTable;
  team_invitations: TeamInvitationsTable;
  team_key_offers: TeamKeyOffersTable;
  key_networks: KeyNetworkRow;
  channels: ChannelsTable;
  channel_keys: ChannelKeyRow;
  channel_jobs: ChannelJobRow;
  channel_job_results: ChannelJobResultRow;
  cost_reports: CostReportRow;
  cost_report_days: CostReportDayRow;
  cost_report_lines: CostReportLineRow;
  redemptions: RedemptionsTable;
  virtual_models: VirtualModelsTable;
  model_facts: ModelFactRow;
  told_model_ends: ToldModelEndsRow;
  mcp_servers: McpServersTable;
  /** `admin_issues` are what administrators issued, by UTC day (days since 1970). */
  admin_issues: { user_id: number; day: number; amount: QuotaUnits };
  budget_requests: BudgetRequestRow;
  quota_requests: QuotaRequestRow;
  management_keys: ManagementKeysTable;
  sessions: SessionRow;
  second_factors: SecondFactorRow;
  /** SHA-256 (hex) of each unused recovery code. */
  recovery_codes: { user_id: number; code_hash: string; created_at: Millis };
  invitation_codes: { user_id: number; code: string; created_at: Millis };
  external_accounts: ExternalAccountRow;
  logout_tokens: LogoutTokenRow;
  oauth_states: OauthStateRow;
  oidc_providers: OidcProvidersTable;
  passkeys: PasskeysTable;
  passkey_challenges: PasskeyChallengeRow;
  device_codes: DeviceCodeRow;
  agent_sign_ins: AgentSignInRow;
  mail_codes: MailCodeRow;
  /** SHA-256 (hex) of each normalised address that received the initial quota. */
  welcomed_addresses: { address_hash: string; created_at: Millis };
  low_balance_notices: { wallet_id: number; told_at: Millis };
  options: { key: string; value: string; updated_at: Millis };
  held_responses: HeldResponseRow;
  provider_states: ProviderStateRow;
  /**
   * SHA-256 (hex) of an API key, a conversation and a model; `key_hash` as in `provider_states`.
   */
  reasoning_homes: {
    conversation_hash: string;
    channel_id: number;
    key_hash: string;
    known_until: Millis;
  };
  provider_files: ProviderFileRow;
  provider_batches: ProviderBatchRow;
  video_tasks: VideoTaskRow;
  provider_objects: KeptObjectRow;
  provider_uploads: ProviderUploadRow;
  /** `failures` is a `SignInFailures` (accounts/identity/lockouts/lockout-rules.ts) as JSON. */
  sign_in_failures: { account_hash: string; failures: string; forget_at: Millis };
  /** Browsers that signed in to an account before, by SHA-256 (hex) of their cookie. */
  known_devices: { user_id: number; device_hash: string; seen_at: Millis };
  /**
   * `root_networks` come from which root has signed in: the first 24 bits of an IPv4 address, 48 of
   * IPv6.
   */
  root_networks: { user_id: number; network: string; seen_at: Millis };
  /** `progress` is how far work that takes long has come, as its own JSON. */
  clock_spans: ClockSpanRow;
  /** `database_key` is at most one row: the id of the master key that the database belongs to. */
  database_key: { place: 1; key_id: string };
  chores: { name: string; due_at: Millis; progress: Generated<string> };
  prices: PriceRow;
  offered_prices: OfferedPricesRow;
  logs: LogRow;
  call_bodies: CallBodiesTable;
  /**
   * `id` is the id of the log row that the trace belongs to; `data` is a `TraceRecord`
   * (contract/src/figures/traces.ts) as JSON.
   */
  traces: { id: number; data: string };
  alert_events: AlertEventRow;
  alerts: AlertsTable;
  destinations: DestinationsTable;
  notices: NoticeRow;
  node_suspensions: NodeSuspensionsRow;
  notice_settings: NoticeSettingsRow;
  audit_entries: AuditRow;
  idempotency_keys: {
    user_id: number;
    key: string;
    operation: string;
    reply: string;
    created_at: Millis;
  };
  imported: ImportedRow;
  imported_log_sums: ImportedLogSumRow;
  site_imports: SiteImportRow;
  shadow_runs: { id: number; address: string; until: Millis; changed_at: Millis };
  shadow_calls: ShadowCallRow;
  versions: { topic: string; version: number };
  nodes: { node: number; owner: string; lease_until: Millis };
  rollup_day_model: RollupMeasures & { day: number; model_name: string };
  rollup_day_user_model: RollupMeasures & { day: number; user_id: number; model_name: string };
  rollup_day_user: RollupMeasures & { day: number; user_id: number };
  rollup_day_token: RollupMeasures & { day: number; token_id: number };
  rollup_hour_model: RollupMeasures & { hour: number; model_name: string };
  rollup_hour_channel: RollupMeasures & { hour: number; channel_id: number };
  rollup_day_tag: TagRollupRow;
  rollup_day_cost: CostRollupRow;
  rollup_day_team: TeamRollupRow;
  rollup_day_marks: MarkRollupRow;
  runs: RunRow;
  run_parts: RunPartRow;
  /** `run_secret` is at most one row: under which the ids of runs are hashed. */
  run_secret: { place: number; secret_sealed: string };
}
