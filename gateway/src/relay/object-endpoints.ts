/** The addresses of objects that providers keep for users. */
import { batchesEndpointAt } from "./batches/batches-endpoint.ts";
import { messageBatchesEndpointAt } from "./batches/message-batches-endpoint.ts";
import type { Exchange } from "./exchange.ts";
import { cachedContentsEndpointAt } from "./kept-objects/cached-contents-endpoint.ts";
import { geminiFilesEndpointAt } from "./kept-objects/gemini-files-endpoint.ts";
import { keptObjectsEndpointAt } from "./kept-objects/kept-objects-endpoint.ts";
import type { RelayDeps } from "./relay-deps.ts";
import { filesEndpointAt } from "./stored-files/files-endpoint.ts";
import { videosEndpointAt } from "./videos/videos-endpoint.ts";

type ObjectHandler = (exchange: Exchange, deps: RelayDeps) => Promise<void>;

/** Whose library calls, where two have the same address. */
export type ClientDialect = "openai" | "anthropic" | "gemini";

/** Undefined for every other address. Anthropic's dialect has files of its own at OpenAI's address, which are not served. */
export const objectEndpointAt = (method: string, path: string, dialect: ClientDialect): ObjectHandler | undefined =>
  messageBatchesEndpointAt(method, path) ??
  keptObjectsEndpointAt(method, path) ??
  cachedContentsEndpointAt(method, path) ??
  geminiFilesEndpointAt(method, path, dialect === "gemini") ??
  videosEndpointAt(method, path) ??
  (dialect === "anthropic" ? undefined : (filesEndpointAt(method, path) ?? batchesEndpointAt(method, path)));
