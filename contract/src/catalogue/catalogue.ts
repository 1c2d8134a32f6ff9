/**
 * Every operation of the management API: the source of the OpenAPI document and of tests over all
 * operations.
 */
import * as accounts from "../accounts/accounts.ts";
import * as agentSignIns from "../accounts/agent-sign-ins.ts";
import * as allTokens from "../accounts/all-tokens.ts";
import * as budgetGrants from "../accounts/budget-grants.ts";
import * as budgetTemplates from "../accounts/budget-templates.ts";
import * as budgets from "../accounts/budgets.ts";
import * as externalSignIn from "../accounts/external-sign-in.ts";
import * as keyHygiene from "../accounts/key-hygiene.ts";
import * as keyReveal from "../accounts/key-reveal.ts";
import * as keyRotation from "../accounts/key-rotation.ts";
import * as managementKeys from "../accounts/management-keys.ts";
import * as oidcProviders from "../accounts/oidc-providers.ts";
import * as passkeys from "../accounts/passkeys.ts";
import * as quotaRequests from "../accounts/quota-requests.ts";
import * as redemptions from "../accounts/redemptions.ts";
import * as registration from "../accounts/registration.ts";
import * as sessions from "../accounts/sessions.ts";
import * as teamCaps from "../accounts/team-caps.ts";
import * as teamInvitations from "../accounts/team-invitations.ts";
import * as teamKeyMoves from "../accounts/team-key-moves.ts";
import * as teamPeople from "../accounts/team-people.ts";
import * as teams from "../accounts/teams.ts";
import * as tokens from "../accounts/tokens.ts";
import * as totp from "../accounts/totp.ts";
import * as userAdmin from "../accounts/user-admin.ts";
import * as userTransfers from "../accounts/user-transfers.ts";
import * as users from "../accounts/users.ts";
import * as bulkVerbs from "../api/bulk-verbs.ts";
import type { Endpoint } from "../api/endpoint.ts";
import * as callBodies from "../call-bodies.ts";
import * as configuration from "../commands/configuration.ts";
import * as documents from "../commands/documents.ts";
import * as siteImports from "../commands/site-imports.ts";
import * as costReports from "../figures/cost-reports.ts";
import * as dashboard from "../figures/dashboard.ts";
import * as failedCalls from "../figures/failed-calls.ts";
import * as focus from "../figures/focus.ts";
import * as logs from "../figures/logs.ts";
import * as reports from "../figures/reports.ts";
import * as runs from "../figures/runs.ts";
import * as serviceHealth from "../figures/service-health.ts";
import * as shadow from "../figures/shadow.ts";
import * as spending from "../figures/spending.ts";
import * as teamStatement from "../figures/team-statement.ts";
import * as traces from "../figures/traces.ts";
import * as alerts from "../notices/alerts.ts";
import * as destinations from "../notices/destinations.ts";
import * as incidents from "../notices/incidents.ts";
import * as ownDestinations from "../notices/own-destinations.ts";
import * as auditTrail from "../site/audit-trail.ts";
import * as options from "../site/options.ts";
import * as pages from "../site/pages.ts";
import * as playground from "../site/playground.ts";
import * as status from "../site/status.ts";
import * as telemetry from "../site/telemetry.ts";
import * as callChecks from "./call-checks.ts";
import * as channelActions from "./channel-actions.ts";
import * as channelJobs from "./channel-jobs.ts";
import * as channelProxies from "./channel-proxies.ts";
import * as channels from "./channels.ts";
import * as mcpServers from "./mcp-servers.ts";
import * as modelDifferences from "./model-differences.ts";
import * as modelEnds from "./model-ends.ts";
import * as modelPrices from "./model-prices.ts";
import * as models from "./models.ts";
import * as priceOffers from "./price-offers.ts";
import * as providerCheck from "./provider-check.ts";
import * as virtualModels from "./virtual-models.ts";

const isEndpoint = (value: unknown): value is Endpoint =>
  typeof value === "object" &&
  value !== null &&
  "access" in value &&
  "path" in value &&
  "method" in value;

export interface NamedEndpoint {
  name: string;
  subject: string;
  endpoint: Endpoint;
}

interface ContractModule {
  subject: string;
  exports: Readonly<Record<string, unknown>>;
}
const of = (subject: string, exports: Record<string, unknown>): ContractModule => ({
  subject,
  exports,
});

/**
 * The modules of the contract that have operations, each under the subject by which the reference
 * orders them.
 */
export const contractModules: readonly ContractModule[] = [
  of("documents", documents),
  of("status", status),
  of("pages", pages),
  of("serviceHealth", serviceHealth),
  of("shadow", shadow),
  of("site-imports", siteImports),
  of("sessions", sessions),
  of("accounts", accounts),
  of("registration", registration),
  of("external-sign-in", externalSignIn),
  of("playground", playground),
  of("agent-sign-ins", agentSignIns),
  of("totp", totp),
  of("passkeys", passkeys),
  of("management-keys", managementKeys),
  of("options", options),
  of("options", telemetry),
  of("oidc-providers", oidcProviders),
  of("users", users),
  of("users", userAdmin),
  of("users", userTransfers),
  of("models", models),
  of("models", modelEnds),
  of("models", modelPrices),
  of("models", priceOffers),
  of("tokens", allTokens),
  of("tokens", tokens),
  of("tokens", keyReveal),
  of("tokens", keyRotation),
  of("tokens", keyHygiene),
  of("channels", channels),
  of("channels", channelActions),
  of("virtual-models", virtualModels),
  of("mcp-servers", mcpServers),
  of("channels", channelJobs),
  of("channels", channelProxies),
  of("channels", modelDifferences),
  of("channels", providerCheck),
  of("configuration", configuration),
  of("cost-reports", costReports),
  of("budget-templates", budgetTemplates),
  of("budgets", budgets),
  of("budgets", budgetGrants),
  of("teams", teams),
  of("teams", teamInvitations),
  of("teams", teamCaps),
  of("teams", teamKeyMoves),
  of("teams", teamPeople),
  of("teams", teamStatement),
  of("redemptions", redemptions),
  of("quota-requests", quotaRequests),
  of("logs", logs),
  of("logs", callChecks),
  of("traces", traces),
  of("traces", callBodies),
  of("traces", failedCalls),
  of("runs", runs),
  of("bulk-verbs", bulkVerbs),
  of("dashboard", dashboard),
  of("dashboard", spending),
  of("dashboard", reports),
  of("dashboard", focus),
  of("audit-trail", auditTrail),
  of("alerts", alerts),
  of("alerts", incidents),
  of("alerts", destinations),
  of("own-destinations", ownDestinations),
];

export const catalogue: readonly NamedEndpoint[] = contractModules.flatMap(({ subject, exports }) =>
  Object.entries(exports).flatMap(([name, value]) =>
    isEndpoint(value) ? [{ name, subject, endpoint: value }] : [],
  ),
);
