/** Routes for signing in with an account at a provider, and for binding one. */

import type { ExternalProvider } from "@tollgate/contract/accounts/external-providers.ts";
import {
  buildOidcAccountProvider,
  endAtProvider,
  finishDiscord,
  finishExternalLink,
  finishExternalTotp,
  finishGithub,
  finishLark,
  finishLinuxdo,
  finishOidc,
  finishProxySignIn,
  finishTelegram,
  finishWechat,
  listExternalAccounts,
  newOauthState,
  newOauthStateByPost,
  unbindExternalAccount,
} from "@tollgate/contract/accounts/external-sign-in.ts";
import type { BodyOf } from "@tollgate/contract/api/endpoint.ts";
import { type ApiCall, type ApiRoute, apiRoute } from "../../../http/api-route.ts";
import { enforceSharedLimit } from "../../../http/rate-limit.ts";
import type { RequestContext } from "../../../http/request-context.ts";
import type { Counters } from "../../../limits/counters.ts";
import { tryWrite } from "../../../storage/database.ts";
import type { ProviderPeople } from "../oidc/provider-people.ts";
import type { Reauthenticate } from "../sessions/reauthenticate.ts";
import { hashParts, type SecretCookie } from "../sessions/session-cookie.ts";
import type { UserAccount } from "../users/user-store.ts";
import { viewUser } from "../users/user-view.ts";
import { createStateCreator } from "./create-state.ts";
import type { EndBinding } from "./end-binding.ts";
import { createExternalSignIn, type ExternalSignInDeps } from "./finish-external-sign-in.ts";
import { createOauthFlow } from "./oauth-flow.ts";
import { createOidcSignIn, type OidcSignInDeps } from "./oidc-sign-in.ts";
import { createProviderCredentials } from "./provider-credentials.ts";
import { type OauthProviderUrls, providerPages } from "./provider-protocols.ts";
import { createExternalUnbind } from "./unbind-external.ts";

type ProviderCallback =
  | typeof finishGithub
  | typeof finishLark
  | typeof finishDiscord
  | typeof finishLinuxdo
  | typeof finishTelegram
  | typeof finishWechat;

/**
 * `wechatCodes` are those of all sources together. A code has six digits, so that someone with many
 * addresses could guess the code of a user who is just signing in; more sign-ins than this have to
 * wait.
 */
const wechatCodes = { limit: 300, windowMs: 10 * 60_000, name: "wechat-codes" };

/** Longer than a logout token is accepted. */
const logoutMemoryMs = 10 * 60_000;

interface ExternalRoutesDeps
  extends Omit<ExternalSignInDeps, "oauthFlow" | "oidc" | "credentialsOf">,
    OidcSignInDeps {
  browser: SecretCookie;
  reauthenticate: Reauthenticate;
  counters: Counters;
  hasProxySignIn: boolean;
  people: ProviderPeople;
  endBinding: EndBinding;
  providers: ExternalSignInDeps["providers"] & { urls: OauthProviderUrls };
}

export function buildExternalRoutes(deps: ExternalRoutesDeps): ApiRoute[] {
  const { external, providers } = deps;
  const oidc = createOidcSignIn(deps);
  const createState = createStateCreator({ ...deps, oidc });
  const credentialsOf = createProviderCredentials(deps);
  const { finish, finishLink, finishTotp } = createExternalSignIn({
    ...deps,
    oauthFlow: createOauthFlow(deps),
    oidc,
    credentialsOf,
  });
  const unbind = createExternalUnbind(deps);

  const replyWith = (account: UserAccount | undefined) =>
    account
      ? { data: viewUser(account), message: "", bound: false }
      : { data: null, message: "bind", bound: true };
  const finishRoute = (provider: ExternalProvider) => async (call: ApiCall<ProviderCallback>) =>
    replyWith(await finish({ provider, ...call.query }, call));

  const pageOf = (provider: keyof typeof providerPages, state: string): string => {
    const credentials = credentialsOf(provider);
    return credentials ? providerPages[provider](providers.urls, credentials, state) : "";
  };
  const newState = async (request: BodyOf<typeof newOauthStateByPost>, call: RequestContext) => {
    const created = await createState(request, call);
    return {
      ...created,
      github_authorize_url: pageOf("github", created.data),
      lark_authorize_url: pageOf("lark", created.data),
      discord_authorize_url: pageOf("discord", created.data),
      linuxdo_authorize_url: pageOf("linuxdo", created.data),
      telegram_authorize_url: pageOf("telegram", created.data),
    };
  };

  /** The providers that users may sign in with, by the provider of a bound account. */
  const enabledProviders = () =>
    new Map<string, { slug: string; name: string }>(
      deps.oidcProviders
        .enabled()
        .map((provider) => [buildOidcAccountProvider(provider.issuer), provider]),
    );

  return [
    apiRoute(newOauthState, (call) => newState(call.query, call)),
    apiRoute(newOauthStateByPost, (call) => newState(call.body, call)),
    apiRoute(finishGithub, finishRoute("github")),
    apiRoute(finishLark, finishRoute("lark")),
    apiRoute(finishDiscord, finishRoute("discord")),
    apiRoute(finishLinuxdo, finishRoute("linuxdo")),
    apiRoute(finishTelegram, finishRoute("telegram")),
    apiRoute(finishWechat, async (call) => {
      await enforceSharedLimit(deps.counters, wechatCodes, call.address);
      return finishRoute("wechat")(call);
    }),
    apiRoute(finishOidc, async (call) => {
      const { code, state, iss } = call.query;
      return replyWith(await finish({ slug: call.params.slug, code, state, issuer: iss }, call));
    }),
    apiRoute(finishProxySignIn, async (call) =>
      replyWith(await finish({ proxy: call.proxyUser, ...call.query }, call)),
    ),
    apiRoute(endAtProvider, async ({ params, body, now }) => {
      const { provider, tokenId, subject, sid } = await oidc.logout(
        params.slug,
        body.logout_token,
        now,
      );
      // A provider that lost the reply repeats the token: what it names has ended, and later
      // sign-ins stay.
      await tryWrite(
        deps.db,
        [
          deps.sessions.useOnce(hashParts("logout", provider, tokenId), now + logoutMemoryMs),
          deps.sessions.endOfProvider({ provider, subject, sid }),
        ],
        // Playground keys end with their sessions.
        { changes: ["tokens"] },
      );
    }),
    apiRoute(finishExternalLink, async (call) => viewUser(await finishLink(call.body, call))),
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
