/** What a configuration document would change of OpenID Connect providers: for root alone, and written with a proof of identity. */
import { isDeepStrictEqual } from "node:util";
import type { ConfigurationRequest, ConfiguredIdentityProvider } from "@tollgate/contract/configuration.ts";
import { oidcProvidersMax } from "@tollgate/contract/oidc-providers.ts";
import { roles } from "@tollgate/contract/roles.ts";
import { checkGroupAmong } from "../groups/group-rules.ts";
import { refuse } from "../http/refusal.ts";
import type { AuthenticatedContext } from "../http/request-context.ts";
import { addOidcProvider } from "../identity/oidc/add-oidc-provider.ts";
import { oidcProviderUpdate } from "../identity/oidc/change-oidc-provider.ts";
import { type OidcProviderRow, oidcProviderTopic } from "../identity/oidc/oidc-provider-store.ts";
import { openOidcSecret } from "../identity/oidc/oidc-secret.ts";
import type { ConfigurationDeps } from "./configuration-plan.ts";
import { identityProviderSettings, storedProviderSettings } from "./configured-identity-provider.ts";
import { groupsAfter } from "./groups-after.ts";
import { addLeavingSteps, addStep, emptyPlan, isTakenOver, type KindPlan, type PlannedStep } from "./kind-plan.ts";

type ProviderPlanDeps = Pick<ConfigurationDeps, "oidcProviders" | "hasPublicUrl" | "options" | "seal">;

export async function planIdentityProviders(
  deps: ProviderPlanDeps,
  call: AuthenticatedContext,
  request: ConfigurationRequest,
): Promise<KindPlan> {
  const { oidcProviders: store, hasPublicUrl } = deps;
  const { file, prune, document } = request;
  const plan = emptyPlan(oidcProviderTopic);
  const rows = await store.all();
  const bySlug = new Map(rows.map((row) => [row.slug, row]));
  const groups = await groupsAfter(deps, request);
  const wantedSlugs = new Set((document.identityProviders ?? []).map(({ slug }) => slug));
  const checkRole = (): void => {
    if (call.principal.role < roles.root) throw refuse("insufficient_role");
  };
  const leaving = rows.filter(({ slug, managed_by }) => managed_by === file && !wantedSlugs.has(slug));
  await addLeavingSteps(
    plan,
    leaving.map((row) => ({ ...row, name: row.slug })),
    prune,
    {
      kind: "identity_provider",
      remove(row) {
        checkRole();
        return {
          writes: [store.remove(row)],
          audits: call.audit("oidc_provider.delete", row.uuid, { slug: row.slug, issuer: row.issuer }),
        };
      },
    },
  );

  let count = rows.length - (prune ? leaving.length : 0);
  const named = new Set<string>();
  for (const wanted of document.identityProviders ?? [])
    await addStep(plan, "identity_provider", wanted.slug, () => {
      checkRole();
      if (named.has(wanted.slug)) throw refuse("configuration_twice");
      named.add(wanted.slug);
      const row = bySlug.get(wanted.slug);
      if ((wanted.enabled ?? row?.enabled !== 0) && !hasPublicUrl) throw refuse("oidc_needs_public_url");
      for (const { group } of wanted.rules) if (group !== undefined) checkGroupAmong(groups, group);
      if (row) return changedProvider(deps, call, { wanted, row, request });
      count += 1;
      if (count > oidcProvidersMax) throw refuse("oidc_providers_full");
      return newProvider(deps, call, wanted, file);
    });
  return plan;
}

function newProvider(
  { oidcProviders: store, seal }: ProviderPlanDeps,
  call: AuthenticatedContext,
  wanted: ConfiguredIdentityProvider,
  file: string,
): PlannedStep {
  // A variable that is not set must not make a public client of it.
  if (wanted.clientSecret === undefined) {
    const message =
      'clientSecret is needed: set the variable that the file names for it, or write "" for a public client';
    throw refuse("oidc_secret_required", { message });
  }
  const input = {
    ...identityProviderSettings(wanted, true),
    slug: wanted.slug,
    client_secret: wanted.clientSecret,
  };
  const { uuid, columns, write } = addOidcProvider({ store, seal }, input, call.now, file);
  return { action: "create", writes: [write], audits: call.audit("oidc_provider.create", uuid, columns) };
}

interface WantedOfProvider {
  wanted: ConfiguredIdentityProvider;
  row: OidcProviderRow;
  request: ConfigurationRequest;
}

/** Undefined where the row is as the document wants it. */
function changedProvider(
  { oidcProviders: store, seal }: ProviderPlanDeps,
  call: AuthenticatedContext,
  { wanted, row, request }: WantedOfProvider,
): PlannedStep | undefined {
  const before = storedProviderSettings(row);
  const settings = identityProviderSettings(wanted, before.enabled);
  const names = Object.keys(before) as (keyof typeof before)[];
  const members: string[] = names.filter((name) => !isDeepStrictEqual(before[name], settings[name]));
  const isOtherSecret = wanted.clientSecret !== undefined && wanted.clientSecret !== (openOidcSecret(seal, row) ?? "");
  if (isOtherSecret) members.push("client_secret");
  const isAdopted = request.adopt && row.managed_by !== request.file;
  if (members.length === 0 && !isAdopted) return undefined;
  const action = isTakenOver(row, request) ? "adopt" : "update";
  const { writes, change } = oidcProviderUpdate({ store, seal }, row, {
    settings,
    secret: isOtherSecret ? wanted.clientSecret : undefined,
    managedBy: request.file,
    now: call.now,
  });
  return { action, members, writes, audits: call.audit("oidc_provider.update", row.uuid, change) };
}
