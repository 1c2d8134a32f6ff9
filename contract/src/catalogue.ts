/** Every operation of the management API: the source of the OpenAPI document and of tests over all operations. */
import * as accounts from "./accounts.ts";
import * as alerts from "./alerts.ts";
import * as allTokens from "./all-tokens.ts";
import * as auditTrail from "./audit-trail.ts";
import * as budgetTemplates from "./budget-templates.ts";
import * as budgets from "./budgets.ts";
import * as bulkVerbs from "./bulk-verbs.ts";
import * as callBodies from "./call-bodies.ts";
import * as callChecks from "./call-checks.ts";
import * as channelActions from "./channel-actions.ts";
import * as channelJobs from "./channel-jobs.ts";
import * as channelProxies from "./channel-proxies.ts";
import * as channels from "./channels.ts";
import * as configuration from "./configuration.ts";
import * as costReports from "./cost-reports.ts";
import * as dashboard from "./dashboard.ts";
import * as destinations from "./destinations.ts";
import * as documents from "./documents.ts";
import type { Endpoint } from "./endpoint.ts";
import * as externalSignIn from "./external-sign-in.ts";
import * as failedCalls from "./failed-calls.ts";
import * as focus from "./focus.ts";
import * as incidents from "./incidents.ts";
import * as keyHygiene from "./key-hygiene.ts";
import * as keyReveal from "./key-reveal.ts";
import * as keyRotation from "./key-rotation.ts";
import * as logs from "./logs.ts";
import * as managementKeys from "./management-keys.ts";
import * as mcpServers from "./mcp-servers.ts";
import * as modelDifferences from "./model-differences.ts";
import * as modelEnds from "./model-ends.ts";
import * as modelPrices from "./model-prices.ts";
import * as models from "./models.ts";
import * as oidcProviders from "./oidc-providers.ts";
import * as options from "./options.ts";
import * as ownDestinations from "./own-destinations.ts";
import * as pages from "./pages.ts";
import * as passkeys from "./passkeys.ts";
import * as playground from "./playground.ts";
import * as priceOffers from "./price-offers.ts";
import * as providerCheck from "./provider-check.ts";
import * as quotaRequests from "./quota-requests.ts";
import * as redemptions from "./redemptions.ts";
import * as registration from "./registration.ts";
import * as reports from "./reports.ts";
import * as serviceHealth from "./service-health.ts";
import * as sessions from "./sessions.ts";
import * as shadow from "./shadow.ts";
import * as siteImports from "./site-imports.ts";
import * as status from "./status.ts";
import * as telemetry from "./telemetry.ts";
import * as tokens from "./tokens.ts";
import * as totp from "./totp.ts";
import * as traces from "./traces.ts";
import * as userAdmin from "./user-admin.ts";
import * as users from "./users.ts";
import * as virtualModels from "./virtual-models.ts";

const isEndpoint = (value: unknown): value is Endpoint =>
  typeof value === "object" && value !== null && "access" in value && "path" in value && "method" in value;

export interface NamedEndpoint {
  name: string;
  subject: string;
  endpoint: Endpoint;
}

const of = (subject: string, module: Record<string, unknown>): NamedEndpoint[] =>
  Object.entries(module).flatMap(([name, value]) => (isEndpoint(value) ? [{ name, subject, endpoint: value }] : []));

export const catalogue: readonly NamedEndpoint[] = [
  ...of("documents", documents),
  ...of("status", status),
  ...of("pages", pages),
  ...of("serviceHealth", serviceHealth),
  ...of("shadow", shadow),
  ...of("site-imports", siteImports),
  ...of("sessions", sessions),
  ...of("accounts", accounts),
  ...of("registration", registration),
  ...of("external-sign-in", externalSignIn),
  ...of("playground", playground),
  ...of("totp", totp),
  ...of("passkeys", passkeys),
  ...of("management-keys", managementKeys),
  ...of("options", options),
  ...of("options", telemetry),
  ...of("oidc-providers", oidcProviders),
  ...of("users", users),
  ...of("users", userAdmin),
  ...of("models", models),
  ...of("models", modelEnds),
  ...of("models", modelPrices),
  ...of("models", priceOffers),
  ...of("tokens", allTokens),
  ...of("tokens", tokens),
  ...of("tokens", keyReveal),
  ...of("tokens", keyRotation),
  ...of("tokens", keyHygiene),
  ...of("channels", channels),
  ...of("channels", channelActions),
  ...of("virtual-models", virtualModels),
  ...of("mcp-servers", mcpServers),
  ...of("channels", channelJobs),
  ...of("channels", channelProxies),
  ...of("channels", modelDifferences),
  ...of("channels", providerCheck),
  ...of("configuration", configuration),
  ...of("cost-reports", costReports),
  ...of("budget-templates", budgetTemplates),
  ...of("budgets", budgets),
  ...of("redemptions", redemptions),
  ...of("quota-requests", quotaRequests),
  ...of("logs", logs),
  ...of("logs", callChecks),
  ...of("traces", traces),
  ...of("traces", callBodies),
  ...of("traces", failedCalls),
  ...of("bulk-verbs", bulkVerbs),
  ...of("dashboard", dashboard),
  ...of("dashboard", reports),
  ...of("dashboard", focus),
  ...of("audit-trail", auditTrail),
  ...of("alerts", alerts),
  ...of("alerts", incidents),
  ...of("alerts", destinations),
  ...of("own-destinations", ownDestinations),
];
