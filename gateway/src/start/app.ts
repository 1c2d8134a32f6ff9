/**
 * Composes the gateway: what its services share, then the relay, the management API, the background
 * jobs and the server.
 */
import type { IncomingMessage, Server, ServerResponse } from "node:http";
import type { Logger } from "pino";
import packageJson from "../../package.json" with { type: "json" };
import { createBudgetPauses } from "../accounts/budgets/budget-pauses.ts";
import { createBudgetStore } from "../accounts/budgets/budget-store.ts";
import { agentSignInKey } from "../accounts/identity/agents/agent-sign-in-rules.ts";
import { createCaptchaVerifier } from "../accounts/identity/captcha/verify-captcha.ts";
import { createExternalIdentityFetcher } from "../accounts/identity/external/fetch-identity.ts";
import { createOidcClient } from "../accounts/identity/oidc/oidc-client.ts";
import { loadOidcProviders } from "../accounts/identity/oidc/oidc-provider-store.ts";
import { foldStoredUsernames } from "../accounts/identity/users/stored-usernames.ts";
import { fillKeyEndings } from "../accounts/tokens/fill-key-endings.ts";
import { openBodyObjects } from "../call-bodies/open-body-objects.ts";
import { buildAutomaticStatus } from "../catalogue/channels/automatic-status.ts";
import { createChannelKeyStore } from "../catalogue/channels/channel-key-store.ts";
import { openProxy } from "../catalogue/channels/channel-proxy.ts";
import { createChannelStore } from "../catalogue/channels/channel-store.ts";
import { createFetchBalance } from "../catalogue/channels/fetch-balance.ts";
import { openFirstKey } from "../catalogue/channels/open-channel-keys.ts";
import { sealStoredHeaders } from "../catalogue/channels/seal-stored-headers.ts";
import { readBuild } from "../commands/command-line/program-version.ts";
import type { Config } from "../config/config.ts";
import { createFetchCostReport } from "../figures/cost-reports/fetch-cost-report.ts";
import { composeSiteAddress } from "../http/base-path.ts";
import { createLoadShedding } from "../http/load-shedding.ts";
import { createStrangerLog } from "../http/stranger-log.ts";
import { createTrustedHeader } from "../http/trusted-header.ts";
import { workKey } from "../http/work-rules.ts";
import { createMemoryCounters } from "../limits/counters.ts";
import type { startRedisCounters } from "../limits/redis-counters.ts";
import { readPriceLists } from "../money/prices/price-lists.ts";
import { formatNoticeText } from "../notices/mail/mail-messages.ts";
import { mailServer } from "../notices/mail/mail-server.ts";
import { createMailer } from "../notices/mail/mailer.ts";
import { createSealer } from "../secrets/seal.ts";
import { captchaOptions, findCaptchaService } from "../settings/captcha-options.ts";
import { loadOptions } from "../settings/live-options.ts";
import { findOutboundProxyReader } from "../settings/outbound-proxy.ts";
import { buildStatus } from "../settings/status-routes.ts";
import { createConsoleSite } from "../site/console-files.ts";
import type { Database } from "../storage/database.ts";
import { readDiskSpace } from "../storage/disk-space.ts";
import { findLastBackup } from "../storage/last-backup.ts";
import { readSqliteFile } from "../storage/open-database.ts";
import { createAgentTelemetry } from "../telemetry/agent-telemetry.ts";
import { createCallTracing } from "../telemetry/call-tracing.ts";
import { watchDatabase } from "../telemetry/database-metrics.ts";
import { createGatewayMetrics } from "../telemetry/gateway-metrics.ts";
import { answerScrape, createMetricsServer } from "../telemetry/metrics-endpoint.ts";
import { watchProcess } from "../telemetry/process-metrics.ts";
import { createScrapeAccess } from "../telemetry/scrape-access.ts";
import { createSiteGauges } from "../telemetry/site-gauges.ts";
import { buildMetricsListener } from "../telemetry/telemetry-state.ts";
import { startBackgroundJobs } from "./background-jobs.ts";
import { createHttpServer } from "./http-server.ts";
import { openExits } from "./open-exits.ts";
import { openManagementApi } from "./open-management-api.ts";
import { openRelay } from "./open-relay.ts";

/** A user waits for the sign-in page. */
const signInProviderDeadlineMs = 10_000;
/** A visitor waits for it, and has proof of work to do after it. */
const captchaDeadlineMs = 5_000;

const { version } = packageJson;

export interface App {
  server: Server;
  /** `metricsServer` is for METRICS_PORT. */
  metricsServer: Server | undefined;
  /** After a change of the private hosts: the next calls are checked by the new ones. */
  renewConnections(): void;
  /**
   * Stops accepting calls, lets running ones finish within the grace, settles all of them and
   * closes the database. True if no call was cut. A second stop may have a shorter grace than the
   * first.
   */
  stop(graceMs: number): Promise<boolean>;
}

export interface AppOptions {
  /**
   * `processCount` says how many processes listen on the same port: a scrape there would reach any
   * of them.
   */
  processCount?: number;
}

export async function openApp(
  config: Config,
  db: Database,
  log: Logger,
  siteFolder: string,
  { processCount = 1 }: AppOptions = {},
): Promise<App> {
  const sharesPort = processCount > 1;
  const publicUrl = composeSiteAddress(config.publicUrl);
  const now = Date.now;
  const onError = (error: unknown): void =>
    log.error({ event: "trouble", err: error }, "background work failed");
  const seal = createSealer(config.masterKey);
  const options = await loadOptions(db);
  await foldStoredUsernames(db);
  const outbound = {
    current: findOutboundProxyReader(options, seal),
    privateHosts: config.proxyPrivateHosts,
  };
  const oidcProviders = await loadOidcProviders(db);
  const exits = openExits(config, outbound);
  const { egress, identityEgress, noticeEgress, guardEgress, mcpEgress, priceListEgress } = exits;
  const sharedCounters = config.redisUrl
    ? await openSharedCounters({ url: config.redisUrl, now, log })
    : undefined;
  const mailer = createMailer(() => mailServer(config.smtpUrl, options, seal), log);
  const mailing = { db, options, mailer, publicUrl };
  const budgetPauses = createBudgetPauses({ ...mailing, now, onError });
  const automatic = buildAutomaticStatus({
    db,
    channels: createChannelStore(db),
    keys: createChannelKeyStore(db),
    options,
    now,
    notify: (notice) => log.warn({ event: "channel_status" }, formatNoticeText(notice)),
  });
  const shedding = createLoadShedding();
  const metrics = createGatewayMetrics(config.metricsSeriesMax, config.metricsLabels);
  watchProcess(metrics, { version, dialect: db.dialect, startedAt: now() - performance.now() });
  watchDatabase(metrics, db);
  const tracing =
    config.otel &&
    createCallTracing({
      settings: config.otel,
      version,
      privateHosts: config.upstreamPrivateHosts,
      metrics,
      onFailure: (reason) => log.warn({ event: "spans", reason }, "spans could not be sent"),
      now,
    });
  const agentTelemetry =
    config.otel &&
    createAgentTelemetry(config.otel, (reason) =>
      log.warn({ event: "agent_telemetry", reason }, "telemetry of an agent was not passed on"),
    );
  if (sharedCounters) metrics.redisUp.readFrom(() => [[[], sharedCounters.isShared() ? 1 : 0]]);
  const bodyObjects = config.bodyStore && openBodyObjects(config.bodyStore);
  const shared = {
    db,
    options,
    seal,
    counters: sharedCounters ?? createMemoryCounters(now),
    priceLists: readPriceLists(),
    automatic,
    metrics,
    onError,
  };

  const sealedHeaders = await sealStoredHeaders(db, seal, onError);
  if (sealedHeaders > 0)
    log.info({ event: "sealed", channels: sealedHeaders }, "sealed the values of custom headers");
  const filledEndings = await fillKeyEndings(db, seal);
  if (filledEndings > 0)
    log.info({ event: "filled", tokens: filledEndings }, "filled the endings of keys");
  const relay = await openRelay({
    ...shared,
    config,
    log,
    egress,
    guardEgress,
    mcpEgress,
    tracing,
    agentTelemetry,
    budgetPauses,
    isShort: shedding.isShort,
    now,
  });
  const swept = await relay.sweep();
  if (swept > 0)
    log.warn({ event: "swept", calls: swept }, "ended calls that an earlier run left open");

  const logStranger = createStrangerLog(log, now);
  const trustedHeader =
    config.trustedHeader &&
    createTrustedHeader(config.trustedHeader, (reason, peer) => {
      metrics.proxySignInsRefused.child(reason).add(1);
      logStranger(
        { event: "proxy_sign_in", reason, peer },
        "a header that names a user was not believed",
      );
    });
  const api = openManagementApi({
    ...shared,
    upstreamPrivateHosts: config.upstreamPrivateHosts,
    proxyPrivateHosts: config.proxyPrivateHosts,
    mailer,
    noticeEgress,
    priceListEgress,
    clock: now,
    channelHealth: relay.health,
    testChannel: relay.testChannel,
    probe: relay.probe,
    listChannelModels: relay.listChannelModels,
    guardAddressIssue: guardEgress.violation,
    mcp: { listTools: relay.listMcpTools, addressIssue: mcpEgress.violation },
    failedTries: relay.failedTries.of,
    checkCall: relay.checkCall,
    askBalance: createFetchBalance(
      egress,
      { key: (row) => openFirstKey(seal, row), proxy: (row) => openProxy(seal, row) },
      now,
    ),
    fetchCostReport: createFetchCostReport(egress),
    providers: {
      urls: config.providerUrls,
      fetchIdentity: createExternalIdentityFetcher({
        egress,
        urls: config.providerUrls,
        deadlineMs: signInProviderDeadlineMs,
        onError: (error) =>
          log.warn({ event: "external_sign_in", err: error }, "a sign-in provider failed"),
      }),
    },
    workKey: workKey(config.masterKey),
    agentKey: agentSignInKey(config.masterKey),
    verifyCaptcha: createCaptchaVerifier({
      egress: identityEgress,
      urls: config.captchaUrls,
      deadlineMs: captchaDeadlineMs,
    }),
    onCaptchaFailure: (service, reason) =>
      logStranger({ event: "captcha", service, reason }, "a captcha did not pass"),
    oidcProviders,
    oidcClient: createOidcClient({
      egress: identityEgress,
      privateHosts: config.identityPrivateHosts,
      deadlineMs: signInProviderDeadlineMs,
      now,
    }),
    onOidcFailure: (provider, reason) =>
      log.warn({ event: "oidc_sign_in", provider, reason }, "a sign-in with OpenID Connect failed"),
    publicUrl,
    dataDir: config.dataDir,
    importPrivateHosts: config.importPrivateHosts,
    bodyObjects,
    diskSpace: async () =>
      db.dialect === "sqlite" ? readDiskSpace(readSqliteFile(config.dataDir)) : undefined,
    backups: async () =>
      db.dialect === "sqlite" ? { at: await findLastBackup(config.dataDir) } : undefined,
    idsAheadMs: () => db.newestIdAt() - now(),
    hasSmtpUrl: () => config.smtpUrl !== undefined,
    isReadOnly: () => config.isReadOnly,
    rateLimit: () => config.apiRateLimit,
    trustedProxies: config.trustedProxies,
    trustedHeader,
    telemetry: {
      served: {
        publicUrl: config.publicUrl,
        localUrl: new URL(`http://127.0.0.1:${config.port}`),
        sharesPort,
        hasToken: () => config.metricsToken !== undefined,
        listener: buildMetricsListener(config, processCount),
      },
      metrics,
      seriesMax: config.metricsSeriesMax,
      traces: config.otel && tracing && { collector: new URL(config.otel.endpoint), tracing },
    },
    version,
    build: await readBuild(),
    log,
  });
  const stopJobs = startBackgroundJobs({
    config,
    db,
    options,
    relay,
    channelJobs: api.channelJobs,
    costReports: api.costReports,
    priceOffers: api.priceOffers,
    askModelEnds: api.askModelEnds,
    alerts: api.alerts,
    budgetPauses,
    oidcProviders,
    mailing,
    bodyObjects,
    now,
    onError,
  });
  const startedAt = now();
  const site = createConsoleSite({
    folder: siteFolder,
    publicUrl,
    settings: () =>
      buildStatus({
        options,
        oidcProviders,
        version,
        startedAt,
        publicUrl,
        hasProxySignIn: trustedHeader !== undefined,
        keepsBodies: bodyObjects !== undefined,
        isReadOnly: () => config.isReadOnly,
      }),
    notice: () => options.text("Notice"),
    captcha: () => {
      const service = findCaptchaService(options);
      return service && { service, siteKey: options.text(captchaOptions[service].siteKey) };
    },
    isSecure: config.publicUrl?.protocol === "https:",
  });
  const siteGauges = createSiteGauges({
    metrics,
    db,
    sqliteFile: readSqliteFile(config.dataDir),
    readCounters: createBudgetStore(db).counters,
    channelIds: relay.channelIds,
    now,
    onError,
  });
  if (config.metricsPort !== undefined || config.metricsToken !== undefined) siteGauges.start();
  const scraping = sharesPort
    ? undefined
    : {
        access: createScrapeAccess({
          token: () => config.metricsToken,
          identify: api.identify,
          now,
        }),
        async answer(request: IncomingMessage, response: ServerResponse) {
          siteGauges.start();
          await answerScrape(metrics.registry, request, response).catch(onError);
        },
      };
  const upstreamSockets = egress.openSockets;
  const http = createHttpServer({
    config,
    db,
    log,
    relay,
    api,
    site,
    shedding,
    scraping,
    upstreamSockets,
  });

  async function close(): Promise<void> {
    metricsServer?.close();
    metricsServer?.closeAllConnections();
    await Promise.all([stopJobs(), siteGauges.stop()]);
    await relay.close();
    await tracing?.close();
    await mailer.stop();
    // Requests that a channel job waits for end when the egress closes.
    await Promise.all([
      api.close(),
      ...Object.values(exits).map((exit) => exit.close()),
      agentTelemetry?.close(),
      bodyObjects?.close(),
      sharedCounters?.close(),
    ]);
    await db.close();
  }
  const metricsServer =
    config.metricsPort === undefined ? undefined : createMetricsServer(metrics.registry, onError);
  let closing: Promise<void> | undefined;

  return {
    server: http.server,
    metricsServer,
    renewConnections() {
      for (const exit of Object.values(exits)) exit.renew();
    },
    async stop(graceMs) {
      await http.stop(graceMs);
      closing ??= close();
      await closing;
      return !http.hasCutCalls();
    },
  };
}

/** Loaded only where REDIS_URL is set: the client takes ten megabytes. */
const openSharedCounters: typeof startRedisCounters = async (options) =>
  (await import("../limits/redis-counters.ts")).startRedisCounters(options);
