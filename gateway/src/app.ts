/** Puts the parts together: the table of contents of the gateway. */
import { createServer, type IncomingMessage, type Server, ServerResponse } from "node:http";
import { Server as NetServer } from "node:net";
import type { Duplex } from "node:stream";
import { getRequestListener } from "@hono/node-server";
import type { Logger } from "pino";
import packageJson from "../package.json" with { type: "json" };
import { managementApi } from "./api.ts";
import { askBalanceWith } from "./channels/ask-balance.ts";
import { automaticStatus } from "./channels/automatic-status.ts";
import { builtInModels } from "./channels/built-in-models.ts";
import { channelJobStore } from "./channels/channel-job-store.ts";
import { type ChannelJobs, openChannelJobs } from "./channels/channel-jobs.ts";
import { channelKeyStore } from "./channels/channel-key-store.ts";
import { channelStore } from "./channels/channel-store.ts";
import { openChannelKeys, openFirstKey } from "./channels/open-channel-keys.ts";
import type { TestChannel } from "./channels/test-channel.ts";
import type { Config } from "./config.ts";
import { type Egress, openEgress } from "./egress/egress.ts";
import { askProviderWith } from "./external/ask-provider.ts";
import { clientAddress } from "./http/address.ts";
import { openBodyRoom } from "./http/body-room.ts";
import { watchConnections } from "./http/connections.ts";
import { openLoadShedding } from "./http/load-shedding.ts";
import { namesTwoHosts } from "./http/one-host.ts";
import { plainAnswer } from "./http/plain-answer.ts";
import { runningWork } from "./http/running-work.ts";
import { apiPace, endSlow, watchBody } from "./http/slow-body.ts";
import { memoryCounters } from "./limits/counters.ts";
import type { redisCounters, SharedCounters } from "./limits/redis-counters.ts";
import { forgetOldLogs } from "./logs/log-retention.ts";
import { logStore } from "./logs/log-store.ts";
import { mailCodeStore } from "./mail/mail-code-store.ts";
import { mailServer } from "./mail/mail-server.ts";
import { type Mailer, openMailer } from "./mail/mailer.ts";
import { notifyRoot } from "./mail/notify-root.ts";
import { remindLowBalance } from "./mail/remind-low-balance.ts";
import { type LiveHolds, openLiveHolds } from "./money/live-holds.ts";
import { bookOf, readPriceLists } from "./money/price-lists.ts";
import { sweep } from "./money/sweep.ts";
import { askChannel } from "./relay/ask-channel.ts";
import { balanceReader } from "./relay/billing.ts";
import { openBreakers } from "./relay/breakers.ts";
import { openChannelLimits } from "./relay/channel-limits.ts";
import { openChannelTable, relayChannel } from "./relay/channel-table.ts";
import { openConversations } from "./relay/conversations.ts";
import { type Counting, openCounting } from "./relay/counting.ts";
import { Exchange } from "./relay/exchange.ts";
import { heldResponseStore } from "./relay/held-response-store.ts";
import { openHeldResponses } from "./relay/held-responses.ts";
import { openKeyRests } from "./relay/key-rests.ts";
import { openKeys } from "./relay/keys.ts";
import { openLogins } from "./relay/logins.ts";
import { isRealtimeUpgrade, openRealtime } from "./relay/realtime.ts";
import type { RelayParts } from "./relay/relay.ts";
import type { Refusal } from "./relay/relay-refusal.ts";
import { isRelayPath, routeRelay } from "./relay/relay-routes.ts";
import type { Sending } from "./relay/send.ts";
import { sealer } from "./secrets/seal.ts";
import { forgetExpired } from "./sessions/forget-expired.ts";
import { sessionStore } from "./sessions/session-store.ts";
import { openOptions } from "./settings/options.ts";
import { statusOf } from "./settings/status-routes.ts";
import { openSite } from "./site/console-files.ts";
import type { Database } from "./storage/database.ts";
import { every } from "./storage/every.ts";

const headerBytesMax = 16 * 1024;
const headersMax = 100;
const headersWithinMs = 15_000;
const requestWithinMs = 300_000;
const keepAliveMs = 65_000;
const retryAfterSeconds = 5;
const stopping: Refusal = {
  status: 503,
  type: "server_error",
  code: "stopping",
  message: "The gateway is stopping",
  retryAfter: retryAfterSeconds,
  closesConnection: true,
};
const twoHosts: Refusal = {
  status: 400,
  type: "invalid_request_error",
  message: "The request names two hosts; send one Host header",
  closesConnection: true,
};
/** Somebody is looking at a spinner. */
const providerDeadlineMs = 10_000;
/** Younger connections may be about to say something. */
const idleForMs = 1_000;
const sweepEveryMs = 15_000;
const forgetEveryMs = 3_600_000;
const remindEveryMs = 60_000;
const upkeepEveryMs = 600_000;
const lookForSweepEveryMs = 10_000;

export interface App {
  server: Server;
  /**
   * Stops taking calls, lets running ones finish within the grace, settles everything. True when nothing was cut. A second
   * stop may be in more of a hurry than the first.
   */
  stop(graceMs: number): Promise<boolean>;
}

const { version } = packageJson;

export async function openApp(config: Config, db: Database, log: Logger, siteFolder: string): Promise<App> {
  const now = Date.now;
  const onTrouble = (error: unknown): void => log.error({ event: "trouble", err: error }, "background work failed");
  const startedAtId = db.mintId();
  const seal = sealer(config.masterKey);
  const options = await openOptions(db, onTrouble);
  const egress = openEgress(config.upstreamPrivateHosts, {
    silenceMs: config.upstreamSilenceMs,
    connectMs: config.upstreamConnectMs,
  });
  const shedding = openLoadShedding();
  const sending: Sending = { egress, logins: openLogins(egress, now), now };
  const prices = readPriceLists();
  const book = bookOf(prices);
  const channels = await openChannelTable(db, book, (row, states) => openChannelKeys(seal, row, states), onTrouble);
  const holds = openLiveHolds(db, now, onTrouble);
  const shared = config.redisUrl && (await openSharedCounters({ url: config.redisUrl, now, log }));
  const counters = shared ?? memoryCounters(now);
  const mailer = openMailer(() => mailServer(config.smtpUrl, options, seal), log);
  const mailing = { db, options, mailer, publicUrl: config.publicUrl?.origin };
  const stored = channelStore(db);
  const storedKeys = channelKeyStore(db);
  const breakers = openBreakers(now);
  const keyRests = openKeyRests(now);
  const holdsAnswers = (): boolean => options.flag("ResponseStoreEnabled");
  const isEstimateRough = (): boolean => options.flag("ApproximateTokenEnabled");
  const counting = openCounting(() => !isEstimateRough());
  const heldResponses = openHeldResponses({
    db,
    store: heldResponseStore(db),
    seal,
    now,
    isOn: holdsAnswers,
    isEstimateRough,
    onTrouble,
  });
  const automatic = automaticStatus({
    db,
    channels: stored,
    keys: storedKeys,
    options,
    now,
    notify: (notice) => {
      log.warn({ event: "channel_status" }, notice.text);
      notifyRoot(mailing, notice);
    },
  });
  const relay: RelayParts = {
    keys: openKeys(db, now),
    channels,
    holds,
    ...sending,
    breakers,
    limits: openChannelLimits(counters),
    keyRests,
    conversations: openConversations(now),
    heldResponses,
    isShort: shedding.isShort,
    bodyRoom: openBodyRoom(),
    counters,
    counting,
    settings: {
      keyPrefix: config.tokenKeyPrefix,
      groupRatios: () => options.numbers("GroupRatio"),
      chargesByChannel: () => options.flag("ChannelGroupRatioEnabled"),
      retryTimes: () => options.number("RetryTimes"),
      isEstimateRough,
      holdsAnswers,
      addedHoldTokens: () => options.number("PreConsumedQuota"),
      logsContent: () => options.flag("LogConsumeEnabled"),
      isShownInCurrency: () => options.flag("DisplayInCurrencyEnabled"),
      showsKeyBalance: () => options.flag("DisplayTokenStatEnabled"),
    },
    readBalance: balanceReader(db),
    random: Math.random,
    onTrouble,
    onRefused: (channelId, place, refusal) => void automatic.refused(channelId, place, refusal).catch(onTrouble),
    onEnd: (ended) => log.info({ event: "call", ...ended }),
  };

  const sweepNow = (): Promise<number> => sweep(db, { now: now(), isLive: holds.isLive, startedAtId });
  const swept = await sweepNow();
  if (swept > 0) log.warn({ event: "swept", calls: swept }, "ended calls that an earlier run left open");
  const sessions = sessionStore(db);
  const upkeep = new AbortController();
  const testChannel: TestChannel = async (row, model) => {
    const keys = openChannelKeys(seal, row, await storedKeys.ofChannels([row.uuid]));
    const answer = await askChannel(sending, relayChannel(row, keys), model);
    if (answer.ok) breakers.enter(row.id, answer.modelName).worked();
    return answer;
  };
  const channelJobs = openChannelJobs({
    db,
    channels: stored,
    jobs: channelJobStore(db),
    options,
    automatic,
    testChannel,
    askBalance: askBalanceWith(egress, (row) => openFirstKey(seal, row), now),
    now,
    onTrouble,
  });
  const { channelTestEveryMs } = config;
  const jobs = [
    every(sweepEveryMs, sweepNow, onTrouble),
    ...(channelTestEveryMs > 0
      ? [every(lookForSweepEveryMs, () => channelJobs.sweepIfDue(channelTestEveryMs), onTrouble)]
      : []),
    every(forgetEveryMs, () => forgetExpired(db, sessions, now()), onTrouble),
    every(forgetEveryMs, () => db.write([mailCodeStore(db).sweep(now()), heldResponses.sweep(now())]), onTrouble),
    every(remindEveryMs, () => remindLowBalance(mailing, now()), onTrouble),
    every(
      upkeepEveryMs,
      () => forgetOldLogs({ db, logs: logStore(db), options, signal: upkeep.signal }, now()),
      onTrouble,
    ),
  ];

  const isSecure = config.publicUrl?.protocol === "https:";
  const askProvider = askProviderWith({
    egress,
    urls: config.providerUrls,
    deadlineMs: providerDeadlineMs,
    onTrouble: (error) => log.warn({ event: "external_sign_in", err: error }, "a sign-in provider failed"),
  });
  const api = managementApi({
    db,
    options,
    seal,
    clock: now,
    publicUrl: config.publicUrl?.origin,
    hasSmtpUrl: config.smtpUrl !== undefined,
    version,
    rateLimit: config.apiRateLimit,
    trustedProxies: config.trustedProxies,
    log,
    mailer,
    counters,
    channelJobs,
    channelHealth: { breakers: breakers.all, keyRests: keyRests.all },
    testChannel,
    providers: { urls: config.providerUrls, ask: askProvider },
    priceBook: book,
    builtInModels: builtInModels(prices),
  });
  const startedAt = now();
  const settings = (): unknown => statusOf({ options, version, startedAt, publicUrl: config.publicUrl?.origin });
  const site = openSite({ folder: siteFolder, settings, isSecure });
  const answerApi = getRequestListener(api.fetch, { overrideGlobalObjects: false });
  const work = runningWork();
  const realtime = openRealtime(relay);
  let isStopping = false;
  let relayedCalls = 0;

  function onRequest(request: IncomingMessage, response: ServerResponse): void {
    const target = request.url ?? "";
    const path = target.split("?", 1)[0] ?? "";
    if (namesTwoHosts(request.rawHeaders)) {
      response.shouldKeepAlive = false;
      plainAnswer(response, twoHosts.status, twoHosts.message);
    } else if (!path.startsWith("/")) plainAnswer(response, 400, "bad request target");
    else if (path === "/healthz") plainAnswer(response, 200, "ok");
    else if (path === "/readyz") void ready(response);
    else if (isRelayPath(path)) {
      const address = clientAddress(request.socket.remoteAddress ?? "", headerText(request), config.trustedProxies);
      const exchange = new Exchange(db.mintId(), request, response, address, config.callerPatienceMs);
      if (isStopping) exchange.refuse(stopping);
      // A call is over when it is settled and its answer is with the caller, or the caller is gone.
      else work.add(Promise.all([relayed(exchange, path), closed(response)]));
    } else if (isStopping) {
      response.setHeader("retry-after", String(retryAfterSeconds));
      plainAnswer(response, 503, "the gateway is stopping");
    } else if (path === "/api" || path.startsWith("/api/")) {
      // A reply nobody waits for any more is never finished, so it is the connection that says when it is over.
      work.add(closed(response));
      watchBody(request, apiPace, () => endSlow(request));
      void answerApi(request, response);
    } else site(request, response, path);
  }

  async function relayed(exchange: Exchange, path: string): Promise<void> {
    relayedCalls += 1;
    try {
      await routeRelay(exchange, path, relay);
    } finally {
      relayedCalls -= 1;
    }
  }

  async function ready(response: ServerResponse): Promise<void> {
    const reached = await db.read(db.sql.selectFrom("versions").select("topic").limit(1)).then(
      () => true,
      () => false,
    );
    plainAnswer(response, reached && !isStopping ? 200 : 503, reached ? "ready" : "storage is not available");
  }

  function onUpgrade(request: IncomingMessage, socket: Duplex, head: Buffer): void {
    const address = clientAddress(request.socket.remoteAddress ?? "", headerText(request), config.trustedProxies);
    socket.on("error", () => socket.destroy());
    const response = new ServerResponse(request);
    response.shouldKeepAlive = false;
    response.assignSocket(request.socket);
    response.once("finish", () => request.socket.destroySoon());
    const exchange = new Exchange(db.mintId(), request, response, address);
    if (namesTwoHosts(request.rawHeaders)) exchange.refuse(twoHosts);
    else if (isStopping) exchange.refuse(stopping);
    else work.add(realtime.open(exchange, request.socket, head));
  }

  const server = createServer(
    {
      // Whatever else asks for another protocol is answered as if it had not.
      shouldUpgradeCallback: isRealtimeUpgrade,
      maxHeaderSize: headerBytesMax,
      headersTimeout: headersWithinMs,
      requestTimeout: requestWithinMs,
      keepAliveTimeout: keepAliveMs,
      noDelay: true,
    },
    onRequest,
  );
  server.maxHeadersCount = headersMax;
  server.on("upgrade", onUpgrade);
  const connections = watchConnections(server);
  const stopShedding = shedding.watch({
    callers: connections.count,
    calls: () => relayedCalls,
    upstreams: egress.openSockets,
    endIdle: () => connections.endIdle(idleForMs),
    limitCallers: (max) => {
      server.maxConnections = max;
    },
    onChange: (shortage) =>
      shortage
        ? log.warn({ event: "overloaded", shortage }, "new calls are refused")
        : log.warn({ event: "relieved" }, "new calls are taken again"),
  });

  /** Whether a stop ended calls that were under way. Whoever asked for another one is told as well. */
  let wasCut = false;
  let closing: Promise<void> | undefined;

  async function close(): Promise<void> {
    upkeep.abort();
    stopShedding();
    for (const stop of jobs) await stop();
    await closeAll({ holds, channelJobs, mailer, egress, counting, shared, db });
  }

  return {
    server,
    async stop(graceMs) {
      isStopping = true;
      // Not the http server's own close: see http/connections.ts.
      NetServer.prototype.close.call(server);
      connections.endIdle();
      realtime.stop();
      if (!(await work.drained(graceMs))) {
        wasCut = true;
        server.closeAllConnections();
        realtime.cut();
        await work.drained(graceMs);
      }
      closing ??= close();
      await closing;
      return !wasCut;
    },
  };
}

/** Whoever has no Redis has no use for ten megabytes of its client. */
const openSharedCounters: typeof redisCounters = async (parts) =>
  (await import("./limits/redis-counters.ts")).redisCounters(parts);

interface Closing {
  holds: LiveHolds;
  channelJobs: ChannelJobs;
  mailer: Mailer;
  egress: Egress;
  counting: Counting;
  shared: SharedCounters | undefined;
  db: Database;
}

async function closeAll({ holds, channelJobs, mailer, egress, counting, shared, db }: Closing): Promise<void> {
  await holds.close();
  await mailer.stop();
  // What a job waits for ends with the connections.
  await Promise.all([channelJobs.close(), egress.close(), counting.close(), shared?.close()]);
  await db.close();
}

const closed = (response: ServerResponse): Promise<void> =>
  new Promise((resolve) => response.once("close", () => resolve()));

/** Several forwarded headers are one list. */
const headerText = ({ headers }: IncomingMessage): string | undefined => {
  const value = headers["x-forwarded-for"];
  return Array.isArray(value) ? value.join(",") : value;
};
