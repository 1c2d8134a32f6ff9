/** Settings that require other settings. */
import type { OptionKey, SecretOptionKey } from "./option-defaults.ts";

type AnyOptionKey = OptionKey | SecretOptionKey;
type OptionValueAfter = (key: AnyOptionKey) => string;

interface OptionPrerequisite {
  keys: readonly AnyOptionKey[];
  missing(valueAfter: OptionValueAfter, hasPublicUrl: boolean): readonly AnyOptionKey[];
}

const all = (...keys: readonly AnyOptionKey[]): OptionPrerequisite => ({
  keys,
  missing: (valueAfter) => keys.filter((key) => valueAfter(key) === ""),
});

/**
 * `mail` is what sending mail requires. An SMTP account that is a mail address also serves as the
 * sender.
 */
const mail: OptionPrerequisite = {
  keys: ["SMTPServer", "SMTPFrom", "SMTPAccount"],
  missing: (valueAfter) => [
    ...(valueAfter("SMTPServer") === "" ? (["SMTPServer"] as const) : []),
    ...(valueAfter("SMTPFrom") === "" && !valueAfter("SMTPAccount").includes("@")
      ? (["SMTPFrom"] as const)
      : []),
  ],
};

/** `allAndAddress` is for services that name the site that they serve, which must be this one. */
const allAndAddress = (...keys: readonly AnyOptionKey[]): OptionPrerequisite => ({
  keys: [...keys, "ServerAddress"],
  missing: (valueAfter, hasPublicUrl) =>
    [...keys, ...(hasPublicUrl ? [] : (["ServerAddress"] as const))].filter(
      (key) => valueAfter(key) === "",
    ),
});

/** Switches that would lock users out or have no effect without these settings. */
const prerequisites: Partial<Record<OptionKey, OptionPrerequisite>> = {
  GitHubOAuthEnabled: all("GitHubClientId", "GitHubClientSecret"),
  DiscordOAuthEnabled: allAndAddress("DiscordClientId", "DiscordClientSecret"),
  LinuxDOOAuthEnabled: allAndAddress("LinuxDOClientId", "LinuxDOClientSecret"),
  TelegramOAuthEnabled: allAndAddress("TelegramBotToken"),
  WeChatAuthEnabled: all("WeChatServerAddress", "WeChatServerToken"),
  TurnstileCheckEnabled: allAndAddress("TurnstileSiteKey", "TurnstileSecretKey"),
  HCaptchaCheckEnabled: allAndAddress("HCaptchaSiteKey", "HCaptchaSecretKey"),
  GuardHookEnabled: all("GuardHookAddress", "GuardHookSecret"),
  EmailDomainRestrictionEnabled: all("EmailDomainWhitelist"),
  EmailVerificationEnabled: mail,
};

/** `EnvironmentSettings` are what stands in the environment in place of settings. */
export interface EnvironmentSettings {
  /** SMTP_URL replaces the mail settings. */
  hasSmtpUrl: boolean;
  /** PUBLIC_URL replaces the address of the settings. */
  hasPublicUrl: boolean;
}

interface PrerequisiteContext extends EnvironmentSettings {
  /** The value after the change. */
  valueAfter(key: string): string;
}

/**
 * `findPrerequisiteProblem` says why this change would leave a switch on without its prerequisites,
 * or undefined.
 */
export function findPrerequisiteProblem(
  key: string,
  { valueAfter, hasSmtpUrl, hasPublicUrl }: PrerequisiteContext,
): string | undefined {
  for (const [flagKey, prerequisite] of Object.entries(prerequisites)) {
    if (prerequisite === mail && hasSmtpUrl) continue;
    if (
      valueAfter(flagKey) !== "true" ||
      (key !== flagKey && !prerequisite.keys.some((needed) => needed === key))
    )
      continue;
    const missing = prerequisite.missing(valueAfter, hasPublicUrl).join(" and ");
    if (missing === "") continue;
    if (key === flagKey) return `Please set ${missing} before switching ${flagKey} on`;
    return `${missing} cannot be empty while ${flagKey} is on`;
  }
  return undefined;
}
