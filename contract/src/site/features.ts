/**
 * Features of this gateway beyond those of every server of the family: one flag decides for status,
 * settings, channel types and the console. A feature that is not served is neither offered nor
 * accepted; the change that serves it flips its flag.
 */
const served = {
  /** Figures of the dashboard beyond the family's: latency by day, pace, channels, hours. */
  dashboard_insight: true,
  /** Spending in steps of time by model, user, key or channel. */
  dashboard_spending: true,
  /** Alerts with their states, and where notices of them go. */
  alerts: true,
  /** Keys of all users for administrators, and notices to their owners. */
  all_tokens: true,
  /** Both APIs for people, as a page of the console. */
  api_reference: true,
  /** The record of administrators' changes. */
  audit_trail: true,
  /** `bulk_verbs` are one act on many rows of a list, with a preview. */
  bulk_verbs: true,
  /** `call_check` says whether a call would work, without sending it. */
  call_check: true,
  /** A channel may have an outbound proxy of its own. */
  channel_proxy: true,
  /** The models of a channel are compared with the list of its provider. */
  model_differences: true,
  /** Channels are grouped by a tag. */
  channel_tags: true,
  /** Background jobs over all channels. */
  channel_jobs: true,
  /** `budgets` are what a subject may spend in each window of time. */
  budgets: true,
  /** More of a budget is granted for one window, and asked for by those whom it limits. */
  budget_grants: true,
  /** `cost_reports` are what providers report that they charged, beside what was charged here. */
  cost_reports: true,
  /** A change with the header `Dry-Run: true` is checked and not made. */
  dry_run: true,
  /** Whole keys and codes are found by their hash. */
  find_by_hash: true,
  /** Early failures of the user's own calls, explained. */
  failed_tries: true,
  /** Spending as FinOps tools read it. */
  focus_export: true,
  /** `incidents` are what happened in a span of time, on one page. */
  incidents: true,
  /** Lists of channels, keys, users and codes are narrowed by status, type, group and owner. */
  list_filters: true,
  /** Logs are filtered by how calls ended, and problems are grouped. */
  log_outcomes: true,
  /** `month_report` is what was spent in a month, as a page and CSV. */
  month_report: true,
  /** Mails are written in the language that the console sends for its user. */
  mail_language: true,
  /** Users are told of what is theirs at destinations of their own. */
  own_notices: true,
  /** A short-lived key for the console's calls to /v1. */
  playground: true,
  /** A provider's models before a channel exists. */
  provider_check: true,
  /** `quota_requests` are what an administrator issues above the daily limit waits for root. */
  quota_requests: true,
  /** Keys are paused with a reason, and resumed. */
  token_pause: true,
  /** A page for holders of API keys without an account. */
  key_holder_page: true,
  /** The list of sign-ins of an account. */
  sessions: true,
  /** Servers of tools that API keys reach through the gateway. */
  mcp_servers: true,
  /** Models that their providers end, and who uses them. */
  model_ends: true,
  /** Prices of models that an operator sets in dollars. */
  model_prices: true,
  /** A newer price list beside the prices in force, of which root takes what is right. */
  price_offers: true,
  /** Names that stand for tiers of real models. */
  virtual_models: true,
  /** Sign-in with codes of a WeChat official account. */
  wechat: true,
  external_accounts: true,
  /** Sign-in with providers of OpenID Connect that root adds. */
  oidc_providers: true,
  /** Another system is moved in from the console. */
  site_imports: true,
  /** A token names groups in an order. */
  token_groups: true,
  token_limits: true,
  /**
   * Calls and keys have tags: logs are filtered, spending is summed and budgets are set by them.
   */
  tags: true,
  /** Calls of agents are shown, limited and stopped by the run that they belong to. */
  agent_runs: true,
  /** Programs are signed in for a person by a code. */
  agent_sign_in: true,
  /** People share a wallet, with keys of their own. */
  teams: true,
  /** Keys that are unused, unlimited, old or never expire are listed. */
  key_findings: true,
  /** A token says whether the gateway marks its prompts for the cache of Claude. */
  prompt_marks: true,
  /** A token gets a new key while the old one works on. */
  token_rotation: true,
  totp: true,
  /** Captchas before strangers are served, of Cloudflare and of hCaptcha. */
  turnstile: true,
  hcaptcha: true,
  oidc: false,
  proxy_channels: false,
  stripe: false,
} as const;

export type FeatureName = keyof typeof served;
export const isServed = (feature: FeatureName): boolean => served[feature];
export const servedFeatures: readonly FeatureName[] = (Object.keys(served) as FeatureName[]).filter(
  isServed,
);
