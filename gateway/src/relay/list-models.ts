/** `GET /v1/models` and `GET /v1/models/{id}`: what this key can ask for. */
import { authenticate, credentialOf } from "./authenticate.ts";
import type { Exchange } from "./exchange.ts";
import type { Caller } from "./keys.ts";
import type { RelayParts } from "./relay.ts";
import { denied } from "./relay-refusal.ts";

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

export async function listModels(exchange: Exchange, parts: Parts): Promise<void> {
  const names = await namesFor(exchange, parts);
  send(exchange, { object: "list", data: names.map(modelEntry) });
}

export async function readModel(exchange: Exchange, model: string, parts: Parts): Promise<void> {
  const names = await namesFor(exchange, parts);
  if (names.includes(model)) return send(exchange, modelEntry(model));
  // The existing systems answer 200 here, and their clients look for the error object.
  const message = `The model '${model}' does not exist`;
  send(exchange, { error: { message, type: "invalid_request_error", param: "model", code: "model_not_found" } });
}

async function namesFor(exchange: Exchange, parts: Parts): Promise<string[]> {
  const credential = credentialOf(exchange.request.headers, parts.settings.keyPrefix);
  if (!credential) throw denied(401, "No API key was given; send it as Authorization: Bearer sk-…");
  const caller: Caller = await authenticate(credential, parts.keys, exchange.address, parts.now());
  const served = parts.channels.snapshot.modelsOf(caller.group);
  return served.filter((model) => caller.models === null || caller.models.has(model));
}

const send = (exchange: Exchange, body: unknown): void =>
  exchange.answer(200, "application/json; charset=utf-8", Buffer.from(JSON.stringify(body)));
