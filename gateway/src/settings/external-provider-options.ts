/** The settings of the providers of sign-in that have settings of their own. */
import {
  type ExternalProvider,
  externalProviders,
} from "@tollgate/contract/accounts/external-providers.ts";
import type { OptionReader } from "./live-options.ts";
import type { OptionKey, SecretOptionKey } from "./option-defaults.ts";

interface ExternalProviderOptions {
  /** `flag` is missing for a provider that is on while the others are filled in. */
  flag?: OptionKey;
  /** Telegram's is the number in the token of the bot, and WeChat has none. */
  clientId?: OptionKey;
  /** The address of WeChat's code server, which the operator runs. */
  codeServer?: OptionKey;
  secret: SecretOptionKey;
}

export const externalProviderOptions: Readonly<Record<ExternalProvider, ExternalProviderOptions>> =
  {
    github: {
      flag: "GitHubOAuthEnabled",
      clientId: "GitHubClientId",
      secret: "GitHubClientSecret",
    },
    wechat: {
      flag: "WeChatAuthEnabled",
      codeServer: "WeChatServerAddress",
      secret: "WeChatServerToken",
    },
    lark: { clientId: "LarkClientId", secret: "LarkClientSecret" },
    discord: {
      flag: "DiscordOAuthEnabled",
      clientId: "DiscordClientId",
      secret: "DiscordClientSecret",
    },
    linuxdo: {
      flag: "LinuxDOOAuthEnabled",
      clientId: "LinuxDOClientId",
      secret: "LinuxDOClientSecret",
    },
    telegram: { flag: "TelegramOAuthEnabled", secret: "TelegramBotToken" },
  };

export function isProviderOn(options: OptionReader, provider: ExternalProvider): boolean {
  const { flag, clientId, codeServer, secret } = externalProviderOptions[provider];
  const isFilledIn = [clientId, codeServer].every(
    (key) => key === undefined || options.text(key) !== "",
  );
  return (flag === undefined || options.flag(flag)) && isFilledIn && options.sealed(secret) !== "";
}

export const listProvidersThatAre = (options: OptionReader): ExternalProvider[] =>
  externalProviders.filter((provider) => isProviderOn(options, provider));
