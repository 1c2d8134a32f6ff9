/** The addresses that API clients call, and what answers each. */
import { showSubscription, showUsage } from "./billing.ts";
import { countTokens } from "./count-tokens.ts";
import type { Exchange } from "./exchange.ts";
import { listGeminiModels, readGeminiModel } from "./list-gemini-models.ts";
import { listModels, readModel } from "./list-models.ts";
import { deleteHeldResponse, readHeldResponse } from "./read-held-response.ts";
import { type RelayParts, refusalOf, relayCall } from "./relay.ts";
import { anthropicMessages, messagesCounter } from "./shapes/anthropic-messages.ts";
import { chatCompletions } from "./shapes/chat-completions.ts";
import { decoded, geminiCallAt, geminiCounterAt } from "./shapes/gemini-calls.ts";
import { geminiWording } from "./shapes/gemini-wording.ts";
import { imageEdits, imageGenerations } from "./shapes/images.ts";
import { completions, embeddings, moderations, rerank } from "./shapes/plain-calls.ts";
import { responses } from "./shapes/responses.ts";
import type { Shape, TokenCounter } from "./shapes/shape.ts";
import { speech } from "./shapes/speech.ts";
import { transcriptions, translations } from "./shapes/transcriptions.ts";

/** Parts of OpenAI's API that no gateway of this family offers. */
const notOffered = /^\/v1\/(files|fine_tuning|fine-tunes|assistants|threads|images\/variations)(\/|$)/;
/** Older clients leave the version out. */
const billing = /^(?:\/v1)?\/dashboard\/billing\/(subscription|usage)$/;
const shapes: Readonly<Record<string, Shape>> = {
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
  "/v1/rerank": rerank,
  "/v1/responses": responses,
};
const counters: Readonly<Record<string, TokenCounter>> = { "/v1/messages/count_tokens": messagesCounter };
const oneModel = /^\/v1\/models\/(.+)$/;
const oneResponse = /^\/v1\/responses\/([^/]+)$/;
const oneGeminiModel = /^\/v1beta\/models\/(.+)$/;

export const isRelayPath = (path: string): boolean => /^\/(v1|v1beta|dashboard\/billing)(\/|$)/.test(path);

export async function routeRelay(exchange: Exchange, path: string, parts: RelayParts): Promise<void> {
  const { method, url = "" } = exchange.request;
  if (path.startsWith("/v1beta/")) exchange.wording = geminiWording;
  try {
    if (method === "OPTIONS") return preflight(exchange);
    const shape = method === "POST" ? (shapes[path] ?? geminiCallAt(path, url)) : undefined;
    if (shape) return await relayCall(exchange, shape, parts);
    const counter = method === "POST" ? (counters[path] ?? geminiCounterAt(path)) : undefined;
    if (counter) return await countTokens(exchange, counter, parts);
    if (method === "GET" && path === "/v1/models") {
      return await (speaksGemini(exchange) ? listGeminiModels : listModels)(exchange, parts);
    }
    if (method === "GET" && path === "/v1beta/models") return await listGeminiModels(exchange, parts);
    const geminiModel = method === "GET" ? oneGeminiModel.exec(path)?.[1] : undefined;
    if (geminiModel) return await readGeminiModel(exchange, decoded(geminiModel), parts);
    const response = method === "GET" || method === "DELETE" ? oneResponse.exec(path)?.[1] : undefined;
    if (response && method === "GET") return await readHeldResponse(exchange, decoded(response), parts);
    if (response) return await deleteHeldResponse(exchange, decoded(response), parts);
    const bill = method === "GET" ? billing.exec(path)?.[1] : undefined;
    if (bill === "subscription") return await showSubscription(exchange, parts);
    if (bill === "usage") return await showUsage(exchange, parts);
    const model = oneModel.exec(path)?.[1];
    if (method === "GET" && model) {
      return await (speaksGemini(exchange) ? readGeminiModel : readModel)(exchange, decoded(model), parts);
    }
    if (notOffered.test(path) || (method === "DELETE" && model)) {
      const message = `${method} ${path} is not offered by this gateway`;
      return exchange.refuse({ status: 501, type: "one_api_error", code: "api_not_implemented", message });
    }
    const message = `There is no ${method} ${path}`;
    exchange.refuse({ status: 404, type: "invalid_request_error", code: "", message });
  } catch (error) {
    exchange.refuse(refusalOf(error, parts.onTrouble));
  }
}

/** Google's library asks for the list below any version, and no others send their key in this header. */
function speaksGemini(exchange: Exchange): boolean {
  const { "x-goog-api-key": key, authorization } = exchange.request.headers;
  if (key === undefined || authorization !== undefined) return false;
  exchange.wording = geminiWording;
  return true;
}

function preflight({ response }: Exchange): void {
  response.writeHead(204, {
    "access-control-allow-methods": "GET, POST, DELETE",
    "access-control-allow-headers": "*, authorization",
    "access-control-max-age": "86400",
  });
  response.end();
}
