/** The rule of each setting: it returns the text to store, or the problem with it. */

import { networksCountedMax } from "@tollgate/contract/accounts/key-hygiene.ts";
import { proofOfWorkBitsMax } from "@tollgate/contract/accounts/proof-of-work.ts";
import { quotaMax } from "@tollgate/contract/api/scalars.ts";
import { parseProxy } from "../egress/proxy-address.ts";
import { isSigningSecret } from "../egress/standard-webhook.ts";
import { parseAgentPolicies } from "./agent-policies.ts";
import {
  acceptValue,
  checkAlertRules,
  checkChoice,
  checkNames,
  checkRatios,
  checkStatuses,
  checkTagKeys,
  claimRules,
  content,
  denyLists,
  flag,
  groupPattern,
  guardAddress,
  line,
  link,
  number,
  type OptionRule,
  rejectValue,
  timeZone,
} from "./option-checks.ts";
import {
  type OptionKey,
  optionDefaults,
  type SecretOptionKey,
  secretOptions,
} from "./option-defaults.ts";

/**
 * `buildOidcFlag` is about systems with one provider. Here each has a switch, which asks for proof
 * of identity.
 */
const buildOidcFlag: OptionRule = (text, context) =>
  text === "true"
    ? rejectValue(
        "cannot be switched on here: the identity providers under Settings, Sign-in have a switch each",
      )
    : flag(text, context);

const quota = number(quotaMax);
const name = line(300);

/** A setting without a rule does not compile. Fixed settings are excluded. */
const rules: Record<Exclude<OptionKey, "QuotaPerUnit">, OptionRule> = {
  PasswordLoginEnabled: flag,
  PasswordRegisterEnabled: flag,
  RegisterEnabled: flag,
  InvitesMayRegister: flag,
  EmailVerificationEnabled: flag,
  GitHubOAuthEnabled: flag,
  DiscordOAuthEnabled: flag,
  LinuxDOOAuthEnabled: flag,
  TelegramOAuthEnabled: flag,
  OidcEnabled: buildOidcFlag,
  WeChatAuthEnabled: flag,
  TurnstileCheckEnabled: flag,
  HCaptchaCheckEnabled: flag,
  EmailDomainRestrictionEnabled: flag,
  EmailDomainWhitelist: checkNames(
    /^(?:[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?\.)+[a-z]{2,63}$/i,
    "mail domains",
  ),
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
  TeamsByUsers: number(1_000),
  TransferFromUsers: flag,
  TeamKeyMaxDays: number(3_650),
  KeyNetworksThreshold: number(networksCountedMax - 1),
  TokenCountsPerMinute: number(1_000_000),
  ChannelDisableThreshold: number(86_400, { whole: false }),
  RetryTimes: number(100),
  RetryStatuses: checkStatuses,
  NoRetryStatuses: checkStatuses,
  RetryLostAnswerEnabled: flag,
  AdminIssueLimit: quota,
  QuotaForNewUser: quota,
  QuotaForInviter: quota,
  QuotaForInvitee: quota,
  QuotaRemindThreshold: quota,
  TagKeys: checkTagKeys,
  AgentTelemetryEnabled: flag,
  AgentSettings: (text) =>
    parseAgentPolicies(text)
      ? acceptValue(text)
      : rejectValue(
          "must be a JSON object of at most 64 KiB: settings by group name, or by * for all groups",
        ),
  BudgetTimeZone: timeZone,
  AlertRules: checkAlertRules,
  BackupIntervalHours: number(8_760),
  TrustedSignInRules: claimRules,
  SecondFactorRequiredRole: checkChoice("0", "1", "10", "100"),
  ProofOfWorkBits: number(proofOfWorkBitsMax),
  PreConsumedQuota: quota,
  GroupRatio: checkRatios,
  ChannelGroupRatioEnabled: flag,
  AvailableGroups: checkNames(groupPattern, "group names"),
  SelectableGroups: checkNames(groupPattern, "group names"),
  MinTopUpUSD: number(1_000_000),
  SystemName: line(100, 1),
  Theme: checkChoice("air", "berry", "modern", "default"),
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
  EmailProvider: checkChoice("smtp", "resend", ""),
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

const buildProxyAddress: OptionRule = (text) =>
  text === "" || parseProxy(text)
    ? acceptValue(text)
    : rejectValue("must be http://, https:// or socks5://, then user:password@host:port");

const buildSigningSecret: OptionRule = (text) =>
  text === "" || isSigningSecret(text)
    ? acceptValue(text)
    : rejectValue("must be whsec_ and 24 to 64 bytes in base64, as Standard Webhooks has it");

const buildBotToken: OptionRule = (text) =>
  text === "" || /^[1-9]\d{0,19}:[\w-]{20,100}$/.test(text)
    ? acceptValue(text)
    : rejectValue(
        "must be the token of a bot: its number, a colon and the rest, as BotFather shows it",
      );

const secretRules: Partial<Record<SecretOptionKey, OptionRule>> = {
  OutboundProxySecret: buildProxyAddress,
  GuardHookSecret: buildSigningSecret,
  TelegramBotToken: buildBotToken,
};

export const buildSecretRule = (key: SecretOptionKey): OptionRule => secretRules[key] ?? line(4000);
export const buildRule = (key: Exclude<OptionKey, "QuotaPerUnit">): OptionRule => rules[key];

export const isOptionKey = (key: string): key is OptionKey => Object.hasOwn(optionDefaults, key);
export const isSecretKey = (key: string): key is SecretOptionKey =>
  secretOptions.some((secret) => secret === key);

/** `isFixedValue` says whether the text is the fixed value of QuotaPerUnit, in any notation. */
export const isFixedValue = (text: string) => /^500000(?:\.0+)?$/.test(text.trim());
