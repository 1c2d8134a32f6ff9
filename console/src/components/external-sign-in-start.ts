import { type ExternalProvider, newOauthState, newOauthStateByPost } from "@tollgate/contract/external-sign-in.ts";
import { type ApiInput, call } from "../api-call.ts";
import { getSession } from "../session.ts";

type OauthStateCredentials = Pick<
  NonNullable<ApiInput<typeof newOauthStateByPost>["body"]>,
  "current_password" | "totp_code"
>;

export type ExternalSignInStart = {
  /** Binds to the account that is signed in; otherwise the person signs in. */
  bind?: boolean;
  /** Where to go after signing in, a path of our own. */
  redirectTo?: string | undefined;
  /** What a refusal with `reauth_required` asked for. */
  credentials?: OauthStateCredentials;
};

const redirectKey = "external_redirect_to";

/** Servers of other make do not say where their providers are. */
const defaultAuthorizeUrl: Record<ExternalProvider, string> = {
  github: "https://github.com/login/oauth/authorize",
  lark: "https://open.feishu.cn/open-apis/authen/v1/authorize",
};

/** Leaves the console for the provider's page. Throws what the gateway refused with, `reauth_required` for one. */
export async function startExternalSignIn(
  provider: ExternalProvider,
  { bind = false, redirectTo, credentials }: ExternalSignInStart = {},
): Promise<void> {
  const reply = bind
    ? await call(newOauthStateByPost, { body: { purpose: "bind", ...credentials } })
    : await call(newOauthState, { query: { purpose: "sign-in" } });
  // Without a state anybody could send this browser back with a code of theirs.
  if (typeof reply.data !== "string" || reply.data === "") throw new Error();
  storeRedirect(redirectTo);
  const url = new URL(reply[`${provider}_authorize_url`] || defaultAuthorizeUrl[provider]);
  // Any other address would not be opened but run.
  if (url.protocol !== "https:" && url.protocol !== "http:") throw new Error();
  for (const [name, value] of Object.entries(authorizeParams(provider, reply.data))) url.searchParams.set(name, value);
  location.assign(url);
}

function authorizeParams(provider: ExternalProvider, state: string): Record<string, string> {
  const { status } = getSession();
  const callback = { redirect_uri: `${location.origin}/oauth/${provider}`, state };
  return provider === "github"
    ? { client_id: status.github_client_id ?? "", scope: "user:email", ...callback }
    : { app_id: status.lark_client_id ?? "", ...callback };
}

function storeRedirect(path: string | undefined) {
  if (path === undefined) sessionStorage.removeItem(redirectKey);
  else sessionStorage.setItem(redirectKey, path);
}

/** Where the person wanted to go before they left for the provider; told once. */
export function takeRedirect(): string | null {
  const path = sessionStorage.getItem(redirectKey);
  sessionStorage.removeItem(redirectKey);
  return path;
}
