/** The API route that shows the key of one of the caller's tokens again. */

import { revealToken } from "@tollgate/contract/accounts/key-reveal.ts";
import { named } from "@tollgate/contract/api/ids.ts";
import { type ApiRoute, apiRoute } from "../../http/api-route.ts";
import { refuse } from "../../http/refusal.ts";
import type { ProveIdentity } from "../../http/request-context.ts";
import type { Sealer } from "../../secrets/seal.ts";
import type { OptionReader } from "../../settings/live-options.ts";
import type { TokenStore } from "./token-store.ts";
import { revealKey } from "./token-view.ts";

interface RevealTokenRoutesDeps {
  tokens: Pick<TokenStore, "find">;
  seal: Sealer;
  options: OptionReader;
  proveIdentity: ProveIdentity;
}

export const revealTokenRoutes = ({
  tokens,
  seal,
  options,
  proveIdentity,
}: RevealTokenRoutesDeps): ApiRoute[] => [
  apiRoute(revealToken, async (call) => {
    const token = await tokens.find(call.principal.id, named(call.body));
    if (!token) throw refuse("token_not_found");
    if (!options.flag("TokenKeyRevealEnabled")) throw refuse("token_key_shown_once");
    if (options.flag("TokenKeyProofEnabled")) await proveIdentity(call, call.body);
    return { key: revealKey(token, seal) };
  }),
];
