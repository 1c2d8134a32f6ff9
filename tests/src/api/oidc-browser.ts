/** Browsers that sign in with an OpenID Connect provider over the management API. */
import { type OidcIssuer, type OidcPerson, oidcCredentials } from "../harness/oidc-issuer.ts";
import { keepCookies } from "./cookie-browser.ts";
import type { ManagementGateway, TestApiReply } from "./management-gateway.ts";

/** The provider of the company, as root adds it. */
export const buildCompanyProvider = ({ url }: OidcIssuer) => ({
  ...{ slug: "company", name: "Company", issuer: url, enabled: true },
  client_id: oidcCredentials.clientId,
  client_secret: oidcCredentials.clientSecret,
});

/**
 * `makeOidcBrowsers` gives browsers that keep their cookies, each at an address of its own: failed
 * sign-ins count by address.
 */
export function makeOidcBrowsers(gateway: ManagementGateway, issuer: OidcIssuer) {
  let lastAddress = 0;
  return (cookies = new Map<string, string>()) => {
    lastAddress += 1;
    const ask = keepCookies(gateway.from(`2001:4860:${lastAddress.toString(16)}::1`), cookies);
    const start = async (purpose = "sign-in", slug = "company") => {
      const reply = await ask("GET", `/api/oauth/state?purpose=${purpose}&provider=${slug}`);
      return { reply, state: String(reply.body.data), url: String(reply.body.oidc_authorize_url) };
    };
    const comeBack = (state: string, code: string, { slug = "company", iss = issuer.url } = {}) =>
      ask("GET", `/api/oauth/oidc/${slug}?${new URLSearchParams({ code, state, iss })}`);
    const visit = async (person: OidcPerson, purpose?: string): Promise<TestApiReply> => {
      const { state, url } = await start(purpose);
      return comeBack(state, issuer.consent(url, person));
    };
    return { ask, cookies, start, comeBack, visit, hasSession: () => cookies.has("session") };
  };
}
