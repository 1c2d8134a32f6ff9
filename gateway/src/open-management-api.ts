/** Opens the management API: every feature's routes under one handler, and the channel jobs that some of them start. */

import type { HttpBindings } from "@hono/node-server";
import type { AddressBlock } from "@tollgate/contract/cidr.ts";
import { getOpenApi } from "@tollgate/contract/documents.ts";
import type { Hono } from "hono";
import type { AlertJobs } from "./alerts/alert-jobs.ts";
import type { BackupState } from "./alerts/backup-causes.ts";
import { auditTrailRoutes } from "./audit-trail/audit-trail-routes.ts";
import { budgetRoutes } from "./budgets/budget-routes.ts";
import { budgetStore } from "./budgets/budget-store.ts";
import { budgetTemplateRoutes } from "./budgets/budget-template-routes.ts";
import { budgetTemplateStore } from "./budgets/budget-template-store.ts";
import type { BodyObjects } from "./call-bodies/body-objects.ts";
import { type CheckCall, callCheckRoutes } from "./call-checks/call-check-routes.ts";
import type { AutomaticStatus } from "./channels/automatic-status.ts";
import { builtInModels } from "./channels/built-in-models.ts";
import { bulkChannelRoutes } from "./channels/bulk-channel-routes.ts";
import { channelActionRoutes } from "./channels/channel-action-routes.ts";
import { type ChannelJobs, createChannelJobs } from "./channels/channel-background-jobs.ts";
import { channelJobRoutes } from "./channels/channel-job-routes.ts";
import { channelJobStore } from "./channels/channel-job-store.ts";
import { channelKeyStore } from "./channels/channel-key-store.ts";
import { channelRoutes } from "./channels/channel-routes.ts";
import { channelStore } from "./channels/channel-store.ts";
import { channelTypeRoutes } from "./channels/channel-type-routes.ts";
import { type ChannelRuntime, channelViews } from "./channels/channel-view.ts";
import { checkProviderRoutes, type ProviderProbe } from "./channels/check-provider.ts";
import type { FetchBalance } from "./channels/fetch-balance.ts";
import { modelDifferenceRoutes } from "./channels/model-difference-routes.ts";
import type { TestChannel } from "./channels/test-channel.ts";
import { configurationRoutes } from "./configuration/configuration-routes.ts";
import { billedChannels } from "./cost-reports/billed-channels.ts";
import { costReportRoutes } from "./cost-reports/cost-report-routes.ts";
import { costReportStore } from "./cost-reports/cost-report-store.ts";
import type { FetchCostReport } from "./cost-reports/fetch-cost-report.ts";
import { type CostReportReader, createCostReportReader } from "./cost-reports/read-cost-report.ts";
import type { PrivateHosts } from "./egress/address-policy.ts";
import type { Egress } from "./egress/egress.ts";
import { answerForeignCalls } from "./foreign-calls/answer-foreign-calls.ts";
import { createApiLimit } from "./http/api-limit.ts";
import { type ApiRoute, apiRoute } from "./http/api-route.ts";
import type { ApiLog } from "./http/error-reply.ts";
import { mountRoutes } from "./http/mount.ts";
import { openApiDocument } from "./http/openapi.ts";
import type { Identify } from "./http/request-context.ts";
import { createStrangerLog } from "./http/stranger-log.ts";
import { oidcProviderStore } from "./identity/oidc/oidc-provider-store.ts";
import { createOidcTakeOver } from "./identity/oidc/take-over-oidc-settings.ts";
import { bulkUserRoutes } from "./identity/users/bulk-user-routes.ts";
import { checkCanManage } from "./identity/users/user-edit-rules.ts";
import { userRoutes } from "./identity/users/user-routes.ts";
import { type McpServerRoutesDeps, mcpServerRoutes } from "./mcp-servers/mcp-server-routes.ts";
import { mcpServerStore } from "./mcp-servers/mcp-server-store.ts";
import type { ListChannelModels } from "./models/channel-model-lists.ts";
import { currentBook, modelPriceStore } from "./models/model-price-store.ts";
import { virtualModelStore } from "./models/virtual-model-store.ts";
import { bookOf, type PriceLists } from "./money/price-lists.ts";
import { openAlerts } from "./open-alerts.ts";
import { figureRoutes } from "./open-figures.ts";
import { type IdentityDeps, openIdentity } from "./open-identity.ts";
import { type ModelsApi, openModels } from "./open-models.ts";
import { openSiteImports } from "./open-site-imports.ts";
import { createIssuance } from "./quota-requests/issuance.ts";
import { quotaRequestRoutes } from "./quota-requests/quota-request-routes.ts";
import { quotaRequestStore } from "./quota-requests/quota-request-store.ts";
import { bulkRedemptionRoutes } from "./redemptions/bulk-redemption-routes.ts";
import { redemptionRoutes } from "./redemptions/redemption-routes.ts";
import { redemptionStore } from "./redemptions/redemption-store.ts";
import { serviceHealthRoutes } from "./service-health/service-health-routes.ts";
import { serviceHealthStore } from "./service-health/service-health-store.ts";
import { createOptionEditor } from "./settings/change-option.ts";
import { optionRoutes } from "./settings/option-routes.ts";
import { optionStore } from "./settings/option-store.ts";
import { statusRoutes } from "./settings/status-routes.ts";
import { shadowRoutes } from "./shadow/shadow-routes.ts";
import { shadowStore } from "./shadow/shadow-store.ts";
import type { DiskSpace } from "./storage/disk-space.ts";
import { requestIdFromId } from "./storage/time-ids.ts";
import type { GatewayMetrics } from "./telemetry/gateway-metrics.ts";
import { type TelemetrySource, telemetryRoutes } from "./telemetry/telemetry-state.ts";
import { allTokenRoutes } from "./tokens/all-token-routes.ts";
import { allTokenStore } from "./tokens/all-token-store.ts";
import { bulkTokenRoutes } from "./tokens/bulk-token-routes.ts";
import { keyFindingsRoutes } from "./tokens/key-findings-routes.ts";
import { revealTokenRoutes } from "./tokens/reveal-token-routes.ts";
import { rotateTokenRoutes } from "./tokens/rotate-token-routes.ts";
import { tokenRoutes } from "./tokens/token-routes.ts";
import { tokenStore } from "./tokens/token-store.ts";
import { failedTryRoutes, type ListFailedTries } from "./traces/failed-try-routes.ts";

export interface ManagementApiDeps extends IdentityDeps {
  /** To receivers of notices. */
  noticeEgress: Egress;
  /** To price lists. */
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
  /** Whether a call would work now. */
  checkCall: CheckCall;
  askBalance: FetchBalance;
  fetchCostReport: FetchCostReport;
  automatic: AutomaticStatus;
  priceLists: PriceLists;
  /** Where files lie while they are imported. */
  dataDir: string;
  importPrivateHosts: PrivateHosts;
  /** Of the database; undefined where that is another machine's. */
  diskSpace(): Promise<DiskSpace | undefined>;
  /** Undefined where the gateway does not learn of backups. */
  backups(): Promise<BackupState | undefined>;
  /** By how much the newest id is ahead of the clock. */
  idsAheadMs(): number;
  /** Whether SMTP_URL configures the mail server. */
  hasSmtpUrl: boolean;
  /** Calls of one route that one user may make in three minutes; 0 turns the limit off. */
  rateLimit: number;
  trustedProxies: readonly AddressBlock[];
  /** Where contents of calls are kept; undefined where none are. */
  bodyObjects: BodyObjects | undefined;
  version: string;
  log: ApiLog;
  metrics: Pick<GatewayMetrics, "httpRequests" | "notices">;
  telemetry: TelemetrySource;
  /** Failures of background work. */
  onError(error: unknown): void;
}

export interface ManagementApi {
  fetch: Hono<{ Bindings: Partial<HttpBindings> }>["fetch"];
  /** Who makes a call with these headers. */
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
  const { identify, users, outbox, proveIdentity, isAway } = identity;
  const channels = channelStore(db);
  const channelKeys = channelKeyStore(db);
  const viewChannels = channelViews(channelKeys, deps.channelHealth, clock);
  const reports = costReportStore(db);
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
  const settings = optionStore(db);
  const takeOverOidc = createOidcTakeOver({ store: oidcProviderStore(db), settings, seal });
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
    jobs: channelJobStore(db),
    options,
    automatic: deps.automatic,
    testChannel,
    fetchBalance: deps.askBalance,
    now: clock,
    onError,
  });
  const tokens = tokenStore(db);
  const allTokens = allTokenStore(db);
  const redemptions = redemptionStore(db);
  const quotaRequests = quotaRequestStore(db);
  const issuance = createIssuance({ db, store: quotaRequests, options });
  const models = openModels({ ...deps, book: bookOf(deps.priceLists) });
  const alerts = openAlerts({
    ...deps,
    breakers: deps.channelHealth.breakers,
    codes: identity.mailCodes,
    unpricedModels: models.unpriced,
    endingModels: models.ending,
    billedChannels: (now) => billedChannels(reports, now),
  });
  const siteImports = openSiteImports({
    ...deps,
    privateHosts: deps.importPrivateHosts,
    proveIdentity,
  });
  const builtIn = builtInModels(deps.priceLists);
  // Built at the first request: few clients ask for it, and building it would delay every start.
  let document: ReturnType<typeof openApiDocument> | undefined;

  const routes: ApiRoute[] = [
    apiRoute(getOpenApi, () => {
      document ??= openApiDocument(version, publicUrl);
      return document;
    }),
    ...statusRoutes({
      options,
      oidcProviders: deps.oidcProviders,
      version,
      startedAt: clock(),
      publicUrl,
      hasProxySignIn,
      keepsBodies,
      isReadOnly: deps.isReadOnly,
    }),
    ...optionRoutes({ ...optionParts, options, version }),
    ...telemetryRoutes(deps.telemetry),
    ...configurationRoutes(db, {
      ...channelParts,
      virtualModels: virtualModelStore(db),
      modelPrices: modelPriceStore(db),
      mcpServers: mcpServerStore(db),
      mcpAddressIssue: deps.mcp.addressIssue,
      oidcProviders: oidcProviderStore(db),
      hasPublicUrl: publicUrl !== undefined,
      proveIdentity,
      budgets: budgetStore(db),
      budgetTemplates: budgetTemplateStore(db),
      options: optionParts.store,
      editor: createOptionEditor(optionParts),
    }),
    ...identity.routes,
    ...shadowRoutes({
      db,
      shadow: shadowStore(db),
      addressIssue: deps.channelHealth.addressIssue,
      proveIdentity,
    }),
    ...models.routes,
    ...siteImports.routes,
    ...serviceHealthRoutes(serviceHealthStore(db), options),
    ...allTokenRoutes({ db, tokens: allTokens, seal, options, outbox, checkCanManage }),
    ...bulkTokenRoutes({ db, tokens, allTokens, outbox, isAway, checkCanManage }),
    ...keyFindingsRoutes(db, options),
    ...rotateTokenRoutes({ db, tokens, users, seal, options, outbox }),
    ...revealTokenRoutes({ tokens, seal, options, proveIdentity }),
    ...tokenRoutes({ db, tokens, seal, options, keepsBodies, isAway }),
    ...bulkUserRoutes({ db, users, options, issuance }),
    ...userRoutes({ db, users, options, issuance }),
    ...bulkRedemptionRoutes(db, redemptions),
    ...budgetRoutes({ db, store: budgetStore(db), tokens, options }),
    ...budgetTemplateRoutes(db, budgetTemplateStore(db), options),
    ...redemptionRoutes({ db, redemptions, users, options, seal, counters, issuance }),
    ...quotaRequestRoutes({ db, store: quotaRequests, users, redemptions, options, seal }),
    ...bulkChannelRoutes(channelParts),
    ...channelRoutes({ ...channelParts, runTest: testChannel }),
    ...mcpServerRoutes({ db, store: mcpServerStore(db), options, seal, ...deps.mcp }),
    ...channelActionRoutes({ ...channelParts, updateBalance: channelJobs.updateBalance }),
    ...channelJobRoutes(channelJobs),
    ...channelTypeRoutes(builtIn),
    ...modelDifferenceRoutes(channels, deps.listChannelModels, models.keepEnds),
    ...costReportRoutes({ db, store: reports, channels, seal, reader: costReports }),
    ...checkProviderRoutes({
      probe: deps.probe,
      addressIssue: deps.channelHealth.addressIssue,
      builtIn,
      book: () => currentBook(db, bookOf(deps.priceLists)),
    }),
    ...figureRoutes({ ...deps, users, identify }),
    ...failedTryRoutes(deps.failedTries),
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
    countReply: (route, status) => deps.metrics.httpRequests.child(route, `${Math.floor(status / 100)}xx`).add(1),
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
