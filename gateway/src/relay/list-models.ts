/** `GET /v1/models` and `GET /v1/models/{id}`: what this key can ask for, in the shape of the client that asks. */
import { authenticate, credentialOf } from "./authenticate.ts";
import type { Exchange } from "./exchange.ts";
import type { Caller } from "./keys.ts";
import type { RelayParts } from "./relay.ts";
import { denied, Refused } from "./relay-refusal.ts";
import { anthropicMessages } from "./shapes/anthropic-messages.ts";

type Parts = Pick<RelayParts, "keys" | "channels" | "settings" | "now">;

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
  exchange.wording = anthropicMessages.wording;
  return true;
}

export async function listModels(exchange: Exchange, parts: Parts): Promise<void> {
  const isAnthropic = speaksAnthropic(exchange);
  const names = await namesFor(exchange, parts);
  if (!isAnthropic) return send(exchange, { object: "list", data: names.map(modelEntry) });
  const [first_id = null] = names;
  const last_id = names.at(-1) ?? null;
  send(exchange, { data: names.map(anthropicEntry), has_more: false, first_id, last_id });
}

export async function readModel(exchange: Exchange, model: string, parts: Parts): Promise<void> {
  const isAnthropic = speaksAnthropic(exchange);
  const names = await namesFor(exchange, parts);
  if (names.includes(model)) return send(exchange, isAnthropic ? anthropicEntry(model) : modelEntry(model));
  const missing = noModel(model);
  if (isAnthropic) throw missing;
  const { message, code } = missing.refusal;
  // The existing systems answer 200 here, and their clients look for the error object.
  send(exchange, { error: { message, type: "invalid_request_error", param: "model", code } });
}

export function noModel(model: string): Refused {
  const message = `The model '${model}' does not exist`;
  return new Refused({ status: 404, type: "not_found_error", code: "model_not_found", message });
}

export async function namesFor(exchange: Exchange, parts: Parts): Promise<string[]> {
  const credential = credentialOf(exchange.request.headers, parts.settings.keyPrefix, exchange.request.url);
  if (!credential) throw denied(401, "No API key was given; send it as Authorization: Bearer sk-…");
  const caller: Caller = await authenticate(credential, parts.keys, exchange.address, parts.now());
  const served = parts.channels.snapshot.modelsOf(caller.group);
  return served.filter((model) => caller.models === null || caller.models.has(model));
}

export const send = (exchange: Exchange, body: unknown): void =>
  exchange.answer(200, "application/json; charset=utf-8", Buffer.from(JSON.stringify(body)));
