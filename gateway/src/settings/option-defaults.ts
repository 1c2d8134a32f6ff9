/** What each setting is until somebody changes it. Names and texts are those of the compatible servers. */
export const optionDefaults = {
  PasswordLoginEnabled: "true",
  PasswordRegisterEnabled: "true",
  RegisterEnabled: "true",
  EmailVerificationEnabled: "false",
  GitHubOAuthEnabled: "false",
  OidcEnabled: "false",
  WeChatAuthEnabled: "false",
  TurnstileCheckEnabled: "false",
  EmailDomainRestrictionEnabled: "false",
  EmailDomainWhitelist: "gmail.com,163.com,126.com,qq.com,outlook.com,hotmail.com,icloud.com,yahoo.com,foxmail.com",
  AutomaticDisableChannelEnabled: "false",
  AutomaticEnableChannelEnabled: "false",
  ApproximateTokenEnabled: "false",
  LogConsumeEnabled: "true",
  /** On, answers of Responses are kept for channels that keep none: what users and models say is then stored, sealed. */
  ResponseStoreEnabled: "false",
  /** 0 keeps them for ever. A trace never outlives its log row. */
  LogRetentionDays: "0",
  TraceRetentionDays: "30",
  DisplayInCurrencyEnabled: "true",
  DisplayTokenStatEnabled: "true",
  /** Off, an API key is shown in full by the reply to its creation alone. */
  TokenKeyRevealEnabled: "true",
  ChannelDisableThreshold: "5",
  // The compatible servers say 0; a gateway that never fails over is not worth its place (docs/decisions).
  RetryTimes: "3",
  QuotaForNewUser: "0",
  QuotaForInviter: "0",
  QuotaForInvitee: "0",
  QuotaRemindThreshold: "1000",
  // Prompt tokens held besides the estimate. The compatible servers say 500; our estimate has its margin already.
  PreConsumedQuota: "0",
  QuotaPerUnit: "500000",
  GroupRatio: '{"default":1,"vip":1,"svip":1}',
  /** Each call at the ratio of the channel's cheapest group, as the compatible servers charge; ours is the caller's. */
  ChannelGroupRatioEnabled: "false",
  /** Comma-joined names that the channel form offers; empty means the groups of GroupRatio. */
  AvailableGroups: "",
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
  OidcClientId: "",
  OidcWellKnown: "",
  OidcAuthorizationEndpoint: "",
  OidcTokenEndpoint: "",
  OidcUserinfoEndpoint: "",
  WeChatServerAddress: "",
  WeChatAccountQRCodeImageURL: "",
  MessagePusherAddress: "",
  TurnstileSiteKey: "",
} as const satisfies Record<string, string>;

export type OptionKey = keyof typeof optionDefaults;

/** Written and never read back; stored sealed. */
export const secretOptions = [
  "SMTPToken",
  "ResendAPIKey",
  "GitHubClientSecret",
  "LarkClientSecret",
  "OidcClientSecret",
  "WeChatServerToken",
  "MessagePusherToken",
  "TurnstileSecretKey",
  "StripeSecretKey",
  "StripeWebhookSecret",
] as const;

export type SecretOptionKey = (typeof secretOptions)[number];
