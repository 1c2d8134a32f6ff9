import {
  type ExternalProvider,
  proxyAccountProvider,
} from "@tollgate/contract/accounts/external-providers.ts";
import {
  newOauthState,
  newOauthStateByPost,
} from "@tollgate/contract/accounts/external-sign-in.ts";
import { type ApiInput, call, type EndpointReply } from "../../api-call.ts";
import { defaultAuthorizeUrl } from "../../compat/oauth-compat.ts";
import { getSession } from "../../session.ts";
import { basePath, readSiteAddress } from "../../site-path.ts";

type OauthStateCredentials = Pick<
  NonNullable<ApiInput<typeof newOauthStateByPost>["body"]>,
  "current_password" | "totp_code"
>;

/** A provider of the sign-in page, by the end of its callback address: `/oauth/` and this. */
export type SignInProvider = ExternalProvider | typeof proxyAccountProvider | `oidc/${string}`;

export const isOidc = (provider: SignInProvider): provider is `oidc/${string}` =>
  provider.startsWith("oidc/");
export const readOidcSlug = (provider: `oidc/${string}`): string => provider.slice("oidc/".length);

export type ExternalSignInStart = {
  /** Binds to the signed-in account; otherwise signs in. */
  bind?: boolean;
  /** The path of this console to open after sign-in. */
  redirectTo?: string | undefined;
  /** The credentials that a `reauth_required` refusal asked for. */
  credentials?: OauthStateCredentials;
};

const redirectKey = "external_redirect_to";

/** Navigates to the provider's page. Throws the gateway's refusal, such as `reauth_required`. */
export async function startExternalSignIn(
  provider: SignInProvider,
  { bind = false, redirectTo, credentials }: ExternalSignInStart = {},
): Promise<void> {
  const named = isOidc(provider) ? { provider: readOidcSlug(provider) } : {};
  const reply = bind
    ? await call(newOauthStateByPost, { body: { purpose: "bind", ...named, ...credentials } })
    : await call(newOauthState, { query: { purpose: "sign-in", ...named } });
  // Without a state an attacker could complete the flow with a code of another account.
  if (typeof reply.data !== "string" || reply.data === "") throw new Error();
  storeRedirect(redirectTo);
  // The proxy names the user in the next request as well: there is no page of a provider to visit.
  if (provider === proxyAccountProvider)
    return location.assign(
      `${basePath}/oauth/${provider}?${new URLSearchParams({ code: provider, state: reply.data })}`,
    );
  // Its code is typed in here.
  if (provider === "wechat")
    return location.assign(
      `${basePath}/oauth/${provider}?${new URLSearchParams({ state: reply.data })}`,
    );
  const url = readProviderPage(provider, reply);
  // Another scheme, such as `javascript:`, would execute code.
  if (url.protocol !== "https:" && url.protocol !== "http:") throw new Error();
  location.assign(url);
}

/**
 * The gateway writes the whole address, but for GitHub and Lark, whose parameters come from the
 * status as on compatible servers.
 */
function readProviderPage(
  provider: Exclude<ExternalProvider, "wechat"> | `oidc/${string}`,
  reply: EndpointReply<typeof newOauthState>,
): URL {
  if (isOidc(provider)) return new URL(reply.oidc_authorize_url);
  if (provider !== "github" && provider !== "lark")
    return new URL(reply[`${provider}_authorize_url`]);
  const url = new URL(reply[`${provider}_authorize_url`] || defaultAuthorizeUrl[provider]);
  for (const [name, value] of Object.entries(authorizeParams(provider, reply.data)))
    url.searchParams.set(name, value);
  return url;
}

function authorizeParams(provider: "github" | "lark", state: string): Record<string, string> {
  const { status } = getSession();
  const callback = { redirect_uri: `${readSiteAddress()}/oauth/${provider}`, state };
  return provider === "github"
    ? { client_id: status.github_client_id ?? "", scope: "user:email", ...callback }
    : { app_id: status.lark_client_id ?? "", ...callback };
}

function storeRedirect(path: string | undefined) {
  if (path === undefined) sessionStorage.removeItem(redirectKey);
  else sessionStorage.setItem(redirectKey, path);
}

/** The path to open after the return from the provider. It can be read once. */
export function takeRedirect(): string | null {
  const path = sessionStorage.getItem(redirectKey);
  sessionStorage.removeItem(redirectKey);
  return path;
}
