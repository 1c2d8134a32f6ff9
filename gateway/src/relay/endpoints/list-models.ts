/** The models that a key may use, in the format of the client: OpenAI's and Anthropic's at `/v1/models`, Google's at `/v1beta/models`. */
import type { Exchange } from "../exchange.ts";
import { agentAliasOf, isAgentList, modelBehindAlias } from "../formats/agent-aliases.ts";
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

const anthropicEntry = (model: string, id = model) => ({
  type: "model",
  id,
  display_name: model,
  created_at: new Date(created * 1000).toISOString(),
});

const isCodexList = (url: string): boolean => /[?&]client_version=/.test(url);

/** Only clients of Anthropic's API send its version. */
function speaksAnthropic(exchange: Exchange): boolean {
  if (exchange.request.headers["anthropic-version"] === undefined) return false;
  exchange.errorFormat = anthropicMessages.errorFormat;
  return true;
}

export async function listModels(exchange: Exchange, deps: ListModelsDeps): Promise<void> {
  const isAnthropic = speaksAnthropic(exchange);
  const names = await modelNamesFor(exchange, deps);
  const { url = "" } = exchange.request;
  if (!isAnthropic) {
    // Codex reads its own catalogue, and keeps the facts that it knows of each model where the catalogue is empty.
    const catalogue = isCodexList(url) ? { models: [] } : {};
    return sendJson(exchange, { object: "list", data: names.map(modelEntry), ...catalogue });
  }
  const ids = isAgentList(url) ? names.map(agentAliasOf) : names;
  const data = names.map((name, at) => anthropicEntry(name, ids[at]));
  sendJson(exchange, { data, has_more: false, first_id: ids[0] ?? null, last_id: ids.at(-1) ?? null });
}

export async function readModel(exchange: Exchange, model: string, deps: ListModelsDeps): Promise<void> {
  const isAnthropic = speaksAnthropic(exchange);
  const names = await modelNamesFor(exchange, deps);
  const name = isAnthropic ? modelBehindAlias(model, (known) => names.includes(known)) : model;
  if (names.includes(name)) return sendJson(exchange, isAnthropic ? anthropicEntry(name, model) : modelEntry(name));
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
  const { modelsOf, namesNeeded } = deps.channels.snapshot;
  const { models, groups } = caller;
  const served = modelsOf(groups);
  return models === null ? [...served] : served.filter((model) => namesNeeded(model).every((name) => models.has(name)));
}
