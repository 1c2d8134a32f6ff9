/** A browser that signs in with an external account, as a browser does. */
import type { ExternalProvider } from "@tollgate/contract/external-sign-in.ts";
import { credentials, type IdentityProvider, type ProviderAccount } from "../harness/identity-provider.ts";
import { type CookieBrowser, createCookieBrowser } from "./cookie-browser.ts";
import type { ManagementGateway, TestApiClient, TestApiReply } from "./management-gateway.ts";

export interface OAuthBrowser extends CookieBrowser {
  /** A state for signing in, unless the purpose is another. */
  mint(purpose?: "sign-in" | "bind"): Promise<string>;
  comeBack(provider: ExternalProvider, code: string, state: string): Promise<TestApiReply>;
  /** The whole flow: a state, the provider, and the callback. */
  visit(provider: ExternalProvider, person: ProviderAccount, purpose?: "sign-in" | "bind"): Promise<TestApiReply>;
}

export function createOAuthBrowser(gateway: ManagementGateway, provider: IdentityProvider): OAuthBrowser {
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
    visit: async (name, person, purpose) => comeBack(name, provider.codeFor(person), await mint(purpose)),
    signIn: browser.signIn,
    get session() {
      return browser.session;
    },
  };
}

/** Enables both providers, as an administrator does. */
export async function enableOAuth(root: TestApiClient): Promise<void> {
  const { clientId, clientSecret } = credentials;
  for (const [key, value] of [
    ["GitHubClientId", clientId],
    ["GitHubClientSecret", clientSecret],
    ["GitHubOAuthEnabled", "true"],
    ["LarkClientId", clientId],
    ["LarkClientSecret", clientSecret],
  ]) {
    const reply = await root("PUT", "/api/option/", { body: { key, value } });
    if (!reply.body.success) throw new Error(`${key}: ${reply.body.message}`);
  }
}
