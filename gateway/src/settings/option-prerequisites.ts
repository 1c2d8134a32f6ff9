/** Settings that stand on others. */
import type { OptionKey, SecretOptionKey } from "./option-defaults.ts";

type Key = OptionKey | SecretOptionKey;
type ValueAfter = (key: Key) => string;

interface Need {
  keys: readonly Key[];
  missing(valueAfter: ValueAfter): readonly Key[];
}

const all = (...keys: readonly Key[]): Need => ({
  keys,
  missing: (valueAfter) => keys.filter((key) => valueAfter(key) === ""),
});

/** As mail is sent: an account that is a mail address is a sender, too. */
const mail: Need = {
  keys: ["SMTPServer", "SMTPFrom", "SMTPAccount"],
  missing: (valueAfter) => [
    ...(valueAfter("SMTPServer") === "" ? (["SMTPServer"] as const) : []),
    ...(valueAfter("SMTPFrom") === "" && !valueAfter("SMTPAccount").includes("@") ? (["SMTPFrom"] as const) : []),
  ],
};

/** Switches that would lock people out or do nothing until these are set. */
const prerequisites: Partial<Record<OptionKey, Need>> = {
  GitHubOAuthEnabled: all("GitHubClientId", "GitHubClientSecret"),
  WeChatAuthEnabled: all("WeChatServerAddress", "WeChatServerToken"),
  TurnstileCheckEnabled: all("TurnstileSiteKey", "TurnstileSecretKey"),
  EmailDomainRestrictionEnabled: all("EmailDomainWhitelist"),
  EmailVerificationEnabled: mail,
};

interface Circumstances {
  /** What stands after the change. */
  valueAfter(key: string): string;
  /** SMTP_URL counts instead of the settings. */
  hasSmtpUrl: boolean;
}

/** Why this change would leave a switch on without what it needs, or undefined. */
export function prerequisiteTrouble(key: string, { valueAfter, hasSmtpUrl }: Circumstances): string | undefined {
  for (const [flagKey, need] of Object.entries(prerequisites)) {
    if (need === mail && hasSmtpUrl) continue;
    if (valueAfter(flagKey) !== "true" || (key !== flagKey && !need.keys.some((needed) => needed === key))) continue;
    const missing = need.missing(valueAfter).join(" and ");
    if (missing === "") continue;
    if (key === flagKey) return `Please set ${missing} before switching ${flagKey} on`;
    return `${missing} cannot be empty while ${flagKey} is on`;
  }
  return undefined;
}
