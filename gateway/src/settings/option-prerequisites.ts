/** Settings that stand on others. */
import type { OptionKey, SecretOptionKey } from "./option-defaults.ts";

/** Switches that would lock people out or do nothing until these are set. */
const prerequisites: Partial<Record<OptionKey, readonly (OptionKey | SecretOptionKey)[]>> = {
  GitHubOAuthEnabled: ["GitHubClientId", "GitHubClientSecret"],
  WeChatAuthEnabled: ["WeChatServerAddress", "WeChatServerToken"],
  TurnstileCheckEnabled: ["TurnstileSiteKey", "TurnstileSecretKey"],
  EmailDomainRestrictionEnabled: ["EmailDomainWhitelist"],
};

/** Why this change would leave a switch on without what it needs, or undefined. `valueAfter` tells what stands then. */
export function prerequisiteTrouble(key: string, valueAfter: (key: string) => string): string | undefined {
  for (const [flagKey, needs] of Object.entries(prerequisites)) {
    if (valueAfter(flagKey) !== "true" || (key !== flagKey && !needs.some((need) => need === key))) continue;
    const missing = needs.filter((need) => valueAfter(need) === "");
    if (missing.length === 0) continue;
    if (key === flagKey) return `Please set ${missing.join(" and ")} before switching ${flagKey} on`;
    return `${missing.join(" and ")} cannot be empty while ${flagKey} is on`;
  }
  return undefined;
}
