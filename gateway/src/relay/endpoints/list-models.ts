/** The models that a key may use, in the format of the client: OpenAI's and Anthropic's at `/v1/models`, Google's at `/v1beta/models`. */
import type { Exchange } from "../exchange.ts";
import { anthropicMessages } from "../formats/anthropic-messages.ts";
import type { RelayDeps } from "../relay-deps.ts";
import { RelayRefused } from "../wire/relay-refusal.ts";
import { authenticateExchange, sendJson } from "./json-endpoint.ts";

type ListModelsDeps = Pick<RelayDeps, "apiKeys" | "channels" | "settings" | "now">;

/** The gateway does not know when a model was listed; clients that sort by the time get a fixed one. */
const created = 1_626_777_600;

const modelEntry = (id: string) => ({
  id,
  object: "model",
  created,
  owned_by: "tollgate",
  permission: [],
  root: id,
  parent: null,
});

const anthropicEntry = (id: string) => ({
  type: "model",
  id,
  display_name: id,
  created_at: new Date(created * 1000).toISOString(),
});

/** Only clients of Anthropic's API send its version. */
function speaksAnthropic(exchange: Exchange): boolean {
  if (exchange.request.headers["anthropic-version"] === undefined) return false;
  exchange.errorFormat = anthropicMessages.errorFormat;
  return true;
}

export async function listModels(exchange: Exchange, deps: ListModelsDeps): Promise<void> {
  const isAnthropic = speaksAnthropic(exchange);
  const names = await modelNamesFor(exchange, deps);
  if (!isAnthropic) return sendJson(exchange, { object: "list", data: names.map(modelEntry) });
  const [first_id = null] = names;
  const last_id = names.at(-1) ?? null;
  sendJson(exchange, { data: names.map(anthropicEntry), has_more: false, first_id, last_id });
}

export async function readModel(exchange: Exchange, model: string, deps: ListModelsDeps): Promise<void> {
  const isAnthropic = speaksAnthropic(exchange);
  const names = await modelNamesFor(exchange, deps);
  if (names.includes(model)) return sendJson(exchange, isAnthropic ? anthropicEntry(model) : modelEntry(model));
  const missing = modelNotFound(model);
  if (isAnthropic) throw missing;
  const { message, code } = missing.refusal;
  // Compatible servers answer 200 here, and their clients look for the error object.
  sendJson(exchange, { error: { message, type: "invalid_request_error", param: "model", code } });
}

const geminiEntry = (id: string) => ({
  name: `models/${id}`,
  baseModelId: id,
  version: "",
  displayName: id,
  supportedGenerationMethods: ["generateContent", "streamGenerateContent"],
});

export async function listGeminiModels(exchange: Exchange, deps: ListModelsDeps): Promise<void> {
  sendJson(exchange, { models: (await modelNamesFor(exchange, deps)).map(geminiEntry) });
}

export async function readGeminiModel(exchange: Exchange, model: string, deps: ListModelsDeps): Promise<void> {
  const names = await modelNamesFor(exchange, deps);
  if (!names.includes(model)) throw modelNotFound(model);
  sendJson(exchange, geminiEntry(model));
}

function modelNotFound(model: string): RelayRefused {
  const message = `The model '${model}' does not exist`;
  return new RelayRefused({ status: 404, type: "not_found_error", code: "model_not_found", message });
}

async function modelNamesFor(exchange: Exchange, deps: ListModelsDeps): Promise<string[]> {
  const caller = await authenticateExchange(exchange, deps);
  const served = deps.channels.snapshot.modelsOf(caller.group);
  return served.filter((model) => caller.models === null || caller.models.has(model));
}
