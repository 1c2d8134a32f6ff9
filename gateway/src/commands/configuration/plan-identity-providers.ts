/**
 * Planned changes of OpenID Connect providers, by a configuration document: for root alone, and
 * written with a proof of identity.
 */

import { oidcProvidersMax } from "@tollgate/contract/accounts/oidc-providers.ts";
import { roles } from "@tollgate/contract/accounts/roles.ts";
import type {
  ConfigurationRequest,
  ConfiguredIdentityProvider,
} from "@tollgate/contract/commands/configuration.ts";
import { addOidcProvider } from "../../accounts/identity/oidc/add-oidc-provider.ts";
import { planOidcProviderUpdate } from "../../accounts/identity/oidc/change-oidc-provider.ts";
import type { OidcProviderSettings } from "../../accounts/identity/oidc/oidc-provider-rules.ts";
import {
  type OidcProviderRow,
  oidcProviderTopic,
} from "../../accounts/identity/oidc/oidc-provider-store.ts";
import { openOidcSecret } from "../../accounts/identity/oidc/oidc-secret.ts";
import { refuse } from "../../http/refusal.ts";
import type { AuthenticatedContext } from "../../http/request-context.ts";
import { checkGroupAmong } from "../../settings/group-rules.ts";
import type { ConfigurationDeps } from "./configuration-plan.ts";
import {
  buildIdentityProviderSettings,
  type FindConfiguredTeam,
  readStoredProviderSettings,
} from "./configured-identity-provider.ts";
import { listGroups } from "./groups-after.ts";
import {
  addNamedSteps,
  changeMembers,
  emptyPlan,
  findAction,
  type KindPlan,
  type PlannedStep,
} from "./kind-plan.ts";

type ProviderPlanDeps = Pick<
  ConfigurationDeps,
  "oidcProviders" | "hasPublicUrl" | "options" | "seal"
>;

export async function planIdentityProviders(
  deps: ProviderPlanDeps,
  call: AuthenticatedContext,
  request: ConfigurationRequest,
  findTeam: FindConfiguredTeam,
): Promise<KindPlan> {
  const { oidcProviders: store, hasPublicUrl } = deps;
  const { file, document } = request;
  const plan = emptyPlan(oidcProviderTopic);
  const rows = await store.all();
  const groups = await listGroups(deps, request);
  const checkRole = (): void => {
    if (call.principal.role < roles.root) throw refuse("insufficient_role");
  };
  await addNamedSteps(
    plan,
    request,
    { wanted: document.identityProviders, rows },
    {
      kind: "identity_provider",
      nameOf: ({ slug }) => slug,
      limit: { max: oidcProvidersMax, code: "oidc_providers_full" },
      step(wanted, row) {
        checkRole();
        if ((wanted.enabled ?? row?.enabled !== 0) && !hasPublicUrl)
          throw refuse("oidc_needs_public_url");
        for (const { group } of wanted.rules)
          if (group !== undefined) checkGroupAmong(groups, group);
        const settings = buildIdentityProviderSettings(wanted, row?.enabled !== 0, findTeam);
        return row
          ? changeProvider(deps, call, { wanted, settings, row, request })
          : buildProvider(deps, call, { wanted, settings, file });
      },
      remove(row) {
        checkRole();
        return {
          writes: [store.remove(row)],
          audits: call.audit("oidc_provider.delete", row.uuid, {
            slug: row.slug,
            issuer: row.issuer,
          }),
        };
      },
    },
  );
  return plan;
}

function buildProvider(
  { oidcProviders: store, seal }: ProviderPlanDeps,
  call: AuthenticatedContext,
  {
    wanted,
    settings,
    file,
  }: { wanted: ConfiguredIdentityProvider; settings: OidcProviderSettings; file: string },
): PlannedStep {
  // A variable that is not set must not make a public client of it.
  if (wanted.clientSecret === undefined) {
    const message =
      'clientSecret is needed: set the variable that the file names for it, or write "" for a public client';
    throw refuse("oidc_secret_required", { message });
  }
  const input = {
    ...settings,
    slug: wanted.slug,
    client_secret: wanted.clientSecret,
  };
  const { uuid, columns, write } = addOidcProvider({ store, seal }, input, call.now, file);
  return {
    action: "create",
    writes: [write],
    audits: call.audit("oidc_provider.create", uuid, columns),
  };
}

interface WantedOfProvider {
  wanted: ConfiguredIdentityProvider;
  settings: OidcProviderSettings;
  row: OidcProviderRow;
  request: ConfigurationRequest;
}

/** Undefined where the row is as the document wants it. */
function changeProvider(
  { oidcProviders: store, seal }: ProviderPlanDeps,
  call: AuthenticatedContext,
  { wanted, settings, row, request }: WantedOfProvider,
): PlannedStep | undefined {
  const before = readStoredProviderSettings(row);
  const members = changeMembers(before, settings);
  const isOtherSecret =
    wanted.clientSecret !== undefined && wanted.clientSecret !== (openOidcSecret(seal, row) ?? "");
  if (isOtherSecret) members.push("client_secret");
  const action = findAction(row, members, request);
  if (!action) return undefined;
  const { writes, change } = planOidcProviderUpdate({ store, seal }, row, {
    settings,
    secret: isOtherSecret ? wanted.clientSecret : undefined,
    managedBy: request.file,
    now: call.now,
  });
  return { action, members, writes, audits: call.audit("oidc_provider.update", row.uuid, change) };
}
