/** `GET /v1/models` and `GET /v1/models/{id}`: what this key can ask for, in the shape of the client that asks. */

import type { RelayCaller } from "../admission/api-keys.ts";
import { authenticate, credentialOf } from "../admission/authenticate.ts";
import type { Exchange } from "../exchange.ts";
import { anthropicMessages } from "../formats/anthropic-messages.ts";
import type { RelayDeps } from "../relay.ts";
import { denied, RelayRefused } from "../wire/relay-refusal.ts";

type ListModelsDeps = Pick<RelayDeps, "apiKeys" | "channels" | "settings" | "now">;

/** When the model was listed is not known; a fixed time keeps clients that sort by it calm. */
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

/** Clients of Anthropic's interface say which version of it they speak, and no others do. */
function speaksAnthropic(exchange: Exchange): boolean {
  if (exchange.request.headers["anthropic-version"] === undefined) return false;
  exchange.errorFormat = anthropicMessages.errorFormat;
  return true;
}

export async function listModels(exchange: Exchange, deps: ListModelsDeps): Promise<void> {
  const isAnthropic = speaksAnthropic(exchange);
  const names = await modelNamesFor(exchange, deps);
  if (!isAnthropic) return sendModels(exchange, { object: "list", data: names.map(modelEntry) });
  const [first_id = null] = names;
  const last_id = names.at(-1) ?? null;
  sendModels(exchange, { data: names.map(anthropicEntry), has_more: false, first_id, last_id });
}

export async function readModel(exchange: Exchange, model: string, deps: ListModelsDeps): Promise<void> {
  const isAnthropic = speaksAnthropic(exchange);
  const names = await modelNamesFor(exchange, deps);
  if (names.includes(model)) return sendModels(exchange, isAnthropic ? anthropicEntry(model) : modelEntry(model));
  const missing = modelNotFound(model);
  if (isAnthropic) throw missing;
  const { message, code } = missing.refusal;
  // The existing systems answer 200 here, and their clients look for the error object.
  sendModels(exchange, { error: { message, type: "invalid_request_error", param: "model", code } });
}

export function modelNotFound(model: string): RelayRefused {
  const message = `The model '${model}' does not exist`;
  return new RelayRefused({ status: 404, type: "not_found_error", code: "model_not_found", message });
}

export async function modelNamesFor(exchange: Exchange, deps: ListModelsDeps): Promise<string[]> {
  const credential = credentialOf(exchange.request.headers, deps.settings.keyPrefix, exchange.request.url);
  if (!credential) throw denied(401, "No API key was given; send it as Authorization: Bearer sk-…");
  const caller: RelayCaller = await authenticate(credential, deps.apiKeys, exchange.address, deps.now());
  const served = deps.channels.snapshot.modelsOf(caller.group);
  return served.filter((model) => caller.models === null || caller.models.has(model));
}

export const sendModels = (exchange: Exchange, body: unknown): void =>
  exchange.answer(200, "application/json; charset=utf-8", Buffer.from(JSON.stringify(body)));
