/** `GET /v1beta/models` and `GET /v1beta/models/{id}`: what this key can ask for, as Google lists it. */
import type { Exchange } from "./exchange.ts";
import { namesFor, noModel, send } from "./list-models.ts";
import type { RelayParts } from "./relay.ts";

const entryOf = (id: string) => ({
  name: `models/${id}`,
  baseModelId: id,
  version: "",
  displayName: id,
  supportedGenerationMethods: ["generateContent", "streamGenerateContent"],
});

export async function listGeminiModels(exchange: Exchange, parts: RelayParts): Promise<void> {
  send(exchange, { models: (await namesFor(exchange, parts)).map(entryOf) });
}

export async function readGeminiModel(exchange: Exchange, model: string, parts: RelayParts): Promise<void> {
  const names = await namesFor(exchange, parts);
  if (!names.includes(model)) throw noModel(model);
  send(exchange, entryOf(model));
}
