/** API routes for the configuration as one document. */

import { roles } from "@tollgate/contract/accounts/roles.ts";
import {
  applyConfiguration,
  type Configuration,
  configurationVersion,
  exportConfiguration,
} from "@tollgate/contract/commands/configuration.ts";
import { createChannelEditor } from "../../catalogue/channels/change-channel.ts";
import { parseStoredRules } from "../../catalogue/models/virtual-model-rules.ts";
import { type ApiRoute, apiRoute } from "../../http/api-route.ts";
import { isPerson } from "../../http/management-key-access.ts";
import type { AuthenticatedContext, ProveIdentity } from "../../http/request-context.ts";
import { optionDefaults, optionsOpenToKeys } from "../../settings/option-defaults.ts";
import { isOptionKey } from "../../settings/option-rules.ts";
import { isSingleOidcKey } from "../../settings/single-oidc-keys.ts";
import type { Database } from "../../storage/database.ts";
import {
  type ConfigurationDeps,
  planChannels,
  planPrices,
  planSettings,
} from "./configuration-plan.ts";
import { buildConfiguredBudget, buildConfiguredTemplate } from "./configured-budget.ts";
import { buildConfiguredChannel } from "./configured-channel.ts";
import { buildConfiguredIdentityProvider } from "./configured-identity-provider.ts";
import { buildConfiguredMcpServer } from "./configured-mcp-server.ts";
import { buildConfiguredTeam } from "./configured-team.ts";
import { makeDocumentIds } from "./document-finder.ts";
import type { KindPlan } from "./kind-plan.ts";
import { planBudgetTemplates } from "./plan-budget-templates.ts";
import { planBudgets } from "./plan-budgets.ts";
import { planIdentityProviders } from "./plan-identity-providers.ts";
import { planMcpServers } from "./plan-mcp-servers.ts";
import { planTeams } from "./plan-teams.ts";
import { buildFlags, planVirtualModels } from "./plan-virtual-models.ts";

/** Settings that have another place in a document. */
const hasOwnPlace = (key: string): boolean => key === "GroupRatio" || isSingleOidcKey(key);

/** `kindPlans` are in the order in which the kinds depend on each other. */
const kindPlans = [
  planSettings,
  planPrices,
  planChannels,
  planVirtualModels,
  planMcpServers,
  planBudgets,
  planBudgetTemplates,
];

interface ConfigurationRoutesDeps extends Omit<ConfigurationDeps, "planEdit" | "db"> {
  proveIdentity: ProveIdentity;
}

export function buildConfigurationRoutes(db: Database, given: ConfigurationRoutesDeps): ApiRoute[] {
  const { proveIdentity } = given;
  const deps: ConfigurationDeps = { ...given, db, planEdit: createChannelEditor(given) };

  /** Settings that differ from their defaults; to a management key, those that it may change. */
  const settingsFor = async ({ principal }: AuthenticatedContext) => {
    if (principal.role < roles.root) return {};
    const stored = [...(await deps.options.all()).values()];
    const shown = stored.filter(({ key, value }) => {
      if (
        !isOptionKey(key) ||
        hasOwnPlace(key) ||
        key === "QuotaPerUnit" ||
        value === optionDefaults[key]
      )
        return false;
      return isPerson(principal) || optionsOpenToKeys.includes(key);
    });
    const ratios =
      stored.find(({ key }) => key === "GroupRatio")?.value ?? optionDefaults.GroupRatio;
    const settings = Object.fromEntries(shown.map(({ key, value }) => [key, value]));
    return {
      ...(shown.length > 0 && { settings }),
      groups: JSON.parse(ratios) as Record<string, number>,
    };
  };

  const exported = async (call: AuthenticatedContext): Promise<Configuration> => {
    const isRoot = call.principal.role >= roles.root;
    const [channels, virtualModels, prices, mcpServers, providers, budgets, templates, teams] =
      await Promise.all([
        deps.channels.all(),
        deps.virtualModels.all(),
        deps.modelPrices.all(),
        deps.mcpServers.all(),
        isRoot ? deps.oidcProviders.all() : [],
        deps.budgets.configurable(),
        deps.budgetTemplates.all(),
        deps.teamParts.all(),
      ]);
    const teamParts = teams.length > 0 ? await deps.teamParts.parts() : undefined;
    const channelId = makeDocumentIds(channels);
    const budgetId = makeDocumentIds(budgets);
    const templateId = makeDocumentIds(templates);
    const teamId = makeDocumentIds(teams);
    const teamNames = new Map(teams.map((row) => [row.uuid, teamId(row)]));
    return {
      apiVersion: configurationVersion,
      ...(await settingsFor(call)),
      ...(prices.length > 0 && {
        prices: Object.fromEntries(prices.map((one) => [one.model, one.prices])),
      }),
      channels: channels.map((row) => buildConfiguredChannel(row, channelId(row))),
      virtualModels: virtualModels.map((row) => {
        const { tiers, sticky, access, retries_refused_content } = parseStoredRules(row);
        const { enabled, replaces_model } = buildFlags(row);
        return {
          name: row.name,
          enabled,
          replacesModel: replaces_model,
          tiers,
          sticky,
          access,
          retriesRefusedContent: retries_refused_content,
        };
      }),
      ...(mcpServers.length > 0 && { mcpServers: mcpServers.map(buildConfiguredMcpServer) }),
      ...(providers.length > 0 && {
        identityProviders: providers.map((row) => buildConfiguredIdentityProvider(row, teamNames)),
      }),
      ...(budgets.length > 0 && {
        budgets: budgets.map((row) => buildConfiguredBudget(row, budgetId(row))),
      }),
      ...(templates.length > 0 && {
        budgetTemplates: templates.map((row) => buildConfiguredTemplate(row, templateId(row))),
      }),
      ...(teamParts && {
        teams: teams.map((row) =>
          buildConfiguredTeam(row, teamParts, { externalId: teamId(row), ruling: deps.ruling }),
        ),
      }),
    };
  };

  return [
    apiRoute(exportConfiguration, exported),
    apiRoute(applyConfiguration, async (call) => {
      const { file, file_hash, preview } = call.body;
      const mark = { file, ...(file_hash !== "" && { file_hash }) };
      const recorded: AuthenticatedContext = {
        ...call,
        audit: (action, target, change = {}, actorId) =>
          call.audit(action, target, { ...change, ...mark }, actorId),
      };
      const plans: KindPlan[] = [];
      for (const plan of kindPlans) plans.push(await plan(deps, recorded, call.body));
      const teams = await planTeams(deps, recorded, call.body);
      // Their rules name teams.
      const providers = await planIdentityProviders(deps, recorded, call.body, teams.findTeam);
      plans.push(teams.plan, providers);
      const problems = plans.flatMap((plan) => plan.problems);
      // Who may sign in, and as what, is no decision of a management key alone, and outlives a
      // stolen session.
      if (!preview && problems.length === 0 && providers.writes.length > 0)
        await proveIdentity(call, call.body);
      if (!preview && problems.length === 0)
        // Each kind is whole or absent: a run that is cut off between two kinds is completed by the
        // next one.
        for (const { writes, audits, topics } of plans)
          if (writes.length > 0) await db.write([...writes, ...audits], { changes: topics });
      return {
        changes: plans.flatMap(({ changes }) => changes),
        unchanged: plans.reduce((sum, { unchanged }) => sum + unchanged, 0),
        problems,
      };
    }),
  ];
}
