/** Routes for signing in with an account at GitHub or Lark, and for binding one. */
import {
  type ExternalProvider,
  finishExternalTotp,
  finishGithub,
  finishLark,
  listExternalAccounts,
  newOauthState,
  newOauthStateByPost,
  unbindExternalAccount,
} from "@tollgate/contract/external-sign-in.ts";
import { type ApiCall, type ApiRoute, apiRoute } from "../../http/api-route.ts";
import type { Counters } from "../../limits/counters.ts";
import type { Reauthenticate } from "../sessions/reauthenticate.ts";
import type { SecretCookie } from "../sessions/session-cookie.ts";
import { viewUser } from "../users/user-view.ts";
import { createStateCreator } from "./create-state.ts";
import { authorizeUrls, type OauthProviderUrls } from "./fetch-identity.ts";
import { createExternalSignIn, type ExternalSignInDeps } from "./finish-external-sign-in.ts";
import { createOauthFlow } from "./oauth-flow.ts";
import { createExternalUnbind } from "./unbind-external.ts";

interface ExternalRoutesDeps extends Omit<ExternalSignInDeps, "oauthFlow"> {
  browser: SecretCookie;
  reauthenticate: Reauthenticate;
  counters: Counters;
  providers: ExternalSignInDeps["providers"] & { urls: OauthProviderUrls };
}

export function externalRoutes(deps: ExternalRoutesDeps): ApiRoute[] {
  const { external, providers } = deps;
  const createState = createStateCreator(deps);
  const { finish, finishTotp } = createExternalSignIn({ ...deps, oauthFlow: createOauthFlow(deps) });
  const unbind = createExternalUnbind(deps);
  const authorizeAddresses = authorizeUrls(providers.urls);

  const finishRoute =
    (provider: ExternalProvider) => async (call: ApiCall<typeof finishGithub | typeof finishLark>) => {
      const account = await finish(provider, call.query.code, call.query.state, call);
      return account
        ? { data: viewUser(account), message: "", bound: false }
        : { data: null, message: "bind", bound: true };
    };

  return [
    apiRoute(newOauthState, async (call) => ({ data: await createState(call.query, call), ...authorizeAddresses })),
    apiRoute(newOauthStateByPost, async (call) => ({
      data: await createState(call.body, call),
      ...authorizeAddresses,
    })),
    apiRoute(finishGithub, finishRoute("github")),
    apiRoute(finishLark, finishRoute("lark")),
    apiRoute(finishExternalTotp, async (call) => viewUser(await finishTotp(call.body, call))),
    apiRoute(listExternalAccounts, async ({ principal }) => external.ofUser(principal.id)),
    apiRoute(unbindExternalAccount, (call) => unbind(call.body, call)),
  ];
}
