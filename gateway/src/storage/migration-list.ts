/** The migrations in order. */
import { schema } from "./migrations/0012-schema.ts";
import { accessTokenTimes } from "./migrations/0013-access-token-times.ts";
import { knownDevices } from "./migrations/0014-known-devices.ts";
import { sealedHeaders } from "./migrations/0015-sealed-headers.ts";
import { debts } from "./migrations/0016-debts.ts";
import { usernameKeys } from "./migrations/0017-username-keys.ts";
import { shortfallIndex } from "./migrations/0018-shortfall-index.ts";
import { usageDetails } from "./migrations/0019-usage-details.ts";
import { providerStates } from "./migrations/0020-provider-states.ts";
import { logProblems } from "./migrations/0021-log-problems.ts";
import { quotaRequests } from "./migrations/0022-quota-requests.ts";
import { imports } from "./migrations/0023-imports.ts";
import { userLanguage } from "./migrations/0024-user-language.ts";
import { tokenEndings } from "./migrations/0025-token-endings.ts";
import { costReports } from "./migrations/0026-cost-reports.ts";
import { virtualModels } from "./migrations/0027-virtual-models.ts";
import { managementKeys } from "./migrations/0028-management-keys.ts";
import { contextTokens } from "./migrations/0029-context-tokens.ts";
import { externalIds } from "./migrations/0030-external-ids.ts";
import { budgets } from "./migrations/0031-budgets.ts";
import { oidcProviders } from "./migrations/0032-oidc-providers.ts";
import { alerts } from "./migrations/0033-alerts.ts";
import { channelTags } from "./migrations/0034-channel-tags.ts";
import { channelProxies } from "./migrations/0035-channel-proxies.ts";
import { providerSessions } from "./migrations/0036-provider-sessions.ts";
import { keyRotation } from "./migrations/0037-key-rotation.ts";
import { providerFiles } from "./migrations/0038-provider-files.ts";
import { ownDestinations } from "./migrations/0039-own-destinations.ts";
import { keyTimes } from "./migrations/0040-key-times.ts";
import { passkeys } from "./migrations/0041-passkeys.ts";
import { providerBatches } from "./migrations/0042-provider-batches.ts";
import { importedLogs } from "./migrations/0043-imported-logs.ts";
import { batchDialects } from "./migrations/0044-batch-dialects.ts";
import { shadowCalls } from "./migrations/0045-shadow-calls.ts";
import { tokenGroups } from "./migrations/0046-token-groups.ts";
import { providerObjects } from "./migrations/0047-provider-objects.ts";
import { sessionFactors } from "./migrations/0048-session-factors.ts";
import { mcpServers } from "./migrations/0049-mcp-servers.ts";
import { namedMcpServers } from "./migrations/0050-named-mcp-servers.ts";
import { videoTasks } from "./migrations/0051-video-tasks.ts";
import { offeredPrices } from "./migrations/0052-offered-prices.ts";
import { tags } from "./migrations/0053-tags.ts";
import { callBodies } from "./migrations/0054-call-bodies.ts";
import { siteImports } from "./migrations/0055-site-imports.ts";
import { providerSignOut } from "./migrations/0056-provider-sign-out.ts";
import { costs } from "./migrations/0058-costs.ts";
import { tokenPauses } from "./migrations/0059-token-pauses.ts";
import { keyNetworks } from "./migrations/0060-key-networks.ts";
import { providerUploads } from "./migrations/0061-provider-uploads.ts";
import { budgetPauses } from "./migrations/0062-budget-pauses.ts";
import { rootNetworks } from "./migrations/0063-root-networks.ts";
import { choreProgress } from "./migrations/0064-chore-progress.ts";
import { managedBudgets } from "./migrations/0065-managed-budgets.ts";
import { tokenCache } from "./migrations/0066-token-cache.ts";
import { settleBatches } from "./migrations/0070-settle-batches.ts";
import { budgetTemplates } from "./migrations/0071-budget-templates.ts";
import { managedOidcProviders } from "./migrations/0072-managed-oidc-providers.ts";
import { providerPeople } from "./migrations/0073-provider-people.ts";
import { modelFacts } from "./migrations/0074-model-facts.ts";
import { reasoningHomes } from "./migrations/0075-reasoning-homes.ts";
import { nodeSuspensions } from "./migrations/0076-node-suspensions.ts";
import { budgetModels } from "./migrations/0077-budget-models.ts";
import { externalIdsOfCodes } from "./migrations/0078-external-ids-of-codes.ts";
import { alertValues } from "./migrations/0079-alert-values.ts";
import { spendingTokens } from "./migrations/0080-spending-tokens.ts";
import { widerLogIndexes } from "./migrations/0081-wider-log-indexes.ts";
import { holdBatches } from "./migrations/0082-hold-batches.ts";
import { verifiedAddresses } from "./migrations/0083-verified-addresses.ts";
import { databaseKey } from "./migrations/0084-database-key.ts";
import { teams } from "./migrations/0085-teams.ts";
import { agentRuns } from "./migrations/0090-agent-runs.ts";
import { budgetsOfRuns } from "./migrations/0091-budgets-of-runs.ts";
import { clockSpans } from "./migrations/0095-clock-spans.ts";
import { runsOfTeams } from "./migrations/0100-runs-of-teams.ts";
import { teamInvitations } from "./migrations/0101-team-invitations.ts";
import { memberCaps } from "./migrations/0102-member-caps.ts";
import { statementIndexes } from "./migrations/0103-statement-indexes.ts";
import { logEvents } from "./migrations/0104-log-events.ts";
import { agentSignIns } from "./migrations/0110-agent-sign-ins.ts";
import { channelBudgets } from "./migrations/0120-channel-budgets.ts";
import { budgetMeasures } from "./migrations/0121-budget-measures.ts";
import { auditors } from "./migrations/0130-auditors.ts";
import { teamKeyOffers } from "./migrations/0131-team-key-offers.ts";
import { managedTeams } from "./migrations/0140-managed-teams.ts";
import { untimedCalls } from "./migrations/0141-untimed-calls.ts";
import { promptMarks } from "./migrations/0150-prompt-marks.ts";
import { providerBudgets } from "./migrations/0151-provider-budgets.ts";
import { budgetGrants } from "./migrations/0152-budget-grants.ts";
import { budgetRequests } from "./migrations/0153-budget-requests.ts";
import type { Migration } from "./migrations/migration.ts";

export const migrations: readonly Migration[] = [
  schema,
  accessTokenTimes,
  knownDevices,
  sealedHeaders,
  debts,
  usernameKeys,
  shortfallIndex,
  usageDetails,
  providerStates,
  logProblems,
  quotaRequests,
  imports,
  userLanguage,
  tokenEndings,
  costReports,
  virtualModels,
  managementKeys,
  contextTokens,
  externalIds,
  budgets,
  oidcProviders,
  alerts,
  channelTags,
  channelProxies,
  providerSessions,
  keyRotation,
  providerFiles,
  ownDestinations,
  keyTimes,
  passkeys,
  providerBatches,
  importedLogs,
  batchDialects,
  shadowCalls,
  tokenGroups,
  providerObjects,
  sessionFactors,
  mcpServers,
  namedMcpServers,
  videoTasks,
  offeredPrices,
  tags,
  callBodies,
  siteImports,
  providerSignOut,
  costs,
  tokenPauses,
  keyNetworks,
  providerUploads,
  budgetPauses,
  rootNetworks,
  choreProgress,
  managedBudgets,
  tokenCache,
  settleBatches,
  budgetTemplates,
  managedOidcProviders,
  providerPeople,
  modelFacts,
  reasoningHomes,
  nodeSuspensions,
  budgetModels,
  externalIdsOfCodes,
  alertValues,
  spendingTokens,
  widerLogIndexes,
  holdBatches,
  verifiedAddresses,
  databaseKey,
  teams,
  agentRuns,
  budgetsOfRuns,
  clockSpans,
  runsOfTeams,
  teamInvitations,
  memberCaps,
  statementIndexes,
  logEvents,
  agentSignIns,
  channelBudgets,
  budgetMeasures,
  auditors,
  teamKeyOffers,
  managedTeams,
  untimedCalls,
  promptMarks,
  providerBudgets,
  budgetGrants,
  budgetRequests,
];
