/** The settings of the providers of sign-in that have settings of their own. */
import { type ExternalProvider, externalProviders } from "@tollgate/contract/external-providers.ts";
import type { OptionReader } from "./live-options.ts";
import type { OptionKey, SecretOptionKey } from "./option-defaults.ts";

interface ExternalProviderOptions {
  /** Without it, the provider is on while the others are filled in. */
  flag?: OptionKey;
  clientId: OptionKey;
  secret: SecretOptionKey;
}

export const externalProviderOptions: Readonly<Record<ExternalProvider, ExternalProviderOptions>> = {
  github: { flag: "GitHubOAuthEnabled", clientId: "GitHubClientId", secret: "GitHubClientSecret" },
  lark: { clientId: "LarkClientId", secret: "LarkClientSecret" },
  discord: { flag: "DiscordOAuthEnabled", clientId: "DiscordClientId", secret: "DiscordClientSecret" },
  linuxdo: { flag: "LinuxDOOAuthEnabled", clientId: "LinuxDOClientId", secret: "LinuxDOClientSecret" },
};

export function isProviderOn(options: OptionReader, provider: ExternalProvider): boolean {
  const { flag, clientId, secret } = externalProviderOptions[provider];
  return (flag === undefined || options.flag(flag)) && options.text(clientId) !== "" && options.sealed(secret) !== "";
}

export const providersThatAreOn = (options: OptionReader): ExternalProvider[] =>
  externalProviders.filter((provider) => isProviderOn(options, provider));
