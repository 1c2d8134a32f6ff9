/**
 * Opens the management API: every feature's routes under one handler, and the channel jobs that
 * some of them start.
 */

import type { HttpBindings } from "@hono/node-server";
import type { AddressBlock } from "@tollgate/contract/api/cidr.ts";
import { getOpenApi } from "@tollgate/contract/commands/documents.ts";
import type { Hono } from "hono";
import { buildBudgetRequestRoutes } from "../accounts/budgets/budget-request-routes.ts";
import { createBudgetRequestStore } from "../accounts/budgets/budget-request-store.ts";
import { buildBudgetRoutes } from "../accounts/budgets/budget-routes.ts";
import { createBudgetStore } from "../accounts/budgets/budget-store.ts";
import { buildBudgetTemplateRoutes } from "../accounts/budgets/budget-template-routes.ts";
import { createBudgetTemplateStore } from "../accounts/budgets/budget-template-store.ts";
import { createOidcProviderStore } from "../accounts/identity/oidc/oidc-provider-store.ts";
import { createOidcTakeOver } from "../accounts/identity/oidc/take-over-oidc-settings.ts";
import { buildBulkUserRoutes } from "../accounts/identity/users/bulk-user-routes.ts";
import { checkCanManage } from "../accounts/identity/users/user-edit-rules.ts";
import { buildUserRoutes } from "../accounts/identity/users/user-routes.ts";
import { buildUserTransferRoutes } from "../accounts/identity/users/user-transfer-routes.ts";
import { createIssuance } from "../accounts/quota-requests/issuance.ts";
import { buildQuotaRequestRoutes } from "../accounts/quota-requests/quota-request-routes.ts";
import { createQuotaRequestStore } from "../accounts/quota-requests/quota-request-store.ts";
import { buildBulkRedemptionRoutes } from "../accounts/redemptions/bulk-redemption-routes.ts";
import { buildRedemptionRoutes } from "../accounts/redemptions/redemption-routes.ts";
import { createRedemptionStore } from "../accounts/redemptions/redemption-store.ts";
import { buildInvitationRoutes } from "../accounts/teams/invitation-routes.ts";
import { createInvitationStore } from "../accounts/teams/invitation-store.ts";
import { buildKeyMoveRoutes } from "../accounts/teams/key-move-routes.ts";
import { createKeyMoveStore } from "../accounts/teams/key-move-store.ts";
import { buildPeopleRoutes } from "../accounts/teams/people-routes.ts";
import { buildTeamCapRoutes } from "../accounts/teams/team-cap-routes.ts";
import { createTeamCapStore } from "../accounts/teams/team-cap-store.ts";
import { buildTeamKeyRoutes } from "../accounts/teams/team-key-routes.ts";
import { buildTeamRoutes } from "../accounts/teams/team-routes.ts";
import { createTeamSight } from "../accounts/teams/team-sight.ts";
import { createTeamStore } from "../accounts/teams/team-store.ts";
import { buildAllTokenRoutes } from "../accounts/tokens/all-token-routes.ts";
import { createAllTokenStore } from "../accounts/tokens/all-token-store.ts";
import { buildBulkTokenRoutes } from "../accounts/tokens/bulk-token-routes.ts";
import { buildKeyFindingsRoutes } from "../accounts/tokens/key-findings-routes.ts";
import { revealTokenRoutes } from "../accounts/tokens/reveal-token-routes.ts";
import { rotateTokenRoutes } from "../accounts/tokens/rotate-token-routes.ts";
import { buildTokenRoutes } from "../accounts/tokens/token-routes.ts";
import { createTokenStore } from "../accounts/tokens/token-store.ts";
import type { BodyObjects } from "../call-bodies/body-objects.ts";
import { type CheckCall, callCheckRoutes } from "../catalogue/call-checks/call-check-routes.ts";
import type { AutomaticStatus } from "../catalogue/channels/automatic-status.ts";
import { createBuiltInModels } from "../catalogue/channels/built-in-models.ts";
import { buildBulkChannelRoutes } from "../catalogue/channels/bulk-channel-routes.ts";
import { buildChannelActionRoutes } from "../catalogue/channels/channel-action-routes.ts";
import {
  type ChannelJobs,
  createChannelJobs,
} from "../catalogue/channels/channel-background-jobs.ts";
import { buildChannelJobRoutes } from "../catalogue/channels/channel-job-routes.ts";
import { createChannelJobStore } from "../catalogue/channels/channel-job-store.ts";
import { createChannelKeyStore } from "../catalogue/channels/channel-key-store.ts";
import { buildChannelRoutes } from "../catalogue/channels/channel-routes.ts";
import { createChannelStore } from "../catalogue/channels/channel-store.ts";
import { buildChannelTypeRoutes } from "../catalogue/channels/channel-type-routes.ts";
import { type ChannelRuntime, createChannelViews } from "../catalogue/channels/channel-view.ts";
import { checkProviderRoutes, type ProviderProbe } from "../catalogue/channels/check-provider.ts";
import type { FetchBalance } from "../catalogue/channels/fetch-balance.ts";
import { buildModelDifferenceRoutes } from "../catalogue/channels/model-difference-routes.ts";
import type { TestChannel } from "../catalogue/channels/test-channel.ts";
import {
  buildMcpServerRoutes,
  type McpServerRoutesDeps,
} from "../catalogue/mcp-servers/mcp-server-routes.ts";
import { createMcpServerStore } from "../catalogue/mcp-servers/mcp-server-store.ts";
import type { ListChannelModels } from "../catalogue/models/channel-model-lists.ts";
import { createModelPriceStore, readCurrentBook } from "../catalogue/models/model-price-store.ts";
import { createVirtualModelStore } from "../catalogue/models/virtual-model-store.ts";
import { buildConfigurationRoutes } from "../commands/configuration/configuration-routes.ts";
import { createConfiguredTeamStore } from "../commands/configuration/configured-team-store.ts";
import type { PrivateHosts } from "../egress/address-policy.ts";
import type { Egress } from "../egress/egress.ts";
import { listBilledChannels } from "../figures/cost-reports/billed-channels.ts";
import { buildCostReportRoutes } from "../figures/cost-reports/cost-report-routes.ts";
import { createCostReportStore } from "../figures/cost-reports/cost-report-store.ts";
import type { FetchCostReport } from "../figures/cost-reports/fetch-cost-report.ts";
import {
  type CostReportReader,
  createCostReportReader,
} from "../figures/cost-reports/read-cost-report.ts";
import { buildServiceHealthRoutes } from "../figures/service-health/service-health-routes.ts";
import { createServiceHealthStore } from "../figures/service-health/service-health-store.ts";
import { buildShadowRoutes } from "../figures/shadow/shadow-routes.ts";
import { createShadowStore } from "../figures/shadow/shadow-store.ts";
import {
  buildFailedTryRoutes,
  type ListFailedTries,
} from "../figures/traces/failed-tries-routes.ts";
import { answerForeignCalls } from "../foreign-calls/answer-foreign-calls.ts";
import { createApiLimit } from "../http/api-limit.ts";
import { type ApiRoute, apiRoute } from "../http/api-route.ts";
import type { ApiLog } from "../http/error-reply.ts";
import { mountRoutes } from "../http/mount.ts";
import { openApiDocument } from "../http/openapi.ts";
import type { Identify } from "../http/request-context.ts";
import { createStrangerLog } from "../http/stranger-log.ts";
import { buildPriceBook, type PriceLists } from "../money/prices/price-lists.ts";
import type { AlertJobs } from "../notices/alerts/alert-jobs.ts";
import type { BackupState } from "../notices/alerts/backup-causes.ts";
import { createOptionEditor } from "../settings/change-option.ts";
import { buildOptionRoutes } from "../settings/option-routes.ts";
import { createOptionStore } from "../settings/option-store.ts";
import { type Build, buildStatusRoutes } from "../settings/status-routes.ts";
import { auditTrailRoutes } from "../site/audit-trail/audit-trail-routes.ts";
import type { DiskSpace } from "../storage/disk-space.ts";
import { requestIdFromId } from "../storage/time-ids.ts";
import type { GatewayMetrics } from "../telemetry/gateway-metrics.ts";
import { buildTelemetryRoutes, type TelemetrySource } from "../telemetry/telemetry-state.ts";
import { openAlerts } from "./open-alerts.ts";
import { buildFigureRoutes } from "./open-figures.ts";
import { type IdentityDeps, openIdentity } from "./open-identity.ts";
import { type ModelsApi, openModels } from "./open-models.ts";
import { openSiteImports } from "./open-site-imports.ts";

export interface ManagementApiDeps extends IdentityDeps {
  /** `noticeEgress` leads to receivers of notices. */
  noticeEgress: Egress;
  /** `priceListEgress` leads to price lists. */
  priceListEgress: Egress;
  clock(): number;
  channelHealth: ChannelRuntime;
  /** Sends one question through a channel. */
  testChannel: TestChannel;
  /** Asks a provider whose account is not a channel yet. */
  probe: ProviderProbe;
  listChannelModels: ListChannelModels;
  /** Asks MCP servers for their tools, and says why an address of one must not be called. */
  guardAddressIssue(url: string): string | undefined;
  mcp: Pick<McpServerRoutesDeps, "listTools" | "addressIssue">;
  /** Recent calls of the client API that failed early. */
  failedTries: ListFailedTries;
  /** `checkCall` says whether a call would work now. */
  checkCall: CheckCall;
  askBalance: FetchBalance;
  fetchCostReport: FetchCostReport;
  automatic: AutomaticStatus;
  priceLists: PriceLists;
  /** `dataDir` is where files lie while they are imported. */
  dataDir: string;
  importPrivateHosts: PrivateHosts;
  /** `upstreamPrivateHosts` are those of carried channels. */
  upstreamPrivateHosts: PrivateHosts;
  proxyPrivateHosts: PrivateHosts;
  /** `diskSpace` is about the database; undefined where that is another machine's. */
  diskSpace(): Promise<DiskSpace | undefined>;
  /** Undefined where the gateway does not learn of backups. */
  backups(): Promise<BackupState | undefined>;
  /** `idsAheadMs` is the time by which the newest id is ahead of the clock. */
  idsAheadMs(): number;
  /** `hasSmtpUrl` says whether SMTP_URL configures the mail server. */
  hasSmtpUrl(): boolean;
  /** Calls of one route that one user may make in three minutes; 0 turns the limit off. */
  rateLimit(): number;
  trustedProxies: readonly AddressBlock[];
  /** `bodyObjects` are where contents of calls are kept; undefined where none are. */
  bodyObjects: BodyObjects | undefined;
  version: string;
  build: Build;
  log: ApiLog;
  metrics: Pick<GatewayMetrics, "httpRequests" | "notices">;
  telemetry: TelemetrySource;
  /** Failures of background work. */
  onError(error: unknown): void;
}

export interface ManagementApi {
  fetch: Hono<{ Bindings: Partial<HttpBindings> }>["fetch"];
  /** `identify` is who makes a call with these headers. */
  identify: Identify;
  channelJobs: ChannelJobs;
  costReports: Pick<CostReportReader, "readDue">;
  alerts: AlertJobs;
  priceOffers: ModelsApi["priceOffers"];
  askModelEnds: ModelsApi["askEnds"];
  /** Stops the channel jobs that run, and sending notices; resolves when they have stopped. */
  close(): Promise<void>;
}

export function openManagementApi(deps: ManagementApiDeps): ManagementApi {
  const { db, options, seal, counters, clock, publicUrl, hasSmtpUrl, version, log, onError } = deps;
  const { trustedProxies, trustedHeader } = deps;
  const hasProxySignIn = trustedHeader !== undefined;
  const keepsBodies = deps.bodyObjects !== undefined;
  const identity = openIdentity(deps);
  const { identify, users, outbox, proveIdentity, isAway, ruling } = identity;
  const channels = createChannelStore(db);
  const channelKeys = createChannelKeyStore(db);
  const viewChannels = createChannelViews(channelKeys, deps.channelHealth, clock);
  const reports = createCostReportStore(db);
  const channelParts = {
    db,
    channels,
    keys: channelKeys,
    seal,
    view: viewChannels,
    removeReports: reports.remove,
  };
  const costReports = createCostReportReader({
    db,
    store: reports,
    seal,
    fetchReport: deps.fetchCostReport,
    now: clock,
    onError,
  });
  const settings = createOptionStore(db);
  const takeOverOidc = createOidcTakeOver({ store: createOidcProviderStore(db), settings, seal });
  const optionParts = {
    db,
    store: settings,
    seal,
    publicUrl,
    hasSmtpUrl,
    takeOverOidc,
    guardAddressIssue: deps.guardAddressIssue,
  };
  const { testChannel } = deps;
  const channelJobs = createChannelJobs({
    db,
    channels,
    jobs: createChannelJobStore(db),
    options,
    automatic: deps.automatic,
    testChannel,
    fetchBalance: deps.askBalance,
    now: clock,
    onError,
  });
  const tokens = createTokenStore(db);
  const teams = createTeamStore(db);
  const allTokens = createAllTokenStore(db);
  const redemptions = createRedemptionStore(db);
  const quotaRequests = createQuotaRequestStore(db);
  const issuance = createIssuance({ db, store: quotaRequests, options });
  const models = openModels({ ...deps, book: buildPriceBook(deps.priceLists) });
  const alerts = openAlerts({
    ...deps,
    breakers: deps.channelHealth.breakers,
    codes: identity.mailCodes,
    unpricedModels: models.unpriced,
    endingModels: models.ending,
    billedChannels: (now) => listBilledChannels(reports, now),
  });
  const siteImports = openSiteImports({
    ...deps,
    privateHosts: deps.importPrivateHosts,
    channelHosts: { upstream: deps.upstreamPrivateHosts, proxy: deps.proxyPrivateHosts },
    proveIdentity,
  });
  const builtIn = createBuiltInModels(deps.priceLists);
  // Built at the first request: few clients ask for it, and building it would delay every start.
  let document: ReturnType<typeof openApiDocument> | undefined;

  const routes: ApiRoute[] = [
    apiRoute(getOpenApi, () => {
      document ??= openApiDocument(version, publicUrl);
      return document;
    }),
    ...buildStatusRoutes(
      {
        options,
        oidcProviders: deps.oidcProviders,
        version,
        startedAt: clock(),
        publicUrl,
        hasProxySignIn,
        keepsBodies,
        isReadOnly: deps.isReadOnly,
      },
      deps.build,
    ),
    ...buildOptionRoutes({ ...optionParts, options, version }),
    ...buildTelemetryRoutes(deps.telemetry),
    ...buildConfigurationRoutes(db, {
      ...channelParts,
      virtualModels: createVirtualModelStore(db),
      modelPrices: createModelPriceStore(db),
      mcpServers: createMcpServerStore(db),
      mcpAddressIssue: deps.mcp.addressIssue,
      oidcProviders: createOidcProviderStore(db),
      hasPublicUrl: publicUrl !== undefined,
      proveIdentity,
      budgets: createBudgetStore(db),
      budgetTemplates: createBudgetTemplateStore(db),
      teams,
      ruling,
      teamParts: createConfiguredTeamStore(db),
      teamCaps: createTeamCapStore(db),
      invitations: createInvitationStore(db),
      options: optionParts.store,
      editor: createOptionEditor(optionParts),
    }),
    ...identity.routes,
    ...buildShadowRoutes({
      db,
      shadow: createShadowStore(db),
      addressIssue: deps.channelHealth.addressIssue,
      proveIdentity,
    }),
    ...models.routes,
    ...siteImports.routes,
    ...buildServiceHealthRoutes(createServiceHealthStore(db), options),
    ...buildAllTokenRoutes({ db, tokens: allTokens, seal, options, outbox, checkCanManage }),
    ...buildBulkTokenRoutes({ db, tokens, allTokens, outbox, isAway, checkCanManage }),
    ...buildKeyFindingsRoutes(db, options),
    ...rotateTokenRoutes({ db, tokens, users, seal, options, outbox }),
    ...revealTokenRoutes({ tokens, seal, options, proveIdentity }),
    ...buildTokenRoutes({
      db,
      tokens,
      seal,
      options,
      keepsBodies,
      isAway,
      sight: createTeamSight(teams),
    }),
    ...buildBulkUserRoutes({ db, users, options, issuance }),
    ...buildUserRoutes({ db, users, options, issuance }),
    ...buildUserTransferRoutes({ db, users, options, counters, proveIdentity }),
    ...buildBulkRedemptionRoutes(db, redemptions),
    ...buildBudgetRoutes({ db, store: createBudgetStore(db), tokens, options, ruling }),
    ...buildBudgetRequestRoutes({
      ...{ db, teams, options, outbox, store: createBudgetStore(db) },
      requests: createBudgetRequestStore(db),
    }),
    ...buildBudgetTemplateRoutes(db, createBudgetTemplateStore(db), options),
    ...buildKeyMoveRoutes({ db, teams, users, options, moves: createKeyMoveStore(db) }),
    ...buildTeamRoutes({
      ...{ db, teams, users, options, ruling },
      invitations: createInvitationStore(db),
    }),
    ...buildInvitationRoutes({ db, teams, users, invitations: createInvitationStore(db), outbox }),
    ...buildTeamKeyRoutes({ db, teams, tokens, options, seal }),
    ...buildPeopleRoutes({ db, teams, users, tokens, options, seal }),
    ...buildTeamCapRoutes({
      ...{ db, teams, options, ruling },
      caps: createTeamCapStore(db),
      budgets: createBudgetStore(db),
    }),
    ...buildRedemptionRoutes({ db, redemptions, users, options, seal, counters, issuance }),
    ...buildQuotaRequestRoutes({ db, store: quotaRequests, users, redemptions, options, seal }),
    ...buildBulkChannelRoutes(channelParts),
    ...buildChannelRoutes({ ...channelParts, runTest: testChannel }),
    ...buildMcpServerRoutes({ db, store: createMcpServerStore(db), options, seal, ...deps.mcp }),
    ...buildChannelActionRoutes({ ...channelParts, updateBalance: channelJobs.updateBalance }),
    ...buildChannelJobRoutes(channelJobs),
    ...buildChannelTypeRoutes(builtIn),
    ...buildModelDifferenceRoutes(channels, deps.listChannelModels, models.keepEnds),
    ...buildCostReportRoutes({ db, store: reports, channels, seal, reader: costReports }),
    ...checkProviderRoutes({
      probe: deps.probe,
      addressIssue: deps.channelHealth.addressIssue,
      builtIn,
      book: () => readCurrentBook(db, buildPriceBook(deps.priceLists)),
    }),
    ...buildFigureRoutes({ ...deps, users, identify }),
    ...buildFailedTryRoutes(deps.failedTries),
    ...callCheckRoutes({ db, users, check: deps.checkCall }),
    ...auditTrailRoutes({ db, identify, clock }),
    ...alerts.routes,
  ];
  const { fetch: fetchOwn } = mountRoutes(routes, {
    identify,
    audit: db.audit,
    trustedProxies,
    trustedHeader,
    limit: createApiLimit(counters, deps.rateLimit),
    publicUrl,
    isReadOnly: deps.isReadOnly,
    hasReplica: db.replica !== undefined,
    mintRequestId: () => requestIdFromId(db.mintId()),
    clock,
    log,
    logStranger: createStrangerLog(log, clock),
    countReply: (route, status) =>
      deps.metrics.httpRequests.child(route, `${Math.floor(status / 100)}xx`).add(1),
  });
  return {
    fetch: answerForeignCalls(fetchOwn, { now: clock }),
    identify,
    channelJobs,
    costReports,
    alerts: alerts.jobs,
    priceOffers: models.priceOffers,
    askModelEnds: models.askEnds,
    async close() {
      await Promise.all([channelJobs.close(), siteImports.close(), alerts.close()]);
    },
  };
}
