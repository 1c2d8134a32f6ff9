/** The addresses of objects that providers keep for users. */
import { findBatchesEndpoint } from "./batches/batches-endpoint.ts";
import { findMessageBatchesEndpoint } from "./batches/message-batches-endpoint.ts";
import type { Exchange } from "./exchange.ts";
import { findCachedContentsEndpoint } from "./kept-objects/cached-contents-endpoint.ts";
import { findGeminiFilesEndpoint } from "./kept-objects/gemini-files-endpoint.ts";
import { findKeptObjectsEndpoint } from "./kept-objects/kept-objects-endpoint.ts";
import type { RelayDeps } from "./relay-deps.ts";
import { findFilesEndpoint } from "./stored-files/files-endpoint.ts";
import { findVideosEndpoint } from "./videos/videos-endpoint.ts";

type ObjectHandler = (exchange: Exchange, deps: RelayDeps) => Promise<void>;

/** `ClientDialect` says whose library calls, where two have the same address. */
export type ClientDialect = "openai" | "anthropic" | "gemini";

/**
 * Undefined for every other address. Anthropic's dialect has files of its own at OpenAI's address,
 * which are not served.
 */
export const findObjectEndpoint = (
  method: string,
  path: string,
  dialect: ClientDialect,
): ObjectHandler | undefined =>
  findMessageBatchesEndpoint(method, path) ??
  findKeptObjectsEndpoint(method, path) ??
  findCachedContentsEndpoint(method, path) ??
  findGeminiFilesEndpoint(method, path, dialect === "gemini") ??
  findVideosEndpoint(method, path) ??
  (dialect === "anthropic"
    ? undefined
    : (findFilesEndpoint(method, path) ?? findBatchesEndpoint(method, path)));
