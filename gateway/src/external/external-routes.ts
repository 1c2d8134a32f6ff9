/** What the API answers about signing in with an account at GitHub or Lark. */
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
import { answer, type Call, type Route } from "../http/answer.ts";
import type { Counters } from "../limits/counters.ts";
import type { ProveRecently } from "../sessions/recent-proof.ts";
import type { SecretCookie } from "../sessions/session-cookie.ts";
import { viewUser } from "../users/user-view.ts";
import { authorizeUrls, type ProviderUrls } from "./ask-provider.ts";
import { type FinishParts, finishExternalWith } from "./finish-external.ts";
import { mintStateWith } from "./mint-state.ts";
import { roundTripWith } from "./round-trip.ts";
import { unbindExternalWith } from "./unbind-external.ts";

interface ExternalParts extends Omit<FinishParts, "roundTrip"> {
  browser: SecretCookie;
  prove: ProveRecently;
  counters: Counters;
  providers: FinishParts["providers"] & { urls: ProviderUrls };
}

export function externalRoutes(parts: ExternalParts): Route[] {
  const { external, providers } = parts;
  const mintState = mintStateWith(parts);
  const { finish, finishTotp } = finishExternalWith({ ...parts, roundTrip: roundTripWith(parts) });
  const unbind = unbindExternalWith(parts);
  const whereTo = authorizeUrls(providers.urls);

  const back = (provider: ExternalProvider) => async (call: Call<typeof finishGithub | typeof finishLark>) => {
    const account = await finish(provider, call.query.code, call.query.state, call);
    return account
      ? { data: viewUser(account), message: "", bound: false }
      : { data: null, message: "bind", bound: true };
  };

  return [
    answer(newOauthState, async (call) => ({ data: await mintState(call.query, call), ...whereTo })),
    answer(newOauthStateByPost, async (call) => ({ data: await mintState(call.body, call), ...whereTo })),
    answer(finishGithub, back("github")),
    answer(finishLark, back("lark")),
    answer(finishExternalTotp, async (call) => viewUser(await finishTotp(call.body, call))),
    answer(listExternalAccounts, async ({ caller }) => external.ofUser(caller.id)),
    answer(unbindExternalAccount, (call) => unbind(call.body, call)),
  ];
}
