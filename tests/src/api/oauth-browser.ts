/** A browser that signs in with an external account, as a browser does. */
import type { ExternalProvider } from "@tollgate/contract/accounts/external-providers.ts";
import {
  botToken,
  credentials,
  type IdentityProvider,
  type ProviderAccount,
} from "../harness/identity-provider.ts";
import { type CookieBrowser, createCookieBrowser } from "./cookie-browser.ts";
import type { ManagementGateway, TestApiClient, TestApiReply } from "./management-gateway.ts";

export interface OAuthBrowser extends CookieBrowser {
  /** A state for signing in, unless the purpose is another. */
  mint(purpose?: "sign-in" | "bind"): Promise<string>;
  comeBack(provider: ExternalProvider, code: string, state: string): Promise<TestApiReply>;
  /** The whole flow: a state, the provider, and the callback. */
  visit(
    provider: ExternalProvider,
    person: ProviderAccount,
    purpose?: "sign-in" | "bind",
  ): Promise<TestApiReply>;
}

export function createOAuthBrowser(
  gateway: ManagementGateway,
  provider: IdentityProvider,
): OAuthBrowser {
  const browser = createCookieBrowser(gateway);
  const { ask } = browser;
  const mint = async (purpose: "sign-in" | "bind" = "sign-in") => {
    const reply = await ask("GET", `/api/oauth/state?purpose=${purpose}`);
    if (!reply.body.success) throw new Error(`no state: ${reply.body.message}`);
    return String(reply.body.data);
  };
  const comeBack = (name: ExternalProvider, code: string, state: string) =>
    ask("GET", `/api/oauth/${name}?${new URLSearchParams({ code, state })}`);
  return {
    ask,
    mint,
    comeBack,
    visit: async (name, person, purpose) =>
      comeBack(name, provider.codeFor(person), await mint(purpose)),
    signIn: browser.signIn,
    get session() {
      return browser.session;
    },
  };
}

const { clientId, clientSecret } = credentials;

/** Sets settings one after the other, as an administrator does. */
async function setOptions(
  root: TestApiClient,
  options: Readonly<Record<string, string>>,
): Promise<void> {
  for (const [key, value] of Object.entries(options)) {
    const reply = await root("PUT", "/api/option/", { body: { key, value } });
    if (!reply.body.success) throw new Error(`${key}: ${reply.body.message}`);
  }
}

/** Enables GitHub and Lark. */
export const enableOAuth = (root: TestApiClient): Promise<void> =>
  setOptions(root, {
    GitHubClientId: clientId,
    GitHubClientSecret: clientSecret,
    GitHubOAuthEnabled: "true",
    LarkClientId: clientId,
    LarkClientSecret: clientSecret,
  });

/** Enables the providers that compare the address to which users come back. */
export const enableStrictOAuth = (root: TestApiClient, serverAddress: string): Promise<void> =>
  setOptions(root, {
    ServerAddress: serverAddress,
    DiscordClientId: clientId,
    DiscordClientSecret: clientSecret,
    DiscordOAuthEnabled: "true",
    LinuxDOClientId: clientId,
    LinuxDOClientSecret: clientSecret,
    LinuxDOOAuthEnabled: "true",
    TelegramBotToken: botToken,
    TelegramOAuthEnabled: "true",
  });

/** Enables sign-in with codes of a WeChat official account. */
export const enableWechat = (root: TestApiClient, serverAddress: string): Promise<void> =>
  setOptions(root, {
    WeChatServerAddress: serverAddress,
    WeChatServerToken: clientSecret,
    WeChatAuthEnabled: "true",
  });
