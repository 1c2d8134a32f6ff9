/** `GET /v1beta/models` and `GET /v1beta/models/{id}`: what this key can ask for, as Google lists it. */
import type { Exchange } from "../exchange.ts";
import type { RelayDeps } from "../relay.ts";
import { modelNamesFor, modelNotFound, sendModels } from "./list-models.ts";

const geminiModelEntry = (id: string) => ({
  name: `models/${id}`,
  baseModelId: id,
  version: "",
  displayName: id,
  supportedGenerationMethods: ["generateContent", "streamGenerateContent"],
});

export async function listGeminiModels(exchange: Exchange, deps: RelayDeps): Promise<void> {
  sendModels(exchange, { models: (await modelNamesFor(exchange, deps)).map(geminiModelEntry) });
}

export async function readGeminiModel(exchange: Exchange, model: string, deps: RelayDeps): Promise<void> {
  const names = await modelNamesFor(exchange, deps);
  if (!names.includes(model)) throw modelNotFound(model);
  sendModels(exchange, geminiModelEntry(model));
}
