/** The default of each setting. Names and texts are those of compatible servers. */
export const optionDefaults = {
  PasswordLoginEnabled: "true",
  PasswordRegisterEnabled: "true",
  RegisterEnabled: "true",
  EmailVerificationEnabled: "false",
  GitHubOAuthEnabled: "false",
  DiscordOAuthEnabled: "false",
  LinuxDOOAuthEnabled: "false",
  TelegramOAuthEnabled: "false",
  OidcEnabled: "false",
  WeChatAuthEnabled: "false",
  TurnstileCheckEnabled: "false",
  HCaptchaCheckEnabled: "false",
  EmailDomainRestrictionEnabled: "false",
  EmailDomainWhitelist:
    "gmail.com,163.com,126.com,qq.com,outlook.com,hotmail.com,icloud.com,yahoo.com,foxmail.com",
  AutomaticDisableChannelEnabled: "false",
  AutomaticEnableChannelEnabled: "false",
  ApproximateTokenEnabled: "false",
  LogConsumeEnabled: "true",
  /**
   * `ResponseStoreEnabled` stores replies of the Responses API, sealed, for channels that store
   * none.
   */
  ResponseStoreEnabled: "false",
  /**
   * `ResponseCacheEnabled` lets a client ask for the answer that its account got for the same
   * request; it costs the share `CacheHitRatio` of its first charge.
   */
  ResponseCacheEnabled: "false",
  CacheHitRatio: "0",
  /** `DenyLists` are what requests may not contain (deny-lists.ts). */
  DenyLists: "[]",
  /**
   * `SecretNoteEnabled` says whether a request that holds a credential is noted in its row, or
   * refused.
   */
  SecretNoteEnabled: "false",
  SecretRefusalEnabled: "false",
  /**
   * The operator's own service is asked about each request; without its answer, calls are refused
   * unless it is optional.
   */
  GuardHookEnabled: "false",
  GuardHookAddress: "",
  GuardHookOptionalEnabled: "false",
  /** 0 keeps them forever. A trace never outlives its log row. */
  LogRetentionDays: "0",
  TraceRetentionDays: "30",
  /**
   * `BodyRetentionDays` is for contents of calls, for keys that keep them. 0 sets no limit of time.
   */
  BodyRetentionDays: "30",
  /** `StatusPageEnabled` is who sees the status page: users, or visitors too. */
  StatusPageEnabled: "false",
  StatusPagePublicEnabled: "false",
  DisplayInCurrencyEnabled: "true",
  DisplayTokenStatEnabled: "true",
  /** Off, only the reply to its creation shows an API key in full. */
  TokenKeyRevealEnabled: "true",
  /**
   * `TokenKeyProofEnabled` makes lists mask keys, and the call that shows one again ask for recent
   * proof of identity.
   */
  TokenKeyProofEnabled: "false",
  /** Tokens that one user may have. */
  TokensPerUserMax: "500",
  /** Invitations into teams open a registration that is switched off, each for one account. */
  InvitesMayRegister: "false",
  /** Teams that one user may make and own; 0: administrators alone make teams. */
  TeamsByUsers: "0",
  /** `TransferFromUsers` lets users move quota to each other. */
  TransferFromUsers: "false",
  /** Days after which a key of a team ends at the latest; 0: it may work for good. */
  TeamKeyMaxDays: "0",
  /**
   * A key that is used from more networks on one day is listed among the keys to look at. 0 counts
   * none.
   */
  KeyNetworksThreshold: "0",
  /**
   * Free token counts of one user per minute, 0 for no limit: a coding agent counts before each of
   * its turns.
   */
  TokenCountsPerMinute: "300",
  ChannelDisableThreshold: "5",
  // Compatible servers default to 0, which disables failover (docs/decisions).
  RetryTimes: "3",
  /**
   * Error statuses of providers with which a call goes to the next channel, or ends, whatever they
   * usually mean.
   */
  RetryStatuses: "",
  NoRetryStatuses: "",
  /**
   * `RetryLostAnswerEnabled` sends a call once more after silence or an answer that is too large,
   * although the provider may bill both.
   */
  RetryLostAnswerEnabled: "false",
  /**
   * Units that an administrator below root issues per UTC day: $100. What exceeds it waits for
   * root.
   */
  AdminIssueLimit: "50000000",
  QuotaForNewUser: "0",
  QuotaForInviter: "0",
  QuotaForInvitee: "0",
  QuotaRemindThreshold: "1000",
  /**
   * Comma-joined keys of tags whose values are counted (contract: tags.ts); empty leaves tags
   * unread.
   */
  TagKeys: "",
  /** `AgentSettings` are Claude Code's settings by group, which it takes from its gateway. */
  AgentSettings: "{}",
  /** Passes what agents tell of themselves on to the collector of the environment. */
  AgentTelemetryEnabled: "false",
  /** `BudgetTimeZone` is that of budgets that are made without one. */
  BudgetTimeZone: "UTC",
  /**
   * `AlertRules` are what differs from the usual of each alert rule (contract:
   * alert-rule-settings.ts).
   */
  AlertRules: "{}",
  /** Hours between two backups by the command `backup`; 0 expects none. */
  BackupIntervalHours: "0",
  TrustedSignInRules: "[]",
  SecondFactorRequiredRole: "0",
  ProofOfWorkBits: "0",
  // Prompt tokens held in addition to the estimate. Compatible servers default to 500; our estimate
  // has its own margin.
  PreConsumedQuota: "0",
  QuotaPerUnit: "500000",
  GroupRatio: '{"default":1,"vip":1,"svip":1}',
  /**
   * `ChannelGroupRatioEnabled` charges calls at the ratio of the channel's cheapest group, as on
   * compatible servers; off, of the user's.
   */
  ChannelGroupRatioEnabled: "false",
  /** Comma-joined names that the channel form offers; empty means the groups of GroupRatio. */
  AvailableGroups: "",
  /**
   * Comma-joined groups that users may choose for their API keys besides their own; empty lets them
   * choose none.
   */
  SelectableGroups: "",
  MinTopUpUSD: "5",
  SystemName: "Tollgate",
  Theme: "modern",
  ServerAddress: "",
  Footer: "",
  Logo: "",
  Notice: "",
  About: "",
  HomePageContent: "",
  TopUpLink: "",
  ChatLink: "",
  SMTPServer: "",
  SMTPPort: "587",
  SMTPFrom: "",
  SMTPAccount: "",
  EmailProvider: "",
  GitHubClientId: "",
  LarkClientId: "",
  DiscordClientId: "",
  LinuxDOClientId: "",
  /** LinuxDO trusts its users in levels from 0 to 4; those below this one do not sign in. */
  LinuxDOMinimumTrustLevel: "0",
  OidcClientId: "",
  OidcWellKnown: "",
  OidcAuthorizationEndpoint: "",
  OidcTokenEndpoint: "",
  OidcUserinfoEndpoint: "",
  WeChatServerAddress: "",
  WeChatAccountQRCodeImageURL: "",
  MessagePusherAddress: "",
  TurnstileSiteKey: "",
  HCaptchaSiteKey: "",
} as const satisfies Record<string, string>;

export type OptionKey = keyof typeof optionDefaults;

/**
 * `optionsOpenToKeys` are what a management key may set. The rest decides who signs in and how, to
 * which servers mails and secrets go, and what is given to whom for nothing: with it, a key could
 * make itself a person with all rights, or rich. A new setting is closed to keys until it is named
 * here.
 */
export const optionsOpenToKeys: readonly OptionKey[] = [
  "AutomaticDisableChannelEnabled",
  "AutomaticEnableChannelEnabled",
  "ApproximateTokenEnabled",
  "LogConsumeEnabled",
  "ResponseStoreEnabled",
  "LogRetentionDays",
  "TraceRetentionDays",
  "BodyRetentionDays",
  "StatusPageEnabled",
  "StatusPagePublicEnabled",
  "DisplayInCurrencyEnabled",
  "DisplayTokenStatEnabled",
  "TokensPerUserMax",
  "InvitesMayRegister",
  "TeamsByUsers",
  "TeamKeyMaxDays",
  "KeyNetworksThreshold",
  "TokenCountsPerMinute",
  "ChannelDisableThreshold",
  "RetryTimes",
  "RetryStatuses",
  "NoRetryStatuses",
  "RetryLostAnswerEnabled",
  "QuotaRemindThreshold",
  "BackupIntervalHours",
  "TagKeys",
  "PreConsumedQuota",
  "GroupRatio",
  "ChannelGroupRatioEnabled",
  "AvailableGroups",
  "MinTopUpUSD",
  "SystemName",
  "Theme",
  "Footer",
  "Logo",
  "Notice",
  "About",
  "HomePageContent",
  "TopUpLink",
  "ChatLink",
];

/** Write-only settings, stored sealed. */
export const secretOptions = [
  "SMTPToken",
  "ResendAPIKey",
  "GitHubClientSecret",
  "LarkClientSecret",
  "DiscordClientSecret",
  "LinuxDOClientSecret",
  "TelegramBotToken",
  "OidcClientSecret",
  "WeChatServerToken",
  "MessagePusherToken",
  "TurnstileSecretKey",
  "HCaptchaSecretKey",
  "StripeSecretKey",
  "StripeWebhookSecret",
  /** The address of the proxy for calls to providers, with its password. */
  "OutboundProxySecret",
  /** The guard hook's, as `whsec_` and base64. */
  "GuardHookSecret",
] as const;

export type SecretOptionKey = (typeof secretOptions)[number];
