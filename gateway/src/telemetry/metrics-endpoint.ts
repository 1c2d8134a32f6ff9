/** Answers a scrape, and the listener of METRICS_PORT, which the network guards and no password. */
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import { promisify } from "node:util";
import { constants, gzip } from "node:zlib";
import { respondPlainText } from "../http/plain-text-response.ts";
import type { MetricRegistry } from "./metric-registry.ts";
import { buildMetricFormat, formatMetricText, metricContentTypes } from "./metric-text.ts";

export const metricsPath = "/metrics";
const headersWithinMs = 15_000;
const connectionsMax = 20;
const compress = promisify(gzip);

/** Never rejects: a scraper that has left is no error. */
export async function answerScrape(
  registry: MetricRegistry,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const format = buildMetricFormat(request.headers.accept ?? "");
  const text = Buffer.from(await formatMetricText(registry.families, format));
  const isCompressed = /\bgzip\b/.test(String(request.headers["accept-encoding"] ?? ""));
  // In another thread; the fastest level makes megabytes of such text a tenth.
  const body = isCompressed ? await compress(text, { level: constants.Z_BEST_SPEED }) : text;
  response.writeHead(200, {
    "content-type": metricContentTypes[format],
    "content-length": body.length,
    "cache-control": "no-store",
    "x-content-type-options": "nosniff",
    vary: "accept, accept-encoding",
    ...(isCompressed && { "content-encoding": "gzip" }),
  });
  response.end(request.method === "HEAD" ? undefined : body);
}

export const isScrape = ({ method, url = "" }: IncomingMessage): boolean =>
  (method === "GET" || method === "HEAD") && url.split("?", 1)[0] === metricsPath;

/** The server is not listening yet. */
export function createMetricsServer(
  registry: MetricRegistry,
  onError: (error: unknown) => void,
): Server {
  const server = createServer({ headersTimeout: headersWithinMs }, (request, response) => {
    if (isScrape(request)) void answerScrape(registry, request, response).catch(onError);
    else respondPlainText(response, 404, `only GET ${metricsPath} is here`);
  });
  server.maxConnections = connectionsMax;
  return server;
}
