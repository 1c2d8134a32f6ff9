/** Routes by which root adds, tests, changes and deletes OpenID Connect providers. */

import {
  type ClaimRule,
  createOidcProvider,
  deleteOidcProvider,
  deleteOidcProviderByPost,
  listOidcProviders,
  oidcProvidersMax,
  testOidcProvider,
  tryClaims,
  updateOidcProvider,
} from "@tollgate/contract/accounts/oidc-providers.ts";
import { named, type Reference } from "@tollgate/contract/api/ids.ts";
import { isJsonRecord } from "@tollgate/contract/api/json-record.ts";
import { type ApiRoute, apiRoute } from "../../../http/api-route.ts";
import { checkUnmanaged } from "../../../http/managed-by-file.ts";
import { refuse } from "../../../http/refusal.ts";
import type { AuthenticatedContext } from "../../../http/request-context.ts";
import type { Sealer } from "../../../secrets/seal.ts";
import { checkGroup } from "../../../settings/group-rules.ts";
import type { OptionReader } from "../../../settings/live-options.ts";
import type { Database, Write } from "../../../storage/database.ts";
import type { Reauthenticate, ReauthInput } from "../sessions/reauthenticate.ts";
import { ownAccount } from "../users/own-account.ts";
import type { UserStore } from "../users/user-store.ts";
import { addOidcProvider } from "./add-oidc-provider.ts";
import { planOidcProviderUpdate } from "./change-oidc-provider.ts";
import { evaluateClaimRules } from "./claim-rules.ts";
import type { OidcClient } from "./oidc-client.ts";
import {
  changeOidcProvider,
  composeOidcRedirectUri,
  isSameClient,
  type OidcProviderSettings,
  parseClaimRules,
  viewOidcProvider,
} from "./oidc-provider-rules.ts";
import {
  type OidcProviderRow,
  type OidcProviderStore,
  oidcProviderTopic,
} from "./oidc-provider-store.ts";
import { openOidcSecret } from "./oidc-secret.ts";

export interface OidcProviderRoutesDeps {
  db: Database;
  store: OidcProviderStore;
  users: UserStore;
  options: OptionReader;
  seal: Sealer;
  oidcClient: OidcClient;
  reauthenticate: Reauthenticate;
  publicUrl: string | undefined;
  /** A living team. */
  findTeam(reference: Reference): Promise<object | undefined>;
}

export function buildOidcProviderRoutes(deps: OidcProviderRoutesDeps): ApiRoute[] {
  const { db, store, users, options, seal, oidcClient, reauthenticate, publicUrl, findTeam } = deps;

  const existing = async (reference: Reference): Promise<OidcProviderRow> => {
    const found = await store.find(reference);
    if (!found) throw refuse("oidc_provider_not_found");
    return found;
  };

  /** `known` are the teams that rules named before: one of them may be deleted since. */
  const check = async (
    { enabled, rules }: OidcProviderSettings,
    known: readonly ClaimRule[] = [],
  ): Promise<void> => {
    if (enabled && publicUrl === undefined) throw refuse("oidc_needs_public_url");
    for (const { group } of rules) if (group !== "") checkGroup(options, group);
    const before = new Set(["", ...known.map(({ team }) => team)]);
    for (const { team } of rules)
      if (!before.has(team) && !(await findTeam({ uuid: team }))) throw refuse("team_not_found");
  };

  /**
   * A provider is a way into every account that its rules reach, so it must not outlive a stolen
   * session.
   */
  const proveIdentity = async (call: AuthenticatedContext, proof: ReauthInput) =>
    reauthenticate(await ownAccount(users, call.principal), proof, call);

  const write = (batch: Write[]) => db.write(batch, { changes: [oidcProviderTopic] });
  const view = (row: OidcProviderRow) => viewOidcProvider(row, publicUrl);

  const remove = async (
    call: AuthenticatedContext,
    reference: Reference,
    proof: ReauthInput,
  ): Promise<void> => {
    const row = await existing(reference);
    checkUnmanaged(row);
    // Its rules end with it, as does what it holds its people to: closed passwords, keys that rest.
    await proveIdentity(call, proof);
    await write([
      store.remove(row),
      ...call.audit("oidc_provider.delete", row.uuid, { slug: row.slug, issuer: row.issuer }),
    ]);
  };

  return [
    apiRoute(listOidcProviders, async () => ({
      data: (await store.all()).map(view),
      callback_start: composeOidcRedirectUri(publicUrl, "") ?? "",
    })),
    apiRoute(createOidcProvider, async (call) => {
      const { body, now } = call;
      await check(body);
      if ((await store.all()).length >= oidcProvidersMax) throw refuse("oidc_providers_full");
      await proveIdentity(call, body);
      const added = addOidcProvider(deps, body, now);
      await write([added.write, ...call.audit("oidc_provider.create", added.uuid, added.columns)]);
      return view(await existing({ uuid: added.uuid }));
    }),
    apiRoute(updateOidcProvider, async (call) => {
      const row = await existing(named(call.body));
      const settings = changeOidcProvider(row, call.body);
      const { client_secret: secret, managed_by: managedBy = row.managed_by } = call.body;
      const { after, writes, change } = planOidcProviderUpdate(deps, row, {
        settings,
        secret,
        managedBy,
        now: call.now,
      });
      await check(settings, parseClaimRules(row));
      await proveIdentity(call, call.body);
      await write([...writes, ...call.audit("oidc_provider.update", row.uuid, change)]);
      return view(after);
    }),
    apiRoute(deleteOidcProvider, (call) => remove(call, call.params.id, {})),
    apiRoute(deleteOidcProviderByPost, (call) => remove(call, call.params.id, call.body)),
    apiRoute(testOidcProvider, async ({ body }) => {
      const stored = body.id === undefined ? undefined : await existing(body.id);
      const ownSecret =
        stored && isSameClient(stored, body) ? openOidcSecret(seal, stored) : undefined;
      const { issuer, client_id: clientId, client_secret } = body;
      return oidcClient.test({
        issuer,
        clientId,
        clientSecret: client_secret || ownSecret,
        scopes: "openid",
      });
    }),
    apiRoute(tryClaims, ({ body }) =>
      evaluateClaimRules(body.rules, body.refuses_unmatched, parseClaims(body.claims)),
    ),
  ];
}

function parseClaims(text: string): Record<string, unknown> {
  let claims: unknown;
  try {
    claims = JSON.parse(text);
  } catch {
    claims = undefined;
  }
  if (isJsonRecord(claims)) return claims;
  const message = "claims must be a JSON object";
  throw refuse("invalid_request", { message, fields: { claims: message } });
}
