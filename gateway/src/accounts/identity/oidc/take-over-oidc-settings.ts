/** Makes a provider of the single `Oidc…` settings, once those that it needs are there. */
import { refuse } from "../../../http/refusal.ts";
import type { Sealer } from "../../../secrets/seal.ts";
import type { OptionStore } from "../../../settings/option-store.ts";
import { singleOidcKeys, type TakeOverOidcSettings } from "../../../settings/single-oidc-keys.ts";
import { addOidcProvider, takeOverRefusal } from "./add-oidc-provider.ts";
import type { OidcProviderStore } from "./oidc-provider-store.ts";
import { buildSingleProvider } from "./single-oidc-settings.ts";

interface OidcTakeOverDeps {
  store: OidcProviderStore;
  settings: OptionStore;
  seal: Sealer;
}

export function createOidcTakeOver(deps: OidcTakeOverDeps): TakeOverOidcSettings {
  const { store, settings } = deps;
  // The provider is off, so that only root, with proof of identity, lets anyone in by it.
  return async (textAfter, call) => {
    const read = buildSingleProvider(textAfter);
    if ("missing" in read) return undefined;
    if ("problem" in read)
      throw refuse("invalid_request", { message: read.problem, fields: { value: read.problem } });
    const refusal = takeOverRefusal(await store.all(), read.provider);
    if (refusal !== undefined) throw refuse(refusal);
    const { uuid, columns, write } = addOidcProvider(deps, read.provider, call.now);
    return [
      write,
      // The row has them all, and a second copy of the secret would outlive it.
      ...singleOidcKeys.map(settings.clear),
      ...call.audit("oidc_provider.create", uuid, columns),
    ];
  };
}
