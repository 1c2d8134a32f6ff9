/** The addresses of the client API and their handlers. */
import { formatUnknownPathMessage } from "../http/unknown-path.ts";
import { buildRefusal } from "./call-refusals.ts";
import { type BillingDeps, showSubscription, showUsage } from "./endpoints/billing.ts";
import { type CountTokensDeps, countTokens } from "./endpoints/count-tokens.ts";
import {
  type KeyUsageDeps,
  keyUsagePath,
  showKeyLogs,
  showKeyUsage,
} from "./endpoints/key-usage.ts";
import {
  listGeminiModels,
  listModels,
  readGeminiModel,
  readModel,
} from "./endpoints/list-models.ts";
import { type AgentSettingsDeps, showAgentSettings } from "./endpoints/managed-settings.ts";
import { notOfferedMessage } from "./endpoints/not-offered.ts";
import {
  deleteResponse,
  listInputItems,
  readResponse,
  type StoredResponseDeps,
} from "./endpoints/read-stored-response.ts";
import { showBudgets } from "./endpoints/show-budgets.ts";
import { showGeneration } from "./endpoints/show-generation.ts";
import { type ShowRunDeps, showRun } from "./endpoints/show-run.ts";
import { type TelemetryDeps, takeTelemetry } from "./endpoints/take-telemetry.ts";
import type { EntryAddress } from "./entry-address.ts";
import type { Exchange } from "./exchange.ts";
import type {
  ArrivedRequest,
  ErrorFormatChoice,
  KnownCall,
  ReplyToClient,
  SentAnswer,
} from "./exchange-parts.ts";
import { anthropicMessages, messagesCounter } from "./formats/anthropic-messages.ts";
import type { ClientFormat, TokenCounter } from "./formats/api-format.ts";
import { chatCompletions } from "./formats/chat-completions.ts";
import {
  decodePathSegment,
  findGeminiCounter,
  findGeminiFormat,
  findGeminiModel,
} from "./formats/gemini-endpoints.ts";
import { geminiErrors } from "./formats/gemini-errors.ts";
import { imageEdits, imageGenerations } from "./formats/images.ts";
import { ocr } from "./formats/ocr.ts";
import { completions, embeddings, moderations, rerank } from "./formats/openai-basic-formats.ts";
import { responses, responsesCounter } from "./formats/responses.ts";
import { responsesCompaction } from "./formats/responses-compaction.ts";
import { speech } from "./formats/speech.ts";
import { transcriptions, translations } from "./formats/transcriptions.ts";
import { findMcpEndpoint, type McpDeps } from "./mcp/mcp-endpoint.ts";
import { type ClientDialect, findObjectEndpoint, type ObjectDeps } from "./object-endpoints.ts";
import { readRequest } from "./read-request.ts";
import { type RelayCallDeps, relayCall } from "./relay.ts";
import { refuseInShadow } from "./shadow/shadow-refusal.ts";
import type { RelayRefusal } from "./wire/relay-refusal.ts";

/** `RouteDeps` are what the endpoints need, each its own. */
export type RouteDeps = RelayCallDeps &
  CountTokensDeps &
  StoredResponseDeps &
  ShowRunDeps &
  KeyUsageDeps &
  AgentSettingsDeps &
  TelemetryDeps &
  BillingDeps &
  ObjectDeps &
  McpDeps;

/** A request, and what its address names. */
interface AskedRoute {
  exchange: Exchange;
  deps: RouteDeps;
  /** The model that the address names for LiteLLM's clients. */
  namedModel: string | undefined;
}
type RouteHandler = (asked: AskedRoute) => Promise<void>;
/** Gets the part of the address that its pattern captures. */
type PartRouteHandler = (
  exchange: KnownCall & ErrorFormatChoice & ReplyToClient,
  part: string,
  deps: RouteDeps,
) => Promise<void>;

/** `addressModel` is the model in the address of a format that has it there. */
const asking =
  (format: ClientFormat, addressModel?: string): RouteHandler =>
  ({ exchange, deps, namedModel }) =>
    relayCall(
      exchange,
      format,
      deps,
      (options) => readRequest(exchange.request, format, { ...options, namedModel }),
      namedModel ?? addressModel,
    );
const counting =
  (counter: TokenCounter, addressModel?: string): RouteHandler =>
  ({ exchange, deps }) =>
    countTokens(exchange, counter, deps, addressModel);
const showing =
  (show: (exchange: Exchange, deps: RouteDeps) => Promise<void>): RouteHandler =>
  ({ exchange, deps }) =>
    show(exchange, deps);

/** Addresses without a part that varies, by method and path. */
const fixedRoutes: Readonly<Record<string, RouteHandler>> = {
  "POST /v1/audio/speech": asking(speech),
  "POST /v1/audio/transcriptions": asking(transcriptions),
  "POST /v1/audio/translations": asking(translations),
  "POST /v1/chat/completions": asking(chatCompletions),
  "POST /v1/completions": asking(completions),
  "POST /v1/embeddings": asking(embeddings),
  "POST /v1/images/edits": asking(imageEdits),
  "POST /v1/images/generations": asking(imageGenerations),
  "POST /v1/messages": asking(anthropicMessages),
  "POST /v1/moderations": asking(moderations),
  "POST /v1/ocr": asking(ocr),
  "POST /v1/rerank": asking(rerank),
  "POST /v1/responses": asking(responses),
  "POST /v1/responses/compact": asking(responsesCompaction),
  "POST /v1/messages/count_tokens": counting(messagesCounter),
  "POST /v1/responses/input_tokens": counting(responsesCounter),
  "GET /v1/models": showing((exchange, deps) =>
    (speaksGemini(exchange) ? listGeminiModels : listModels)(exchange, deps),
  ),
  "GET /v1beta/models": showing(listGeminiModels),
  "GET /v1/budget": showing(showBudgets),
  "GET /v1/generation": showing(showGeneration),
  "GET /v1/run": showing(showRun),
  "GET /managed/settings": showing(showAgentSettings),
  "POST /v1/metrics": showing(takeTelemetry("metrics")),
  "POST /v1/logs": showing(takeTelemetry("logs")),
  "POST /v1/traces": showing(takeTelemetry("traces")),
  // Older clients omit the version.
  ...Object.fromEntries(
    ["/v1", ""].flatMap((version) => [
      [`GET ${version}/dashboard/billing/subscription`, showing(showSubscription)],
      [`GET ${version}/dashboard/billing/usage`, showing(showUsage)],
    ]),
  ),
};

/** Addresses with one part that varies. */
const partRoutes: readonly (readonly [
  method: string,
  pattern: RegExp,
  handler: PartRouteHandler,
])[] = [
  ["GET", /^\/v1beta\/models\/(.+)$/, readGeminiModel],
  ["GET", /^\/v1\/responses\/([^/]+)$/, readResponse],
  ["DELETE", /^\/v1\/responses\/([^/]+)$/, deleteResponse],
  ["GET", /^\/v1\/responses\/([^/]+)\/input_items$/, listInputItems],
  [
    "GET",
    keyUsagePath,
    (exchange, view, deps) => (view === "usage" ? showKeyUsage : showKeyLogs)(exchange, deps),
  ],
  [
    "GET",
    /^\/v1\/models\/(.+)$/,
    (exchange, model, deps) =>
      (speaksGemini(exchange) ? readGeminiModel : readModel)(exchange, model, deps),
  ],
];

function findPartRoute(method: string, path: string): RouteHandler | undefined {
  for (const [own, pattern, handler] of partRoutes) {
    const part = own === method ? pattern.exec(path)?.[1] : undefined;
    if (part) return ({ exchange, deps }) => handler(exchange, decodePathSegment(part), deps);
  }
  return undefined;
}

function findGeminiRoute(method: string, path: string, url: string): RouteHandler | undefined {
  if (method !== "POST") return undefined;
  const format = findGeminiFormat(path, url);
  if (format) return asking(format, findGeminiModel(path));
  const counter = findGeminiCounter(path);
  return counter && counting(counter, findGeminiModel(path));
}

/** Objects that users keep: another gateway runs in a dual run, and keeps its own. */
function findObjectRoute(
  method: string,
  path: string,
  exchange: Exchange,
): RouteHandler | undefined {
  const objects = findObjectEndpoint(method, path, readDialect(exchange));
  return (
    objects &&
    (({ deps }) => {
      refuseInShadow(deps.shadow);
      return objects(exchange, deps);
    })
  );
}

const findRoute = (method: string, path: string, exchange: Exchange): RouteHandler | undefined =>
  fixedRoutes[`${method} ${path}`] ??
  findGeminiRoute(method, path, exchange.request.url ?? "") ??
  findMcpRoute(path) ??
  findPartRoute(method, path) ??
  findObjectRoute(method, path, exchange);

function findMcpRoute(path: string): RouteHandler | undefined {
  const handler = findMcpEndpoint(path);
  return handler && showing(handler);
}

export const isRelayPath = (path: string): boolean =>
  /^\/(v1|v1beta|managed|upload\/v1|upload\/v1beta|dashboard\/billing|mcp|suno|mj|mj-fast|mj-relax|mj-turbo|jimeng)(\/|$)/.test(
    path,
  ) || keyUsagePath.test(path);

export async function routeRelay(
  exchange: Exchange,
  { path, model: namedModel }: EntryAddress,
  deps: RouteDeps,
): Promise<void> {
  const { method = "" } = exchange.request;
  if (/^\/(?:upload\/)?v1beta\//.test(path)) exchange.speak(geminiErrors);
  else if (exchange.request.headers["anthropic-version"] !== undefined)
    exchange.speak(anthropicMessages.errorFormat);
  try {
    if (method === "OPTIONS") return preflight(exchange);
    const route = findRoute(method, path, exchange);
    if (route) await route({ exchange, deps, namedModel });
    else exchange.refuse(refuseUnknown(method, path, readDialect(exchange) === "anthropic"));
  } catch (error) {
    exchange.refuse(buildRefusal(error, deps.onError));
  }
}

function refuseUnknown(method: string, path: string, isAnthropic: boolean): RelayRefusal {
  const notOffered = notOfferedMessage(method, path, isAnthropic);
  if (notOffered !== undefined)
    return { status: 501, type: "one_api_error", code: "api_not_implemented", message: notOffered };
  const message = formatUnknownPathMessage(method, path);
  return { status: 404, type: "invalid_request_error", code: "unknown_path", message };
}

function readDialect(exchange: ArrivedRequest & ErrorFormatChoice): ClientDialect {
  if (exchange.errorFormat === anthropicMessages.errorFormat) return "anthropic";
  return isGeminiClient(exchange) ? "gemini" : "openai";
}

/**
 * Google's library requests lists below any version, and only Gemini's clients send their key in
 * this header.
 */
const isGeminiClient = ({ request: { headers } }: ArrivedRequest): boolean =>
  headers["x-goog-api-key"] !== undefined && headers.authorization === undefined;

function speaksGemini(exchange: ArrivedRequest & ErrorFormatChoice): boolean {
  if (!isGeminiClient(exchange)) return false;
  exchange.speak(geminiErrors);
  return true;
}

const preflightHeaders = [
  ...["access-control-allow-methods", "GET, POST, PATCH, DELETE"],
  ...["access-control-allow-headers", "*, authorization"],
  ...["access-control-max-age", "86400"],
];

function preflight({ response }: SentAnswer): void {
  response.writeHead(204, preflightHeaders);
  response.end();
}
