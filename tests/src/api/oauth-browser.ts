/** A client that keeps its cookies and signs in with an external account, as a browser does. */
import { consoleHeader } from "@tollgate/contract/envelope.ts";
import type { ExternalProvider } from "@tollgate/contract/external-sign-in.ts";
import { credentials, type IdentityProvider, type ProviderAccount } from "../harness/identity-provider.ts";
import type { ManagementGateway, TestApiClient, TestApiReply } from "./management-gateway.ts";

export interface OAuthBrowser {
  ask: TestApiClient;
  /** A state for signing in, unless the purpose is another. */
  mint(purpose?: "sign-in" | "bind"): Promise<string>;
  comeBack(provider: ExternalProvider, code: string, state: string): Promise<TestApiReply>;
  /** The whole flow: a state, the provider, and the callback. */
  visit(provider: ExternalProvider, person: ProviderAccount, purpose?: "sign-in" | "bind"): Promise<TestApiReply>;
  signIn(username: string, password: string): Promise<TestApiReply>;
  /** The session cookie, without the cookie that ties an OAuth flow to this browser. */
  readonly session: string;
}

export function createOAuthBrowser(gateway: ManagementGateway, provider: IdentityProvider): OAuthBrowser {
  const cookies = new Map<string, string>();
  const ask: TestApiClient = async (method, path, { headers, ...rest } = {}) => {
    const cookie = [...cookies].map(([name, value]) => `${name}=${value}`).join("; ");
    const reply = await gateway.visitor(method, path, {
      ...rest,
      headers: { cookie, [consoleHeader.name]: consoleHeader.value, ...headers },
    });
    for (const set of reply.headers.getSetCookie()) {
      const [, name = "", value = ""] = /^([^=]+)=([^;]*)/.exec(set) ?? [];
      if (value === "") cookies.delete(name);
      else cookies.set(name, value);
    }
    return reply;
  };
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
    signIn: (username, password) => ask("POST", "/api/user/login", { body: { username, password } }),
    get session() {
      return cookies.get("session") ?? "";
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
