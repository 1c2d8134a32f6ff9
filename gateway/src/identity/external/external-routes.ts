/** Routes for signing in with an account at GitHub, Lark or an OpenID Connect provider, and for binding one. */
import {
  type ExternalProvider,
  endAtProvider,
  finishExternalTotp,
  finishGithub,
  finishLark,
  finishOidc,
  finishProxySignIn,
  listExternalAccounts,
  newOauthState,
  newOauthStateByPost,
  oidcAccountProvider,
  unbindExternalAccount,
} from "@tollgate/contract/external-sign-in.ts";
import { type ApiCall, type ApiRoute, apiRoute } from "../../http/api-route.ts";
import type { Counters } from "../../limits/counters.ts";
import { tryWrite } from "../../storage/database.ts";
import type { Reauthenticate } from "../sessions/reauthenticate.ts";
import { hashSecret, type SecretCookie } from "../sessions/session-cookie.ts";
import type { UserAccount } from "../users/user-store.ts";
import { viewUser } from "../users/user-view.ts";
import { createStateCreator } from "./create-state.ts";
import { authorizeUrls, type OauthProviderUrls } from "./fetch-identity.ts";
import { createExternalSignIn, type ExternalSignInDeps } from "./finish-external-sign-in.ts";
import { createOauthFlow } from "./oauth-flow.ts";
import { createOidcSignIn, type OidcSignInDeps } from "./oidc-sign-in.ts";
import { createExternalUnbind } from "./unbind-external.ts";

/** Longer than a logout token is accepted. */
const logoutMemoryMs = 10 * 60_000;

interface ExternalRoutesDeps extends Omit<ExternalSignInDeps, "oauthFlow" | "oidc">, OidcSignInDeps {
  browser: SecretCookie;
  reauthenticate: Reauthenticate;
  counters: Counters;
  hasProxySignIn: boolean;
  providers: ExternalSignInDeps["providers"] & { urls: OauthProviderUrls };
}

export function externalRoutes(deps: ExternalRoutesDeps): ApiRoute[] {
  const { external, providers } = deps;
  const oidc = createOidcSignIn(deps);
  const createState = createStateCreator({ ...deps, oidc });
  const { finish, finishTotp } = createExternalSignIn({ ...deps, oauthFlow: createOauthFlow(deps), oidc });
  const unbind = createExternalUnbind(deps);
  const authorizeAddresses = authorizeUrls(providers.urls);

  const replyWith = (account: UserAccount | undefined) =>
    account ? { data: viewUser(account), message: "", bound: false } : { data: null, message: "bind", bound: true };
  const finishRoute = (provider: ExternalProvider) => async (call: ApiCall<typeof finishGithub | typeof finishLark>) =>
    replyWith(await finish({ provider, ...call.query }, call));

  /** The providers that users may sign in with, by the provider of a bound account. */
  const enabledProviders = () =>
    new Map<string, { slug: string; name: string }>(
      deps.oidcProviders.enabled().map((provider) => [oidcAccountProvider(provider.issuer), provider]),
    );

  return [
    apiRoute(newOauthState, async (call) => ({ ...(await createState(call.query, call)), ...authorizeAddresses })),
    apiRoute(newOauthStateByPost, async (call) => ({ ...(await createState(call.body, call)), ...authorizeAddresses })),
    apiRoute(finishGithub, finishRoute("github")),
    apiRoute(finishLark, finishRoute("lark")),
    apiRoute(finishOidc, async (call) => {
      const { code, state, iss } = call.query;
      return replyWith(await finish({ slug: call.params.slug, code, state, issuer: iss }, call));
    }),
    apiRoute(finishProxySignIn, async (call) =>
      replyWith(await finish({ proxy: call.proxyUser, ...call.query }, call)),
    ),
    apiRoute(endAtProvider, async ({ params, body, now }) => {
      const { provider, tokenId, subject, sid } = await oidc.logout(params.slug, body.logout_token, now);
      // A provider that lost the reply repeats the token: what it names has ended, and later sign-ins stay.
      await tryWrite(
        deps.db,
        [
          deps.sessions.rememberLogout(hashSecret(`${provider} ${tokenId}`), now + logoutMemoryMs),
          deps.sessions.endOfProvider({ provider, subject, sid }),
        ],
        // Playground keys end with their sessions.
        { changes: ["tokens"] },
      );
    }),
    apiRoute(finishExternalTotp, async (call) => viewUser(await finishTotp(call.body, call))),
    apiRoute(listExternalAccounts, async ({ principal }) => {
      const [bound, offered] = [await external.ofUser(principal.id), enabledProviders()];
      return bound.map((account) => {
        const { slug = "", name: title = "" } = offered.get(account.provider) ?? {};
        return { ...account, slug, title };
      });
    }),
    apiRoute(unbindExternalAccount, (call) => unbind(call.body, call)),
  ];
}
