/** Settings that require other settings. */
import type { OptionKey, SecretOptionKey } from "./option-defaults.ts";

type AnyOptionKey = OptionKey | SecretOptionKey;
type OptionValueAfter = (key: AnyOptionKey) => string;

interface OptionPrerequisite {
  keys: readonly AnyOptionKey[];
  missing(valueAfter: OptionValueAfter): readonly AnyOptionKey[];
}

const all = (...keys: readonly AnyOptionKey[]): OptionPrerequisite => ({
  keys,
  missing: (valueAfter) => keys.filter((key) => valueAfter(key) === ""),
});

/** What sending mail requires. An SMTP account that is a mail address also serves as the sender. */
const mail: OptionPrerequisite = {
  keys: ["SMTPServer", "SMTPFrom", "SMTPAccount"],
  missing: (valueAfter) => [
    ...(valueAfter("SMTPServer") === "" ? (["SMTPServer"] as const) : []),
    ...(valueAfter("SMTPFrom") === "" && !valueAfter("SMTPAccount").includes("@") ? (["SMTPFrom"] as const) : []),
  ],
};

/** Switches that would lock users out or have no effect without these settings. */
const prerequisites: Partial<Record<OptionKey, OptionPrerequisite>> = {
  GitHubOAuthEnabled: all("GitHubClientId", "GitHubClientSecret"),
  TurnstileCheckEnabled: all("TurnstileSiteKey", "TurnstileSecretKey"),
  GuardHookEnabled: all("GuardHookAddress", "GuardHookSecret"),
  EmailDomainRestrictionEnabled: all("EmailDomainWhitelist"),
  EmailVerificationEnabled: mail,
};

interface PrerequisiteContext {
  /** The value after the change. */
  valueAfter(key: string): string;
  /** SMTP_URL replaces the mail settings. */
  hasSmtpUrl: boolean;
}

/** Why this change would leave a switch on without its prerequisites, or undefined. */
export function prerequisiteProblem(key: string, { valueAfter, hasSmtpUrl }: PrerequisiteContext): string | undefined {
  for (const [flagKey, prerequisite] of Object.entries(prerequisites)) {
    if (prerequisite === mail && hasSmtpUrl) continue;
    if (valueAfter(flagKey) !== "true" || (key !== flagKey && !prerequisite.keys.some((needed) => needed === key)))
      continue;
    const missing = prerequisite.missing(valueAfter).join(" and ");
    if (missing === "") continue;
    if (key === flagKey) return `Please set ${missing} before switching ${flagKey} on`;
    return `${missing} cannot be empty while ${flagKey} is on`;
  }
  return undefined;
}
