/** The addresses of the client API and their handlers. */
import { unknownPathMessage } from "../http/unknown-path.ts";
import { refusalOf } from "./admit-call.ts";
import { showSubscription, showUsage } from "./endpoints/billing.ts";
import { countTokens } from "./endpoints/count-tokens.ts";
import { keyUsagePath, showKeyLogs, showKeyUsage } from "./endpoints/key-usage.ts";
import { listGeminiModels, listModels, readGeminiModel, readModel } from "./endpoints/list-models.ts";
import { notOfferedMessage } from "./endpoints/not-offered.ts";
import { deleteResponse, listInputItems, readResponse } from "./endpoints/read-stored-response.ts";
import { showBudgets } from "./endpoints/show-budgets.ts";
import type { EntryAddress } from "./entry-address.ts";
import type { Exchange } from "./exchange.ts";
import { anthropicMessages, messagesCounter } from "./formats/anthropic-messages.ts";
import type { ClientFormat, TokenCounter } from "./formats/api-format.ts";
import { chatCompletions } from "./formats/chat-completions.ts";
import { decodePathSegment, geminiCounterAt, geminiFormatAt, geminiModelAt } from "./formats/gemini-endpoints.ts";
import { geminiErrors } from "./formats/gemini-errors.ts";
import { imageEdits, imageGenerations } from "./formats/images.ts";
import { ocr } from "./formats/ocr.ts";
import { completions, embeddings, moderations, rerank } from "./formats/openai-basic-formats.ts";
import { responses, responsesCounter } from "./formats/responses.ts";
import { responsesCompaction } from "./formats/responses-compaction.ts";
import { speech } from "./formats/speech.ts";
import { transcriptions, translations } from "./formats/transcriptions.ts";
import { mcpEndpointAt } from "./mcp/mcp-endpoint.ts";
import { objectEndpointAt } from "./object-endpoints.ts";
import { readRequest } from "./read-request.ts";
import { relayCall } from "./relay.ts";
import type { RelayDeps } from "./relay-deps.ts";
import { refuseInShadow } from "./shadow/shadow-refusal.ts";

/** Older clients omit the version. */
const billing = /^(?:\/v1)?\/dashboard\/billing\/(subscription|usage)$/;
const shapes: Readonly<Record<string, ClientFormat>> = {
  "/v1/audio/speech": speech,
  "/v1/audio/transcriptions": transcriptions,
  "/v1/audio/translations": translations,
  "/v1/chat/completions": chatCompletions,
  "/v1/completions": completions,
  "/v1/embeddings": embeddings,
  "/v1/images/edits": imageEdits,
  "/v1/images/generations": imageGenerations,
  "/v1/messages": anthropicMessages,
  "/v1/moderations": moderations,
  "/v1/ocr": ocr,
  "/v1/rerank": rerank,
  "/v1/responses": responses,
  "/v1/responses/compact": responsesCompaction,
};
const tokenCounters: Readonly<Record<string, TokenCounter>> = {
  "/v1/messages/count_tokens": messagesCounter,
  "/v1/responses/input_tokens": responsesCounter,
};
const oneModel = /^\/v1\/models\/(.+)$/;
const oneResponse = /^\/v1\/responses\/([^/]+)$/;
const inputItems = /^\/v1\/responses\/([^/]+)\/input_items$/;
const oneGeminiModel = /^\/v1beta\/models\/(.+)$/;

export const isRelayPath = (path: string): boolean =>
  /^\/(v1|v1beta|upload\/v1|upload\/v1beta|dashboard\/billing|mcp|suno|mj|mj-fast|mj-relax|mj-turbo|jimeng)(\/|$)/.test(
    path,
  ) || keyUsagePath.test(path);

export async function routeRelay(
  exchange: Exchange,
  { path, model: namedModel }: EntryAddress,
  deps: RelayDeps,
): Promise<void> {
  const { method, url = "" } = exchange.request;
  if (/^\/(?:upload\/)?v1beta\//.test(path)) exchange.errorFormat = geminiErrors;
  else if (exchange.request.headers["anthropic-version"] !== undefined)
    exchange.errorFormat = anthropicMessages.errorFormat;
  try {
    if (method === "OPTIONS") return preflight(exchange);
    const format = method === "POST" ? (shapes[path] ?? geminiFormatAt(path, url)) : undefined;
    if (format)
      return await relayCall(
        exchange,
        format,
        deps,
        (options) => readRequest(exchange.request, format, { ...options, namedModel }),
        namedModel ?? geminiModelAt(path),
      );
    const mcp = mcpEndpointAt(path);
    if (mcp) return await mcp(exchange, deps);
    const counter = method === "POST" ? (tokenCounters[path] ?? geminiCounterAt(path)) : undefined;
    if (counter) return await countTokens(exchange, counter, deps, geminiModelAt(path));
    if (method === "GET" && path === "/v1/models") {
      return await (speaksGemini(exchange) ? listGeminiModels : listModels)(exchange, deps);
    }
    if (method === "GET" && path === "/v1beta/models") return await listGeminiModels(exchange, deps);
    const geminiModel = method === "GET" ? oneGeminiModel.exec(path)?.[1] : undefined;
    if (geminiModel) return await readGeminiModel(exchange, decodePathSegment(geminiModel), deps);
    const response = method === "GET" || method === "DELETE" ? oneResponse.exec(path)?.[1] : undefined;
    if (response && method === "GET") return await readResponse(exchange, decodePathSegment(response), deps);
    if (response) return await deleteResponse(exchange, decodePathSegment(response), deps);
    const itemsOf = method === "GET" ? inputItems.exec(path)?.[1] : undefined;
    if (itemsOf) return await listInputItems(exchange, decodePathSegment(itemsOf), deps);
    const isAnthropic = exchange.errorFormat === anthropicMessages.errorFormat;
    const dialect = isAnthropic ? "anthropic" : isGeminiClient(exchange) ? "gemini" : "openai";
    const objects = objectEndpointAt(method ?? "", path, dialect);
    if (objects) refuseInShadow(deps.shadow);
    if (objects) return await objects(exchange, deps);
    if (method === "GET" && path === "/v1/budget") return await showBudgets(exchange, deps);
    const billingView = method === "GET" ? billing.exec(path)?.[1] : undefined;
    if (billingView === "subscription") return await showSubscription(exchange, deps);
    if (billingView === "usage") return await showUsage(exchange, deps);
    const keyView = method === "GET" ? keyUsagePath.exec(path)?.[1] : undefined;
    if (keyView) return await (keyView === "usage" ? showKeyUsage : showKeyLogs)(exchange, deps);
    const model = oneModel.exec(path)?.[1];
    if (method === "GET" && model) {
      return await (speaksGemini(exchange) ? readGeminiModel : readModel)(exchange, decodePathSegment(model), deps);
    }
    const notOffered = notOfferedMessage(method ?? "", path, isAnthropic);
    if (notOffered !== undefined) {
      return exchange.refuse({ status: 501, type: "one_api_error", code: "api_not_implemented", message: notOffered });
    }
    const message = unknownPathMessage(method ?? "", path);
    exchange.refuse({ status: 404, type: "invalid_request_error", code: "unknown_path", message });
  } catch (error) {
    exchange.refuse(refusalOf(error, deps.onError));
  }
}

/** Google's library requests lists below any version, and only Gemini's clients send their key in this header. */
const isGeminiClient = ({ request: { headers } }: Exchange): boolean =>
  headers["x-goog-api-key"] !== undefined && headers.authorization === undefined;

function speaksGemini(exchange: Exchange): boolean {
  if (!isGeminiClient(exchange)) return false;
  exchange.errorFormat = geminiErrors;
  return true;
}

const preflightHeaders = [
  ...["access-control-allow-methods", "GET, POST, PATCH, DELETE"],
  ...["access-control-allow-headers", "*, authorization"],
  ...["access-control-max-age", "86400"],
];

function preflight({ response }: Exchange): void {
  response.writeHead(204, preflightHeaders);
  response.end();
}
