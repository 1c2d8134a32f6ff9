/** The rule of each setting: it returns the text to store, or the problem with it. */

import { alertRulesIssue } from "@tollgate/contract/alert-rule-settings.ts";
import { networksCountedMax } from "@tollgate/contract/key-hygiene.ts";
import { proofOfWorkBitsMax } from "@tollgate/contract/proof-of-work.ts";
import { quotaMax } from "@tollgate/contract/scalars.ts";
import { countedTagKeysMax, readTagKeys } from "@tollgate/contract/tags.ts";
import { isTimeZone } from "@tollgate/contract/time-zones.ts";
import { parseProxy } from "../egress/proxy-address.ts";
import { isSigningSecret } from "../egress/standard-webhook.ts";
import { parseStatusRanges, statusRangesText } from "../http/status-ranges.ts";
import { readClaimRules } from "./claim-rules-option.ts";
import { DenyListsInvalid, readDenyLists } from "./deny-lists.ts";
import { type OptionKey, optionDefaults, type SecretOptionKey, secretOptions } from "./option-defaults.ts";
import { type LinkContext, linkProblem } from "./option-links.ts";

export type OptionCheck = { value: string } | { problem: string };
type OptionRule = (text: string, context: LinkContext) => OptionCheck;

const accepted = (value: string): OptionCheck => ({ value });
const rejected = (problem: string): OptionCheck => ({ problem });

const flag: OptionRule = (text) =>
  text === "true" || text === "false" ? accepted(text) : rejected("must be true or false");

/** Of systems with one provider. Here each has a switch, which asks for proof of identity. */
const oidcFlag: OptionRule = (text, context) =>
  text === "true"
    ? rejected("cannot be switched on here: the identity providers under Settings, Sign-in have a switch each")
    : flag(text, context);

const numberPattern = /^(?:0|[1-9][0-9]{0,15})(?:\.[0-9]{1,6})?$/;
const number =
  (max: number, { min = 0, whole = true } = {}): OptionRule =>
  (text) => {
    const value = Number(text);
    if (!numberPattern.test(text)) return rejected("must be a number that is not negative");
    if (whole && !Number.isInteger(value)) return rejected("must be an integer");
    return value < min || value > max ? rejected(`must be between ${min} and ${max}`) : accepted(text);
  };

const line =
  (max: number, min = 0): OptionRule =>
  (text) => {
    if (/\p{Cc}/u.test(text)) return rejected("must not contain control characters");
    return text.length < min || text.length > max ? rejected(`must have ${min} to ${max} characters`) : accepted(text);
  };

const timeZone: OptionRule = (text) =>
  isTimeZone(text) ? accepted(text) : rejected("must be a time zone such as Europe/Berlin");

const link =
  (kind: "link" | "frame" | "picture" | "server"): OptionRule =>
  (text, context) => {
    const problem = text === "" ? undefined : linkProblem(text, kind, context);
    return problem === undefined ? accepted(text) : rejected(problem);
  };

/** An address that the gateway itself calls. */
const guardAddress: OptionRule = (text, context) => {
  const issue = text === "" ? undefined : context.guardAddressIssue?.(text);
  return issue === undefined ? link("server")(text, context) : rejected(issue);
};

/** Markdown or HTML; a text that is only a URL is a page to frame. */
const content: OptionRule = (text, context) => {
  if (text.length > 100_000) return rejected("must have at most 100000 characters");
  return /^https?:\/\/\S*$/i.test(text.trim()) ? link("frame")(text.trim(), context) : accepted(text);
};

const oneOf =
  (...values: string[]): OptionRule =>
  (text) =>
    values.includes(text) ? accepted(text) : rejected(`must be one of ${values.filter(Boolean).join(", ")}`);

const statuses: OptionRule = (text) => {
  const ranges = parseStatusRanges(text);
  return ranges ? accepted(statusRangesText(ranges)) : rejected("must be statuses from 400 to 599 such as 408,500-504");
};

const names =
  (pattern: RegExp, what: string): OptionRule =>
  (text) => {
    const list = [...new Set(text.split(",").map((name) => name.trim()))].filter(Boolean);
    if (text.length > 5000 || list.some((name) => !pattern.test(name)))
      return rejected(`must be ${what}, separated by commas`);
    return accepted(list.join(","));
  };

const groupPattern = /^[^\s,\p{Cc}](?:[^,\p{Cc}]{0,30}[^\s,\p{Cc}])?$/u;
const ratioMax = 1_000_000;

/** Every group needs a ratio, `default` included because new accounts are in it. */
const ratios: OptionRule = (text) => {
  const ratio = ratiosIn(text);
  if (!ratio) return rejected("must be a JSON object of ratios by group name");
  for (const [group, value] of Object.entries(ratio)) {
    if (!groupPattern.test(group))
      return rejected(`has a group name that is empty, too long or holds a comma: ${group}`);
    const isRatio = typeof value === "number" && value >= 0 && value <= ratioMax;
    // Charges use ratios in millionths.
    if (!isRatio || Math.round(value * 1e6) / 1e6 !== value)
      return rejected(`needs numbers from 0 to ${ratioMax} with at most six decimals; that of ${group} is not`);
  }
  return "default" in ratio ? accepted(text) : rejected("needs a ratio for the group default");
};

function ratiosIn(text: string): Record<string, unknown> | undefined {
  try {
    const value: unknown = text.length > 20_000 ? undefined : JSON.parse(text);
    return typeof value === "object" && value !== null && !Array.isArray(value) ? { ...value } : undefined;
  } catch {
    return undefined;
  }
}

const alertRules: OptionRule = (text) => {
  const issue = alertRulesIssue(text);
  return issue === undefined ? accepted(text) : rejected(issue);
};

const claimRules: OptionRule = (text) =>
  readClaimRules(text) ? accepted(text) : rejected("must be a list of rules with claim, value, role and group");

const denyLists: OptionRule = (text) => {
  try {
    readDenyLists(text);
    return accepted(text);
  } catch (error) {
    if (error instanceof DenyListsInvalid) return rejected(error.message);
    throw error;
  }
};

const tagKeys: OptionRule = (text) => {
  const keys = readTagKeys(text);
  return keys
    ? accepted(keys.join(","))
    : rejected(`must be at most ${countedTagKeysMax} keys of letters, digits and _ . - separated by commas`);
};

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
