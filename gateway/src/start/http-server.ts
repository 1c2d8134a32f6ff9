/**
 * The HTTP server: which handler answers a path, load shedding, and a stop that lets running calls
 * end.
 */
import { createServer, type IncomingMessage, type Server, ServerResponse } from "node:http";
import { Server as NetServer } from "node:net";
import type { Duplex } from "node:stream";
import { getRequestListener } from "@hono/node-server";
import { agentPaths } from "@tollgate/contract/accounts/agent-sign-ins.ts";
import type { Logger } from "pino";
import type { Config } from "../config/config.ts";
import { isLitellmPath } from "../foreign-calls/foreign-paths.ts";
import { answerProbe } from "../foreign-calls/probes.ts";
import { enterBasePath, readBasePath } from "../http/base-path.ts";
import { apiBodyPace, respondRequestTimeout, watchBody } from "../http/body-timeout.ts";
import { createInFlightTracker, watchConnections } from "../http/connections.ts";
import { limitHeapGrowth } from "../http/heap-growth.ts";
import type { LoadShedding } from "../http/load-shedding.ts";
import { respondPlainText } from "../http/plain-text-response.ts";
import { hasDuplicateHost, readAddressOfRequest } from "../http/request-head.ts";
import { buildEntryAddress } from "../relay/entry-address.ts";
import { Exchange } from "../relay/exchange.ts";
import { isRealtimeUpgrade } from "../relay/realtime/realtime-relay.ts";
import { isRelayPath } from "../relay/relay-routes.ts";
import { isResponseSocketUpgrade } from "../relay/response-socket/response-socket-relay.ts";
import type { RelayRefusal } from "../relay/wire/relay-refusal.ts";
import type { ConsoleSite } from "../site/console-files.ts";
import { securityTextPath, writeSecurityText } from "../site/security-text.ts";
import type { Database } from "../storage/database.ts";
import { isScrape, metricsPath } from "../telemetry/metrics-endpoint.ts";
import type { ScrapeAccess } from "../telemetry/scrape-access.ts";
import type { ManagementApi } from "./open-management-api.ts";
import type { RelayService } from "./open-relay.ts";

const headerBytesMax = 16 * 1024;
const headersMax = 100;
const headersWithinMs = 15_000;
const requestWithinMs = 300_000;
const keepAliveMs = 65_000;
const retryAfterSeconds = 5;
const stopping: RelayRefusal = {
  status: 503,
  type: "server_error",
  code: "stopping",
  message: "The gateway is stopping",
  retryAfter: retryAfterSeconds,
  closesConnection: true,
};
const twoHosts: RelayRefusal = {
  status: 400,
  type: "invalid_request_error",
  message: "The request names two hosts; send one Host header",
  closesConnection: true,
};
/**
 * The only management calls among the addresses of the console: providers register the one beside
 * the callback, and programs look for the other.
 */
const isBackChannel = (path: string): boolean => /^\/oauth\/oidc\/[^/]+\/backchannel$/.test(path);
/** A connection that has been idle for less may be about to send a request. */
const idleForMs = 1_000;

export interface MetricsOnMainPort {
  access: ScrapeAccess;
  /** Writes the metrics; never rejects. */
  answer(request: IncomingMessage, response: ServerResponse): Promise<void>;
}

export interface HttpServerDeps {
  config: Pick<Config, "trustedProxies" | "clientStallTimeoutMs" | "securityContact" | "publicUrl">;
  db: Database;
  log: Logger;
  relay: RelayService;
  api: Pick<ManagementApi, "fetch">;
  site: ConsoleSite;
  shedding: LoadShedding;
  /** Undefined where metrics are not served on this port. */
  scraping: MetricsOnMainPort | undefined;
  /** Open connections to providers. */
  upstreamSockets(): number;
}

export interface HttpServer {
  server: Server;
  /**
   * Accepts no more calls, waits up to `graceMs` for the running ones, then cuts those that are
   * left.
   */
  stop(graceMs: number): Promise<void>;
  /**
   * `hasCutCalls` says whether any stop cut a call: a second stop may have a shorter grace than the
   * first.
   */
  hasCutCalls(): boolean;
}

/** The server is not listening yet. */
export function createHttpServer(deps: HttpServerDeps): HttpServer {
  const { config, db, log, relay, site, shedding, scraping } = deps;
  const answerApi = getRequestListener(deps.api.fetch, { overrideGlobalObjects: false });
  const work = createInFlightTracker();
  let isStopping = false;
  let wasCut = false;
  const basePath = readBasePath(config.publicUrl);

  function onRequest(request: IncomingMessage, response: ServerResponse): void {
    enterBasePath(request, basePath);
    const target = request.url ?? "";
    const path = target.split("?", 1)[0] ?? "";
    const entry = buildEntryAddress(request, path);
    if (hasDuplicateHost(request.rawHeaders)) {
      response.shouldKeepAlive = false;
      respondPlainText(response, twoHosts.status, twoHosts.message);
    } else if (!path.startsWith("/")) respondPlainText(response, 400, "bad request target");
    else if (isRelayPath(entry.path) && !isLitellmPath(path)) {
      const exchange = new Exchange(
        db.mintId(),
        request,
        response,
        addressOf(request),
        config.clientStallTimeoutMs,
      );
      if (isStopping) exchange.refuse(stopping);
      else {
        // A call has ended when it is settled and its response is with the client, or the client
        // has left.
        work.add(relay.answer(exchange, entry));
        work.addResponse(response);
      }
    } else if (answerProbe(path, response, { db, isStopping })) return;
    else if (path === securityTextPath && config.securityContact !== undefined)
      respondPlainText(
        response,
        200,
        writeSecurityText(config.securityContact, config.publicUrl, Date.now()),
      );
    else if (isStopping) {
      response.setHeader("retry-after", String(retryAfterSeconds));
      respondPlainText(response, 503, "the gateway is stopping");
    } else if (
      path === "/api" ||
      path.startsWith("/api/") ||
      isLitellmPath(path) ||
      (request.method === "POST" && isBackChannel(path)) ||
      path === agentPaths.discovery
    ) {
      work.addResponse(response);
      watchBody(
        request,
        () => apiBodyPace,
        () => respondRequestTimeout(request),
      );
      void answerApi(request, response);
    } else if (scraping && isScrape(request) && request.headers.authorization !== undefined) {
      void answerScrape(scraping, request, response);
    } else answerSite(request, response, path);
  }

  function answerSite(request: IncomingMessage, response: ServerResponse, path: string): void {
    relay.failedTries.recordPath(addressOf(request), path);
    site(request, response, path);
  }

  /**
   * `answerScrape` is for everyone who may not read the metrics, their address is one that does not
   * exist.
   */
  async function answerScrape(
    { access, answer }: MetricsOnMainPort,
    request: IncomingMessage,
    response: ServerResponse,
  ): Promise<void> {
    const verdict = await access.check(request.headers.authorization, addressOf(request));
    if (verdict.kind === "allowed") return await answer(request, response);
    if (verdict.kind === "unknown") return answerSite(request, response, metricsPath);
    response.setHeader("retry-after", String(Math.ceil(verdict.retryAfterMs / 1_000)));
    respondPlainText(response, 429, "too many scrapes");
  }

  function onUpgrade(request: IncomingMessage, socket: Duplex, head: Buffer): void {
    socket.on("error", () => socket.destroy());
    const response = new ServerResponse(request);
    response.shouldKeepAlive = false;
    response.assignSocket(request.socket);
    response.once("finish", () => request.socket.destroySoon());
    const exchange = new Exchange(db.mintId(), request, response, addressOf(request));
    if (hasDuplicateHost(request.rawHeaders)) exchange.refuse(twoHosts);
    else if (isStopping) exchange.refuse(stopping);
    else {
      const sockets = isRealtimeUpgrade(request) ? relay.realtime : relay.responseSockets;
      work.add(sockets.open(exchange, { response, socket: request.socket, head }));
    }
  }

  const addressOf = (request: IncomingMessage): string =>
    readAddressOfRequest(request, config.trustedProxies);

  const server = createServer(
    {
      // A request to upgrade to any other protocol is answered as if it had not asked for it.
      shouldUpgradeCallback: (request) => {
        enterBasePath(request, basePath);
        return isRealtimeUpgrade(request) || isResponseSocketUpgrade(request);
      },
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
    clientConnections: connections.count,
    activeCalls: relay.runningCalls,
    upstreamConnections: deps.upstreamSockets,
    closeIdle: () => connections.closeIdle(idleForMs),
    limitClientConnections: (max) => {
      server.maxConnections = max;
    },
    onChange: (shortage) =>
      shortage
        ? log.warn({ event: "overloaded", shortage }, "new calls are refused")
        : log.warn({ event: "relieved" }, "new calls are accepted again"),
  });

  const stopLimiting = limitHeapGrowth(relay.runningCalls);

  return {
    server,
    async stop(graceMs) {
      isStopping = true;
      // Not the HTTP server's own close: see http/connections.ts.
      NetServer.prototype.close.call(server);
      connections.closeIdle();
      relay.realtime.stop();
      relay.responseSockets.stop();
      if (!(await work.drained(graceMs))) {
        wasCut = true;
        server.closeAllConnections();
        relay.realtime.cut();
        relay.responseSockets.cut();
        await work.drained(graceMs);
      }
      stopShedding();
      stopLimiting();
    },
    hasCutCalls: () => wasCut,
  };
}
