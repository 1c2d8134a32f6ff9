/** The rule of each setting: it returns the text to store, or the problem with it. */

import { networksCountedMax } from "@tollgate/contract/key-hygiene.ts";
import { proofOfWorkBitsMax } from "@tollgate/contract/proof-of-work.ts";
import { quotaMax } from "@tollgate/contract/scalars.ts";
import { parseProxy } from "../egress/proxy-address.ts";
import { isSigningSecret } from "../egress/standard-webhook.ts";
import {
  accepted,
  alertRules,
  claimRules,
  content,
  denyLists,
  flag,
  groupPattern,
  guardAddress,
  line,
  link,
  names,
  number,
  type OptionRule,
  oneOf,
  ratios,
  rejected,
  statuses,
  tagKeys,
  timeZone,
} from "./option-checks.ts";
import { type OptionKey, optionDefaults, type SecretOptionKey, secretOptions } from "./option-defaults.ts";

/** Of systems with one provider. Here each has a switch, which asks for proof of identity. */
const oidcFlag: OptionRule = (text, context) =>
  text === "true"
    ? rejected("cannot be switched on here: the identity providers under Settings, Sign-in have a switch each")
    : flag(text, context);

const quota = number(quotaMax);
const name = line(300);

/** A setting without a rule does not compile. Fixed settings are excluded. */
const rules: Record<Exclude<OptionKey, "QuotaPerUnit">, OptionRule> = {
  PasswordLoginEnabled: flag,
  PasswordRegisterEnabled: flag,
  RegisterEnabled: flag,
  EmailVerificationEnabled: flag,
  GitHubOAuthEnabled: flag,
  DiscordOAuthEnabled: flag,
  LinuxDOOAuthEnabled: flag,
  TelegramOAuthEnabled: flag,
  OidcEnabled: oidcFlag,
  WeChatAuthEnabled: flag,
  TurnstileCheckEnabled: flag,
  HCaptchaCheckEnabled: flag,
  EmailDomainRestrictionEnabled: flag,
  EmailDomainWhitelist: names(/^(?:[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?\.)+[a-z]{2,63}$/i, "mail domains"),
  AutomaticDisableChannelEnabled: flag,
  AutomaticEnableChannelEnabled: flag,
  ApproximateTokenEnabled: flag,
  LogConsumeEnabled: flag,
  ResponseStoreEnabled: flag,
  ResponseCacheEnabled: flag,
  CacheHitRatio: number(1, { whole: false }),
  DenyLists: denyLists,
  SecretNoteEnabled: flag,
  SecretRefusalEnabled: flag,
  GuardHookEnabled: flag,
  GuardHookAddress: guardAddress,
  GuardHookOptionalEnabled: flag,
  LogRetentionDays: number(36_500),
  TraceRetentionDays: number(36_500),
  BodyRetentionDays: number(36_500),
  StatusPageEnabled: flag,
  StatusPagePublicEnabled: flag,
  DisplayInCurrencyEnabled: flag,
  DisplayTokenStatEnabled: flag,
  TokenKeyRevealEnabled: flag,
  TokenKeyProofEnabled: flag,
  TokensPerUserMax: number(100_000, { min: 1 }),
  KeyNetworksThreshold: number(networksCountedMax - 1),
  TokenCountsPerMinute: number(1_000_000),
  ChannelDisableThreshold: number(86_400, { whole: false }),
  RetryTimes: number(100),
  RetryStatuses: statuses,
  NoRetryStatuses: statuses,
  RetryLostAnswerEnabled: flag,
  AdminIssueLimit: quota,
  QuotaForNewUser: quota,
  QuotaForInviter: quota,
  QuotaForInvitee: quota,
  QuotaRemindThreshold: quota,
  TagKeys: tagKeys,
  BudgetTimeZone: timeZone,
  AlertRules: alertRules,
  BackupIntervalHours: number(8_760),
  TrustedSignInRules: claimRules,
  SecondFactorRequiredRole: oneOf("0", "1", "10", "100"),
  ProofOfWorkBits: number(proofOfWorkBitsMax),
  PreConsumedQuota: quota,
  GroupRatio: ratios,
  ChannelGroupRatioEnabled: flag,
  AvailableGroups: names(groupPattern, "group names"),
  SelectableGroups: names(groupPattern, "group names"),
  MinTopUpUSD: number(1_000_000),
  SystemName: line(100, 1),
  Theme: oneOf("air", "berry", "modern", "default"),
  ServerAddress: link("server"),
  Footer: content,
  Logo: link("picture"),
  Notice: content,
  About: content,
  HomePageContent: content,
  TopUpLink: link("link"),
  ChatLink: link("frame"),
  SMTPServer: name,
  SMTPPort: number(65_535, { min: 1 }),
  SMTPFrom: name,
  SMTPAccount: name,
  EmailProvider: oneOf("smtp", "resend", ""),
  GitHubClientId: name,
  LarkClientId: name,
  DiscordClientId: name,
  LinuxDOClientId: name,
  LinuxDOMinimumTrustLevel: number(4),
  OidcClientId: name,
  OidcWellKnown: link("link"),
  OidcAuthorizationEndpoint: link("link"),
  OidcTokenEndpoint: link("link"),
  OidcUserinfoEndpoint: link("link"),
  WeChatServerAddress: link("server"),
  WeChatAccountQRCodeImageURL: link("picture"),
  MessagePusherAddress: link("server"),
  TurnstileSiteKey: name,
  HCaptchaSiteKey: name,
};

const proxyAddress: OptionRule = (text) =>
  text === "" || parseProxy(text)
    ? accepted(text)
    : rejected("must be http://, https:// or socks5://, then user:password@host:port");

const signingSecret: OptionRule = (text) =>
  text === "" || isSigningSecret(text)
    ? accepted(text)
    : rejected("must be whsec_ and 24 to 64 bytes in base64, as Standard Webhooks has it");

const botToken: OptionRule = (text) =>
  text === "" || /^[1-9]\d{0,19}:[\w-]{20,100}$/.test(text)
    ? accepted(text)
    : rejected("must be the token of a bot: its number, a colon and the rest, as BotFather shows it");

const secretRules: Partial<Record<SecretOptionKey, OptionRule>> = {
  OutboundProxySecret: proxyAddress,
  GuardHookSecret: signingSecret,
  TelegramBotToken: botToken,
};

export const secretRuleOf = (key: SecretOptionKey): OptionRule => secretRules[key] ?? line(4000);
export const ruleOf = (key: Exclude<OptionKey, "QuotaPerUnit">): OptionRule => rules[key];

export const isOptionKey = (key: string): key is OptionKey => Object.hasOwn(optionDefaults, key);
export const isSecretKey = (key: string): key is SecretOptionKey => secretOptions.some((secret) => secret === key);

/** Whether the text is the fixed value of QuotaPerUnit, in any notation. */
export const isFixedValue = (text: string) => /^500000(?:\.0+)?$/.test(text.trim());
