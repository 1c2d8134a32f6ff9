/** The addresses of objects that providers keep for users. */
import { batchesEndpointAt } from "./batches/batches-endpoint.ts";
import { messageBatchesEndpointAt } from "./batches/message-batches-endpoint.ts";
import type { Exchange } from "./exchange.ts";
import { cachedContentsEndpointAt } from "./kept-objects/cached-contents-endpoint.ts";
import { keptObjectsEndpointAt } from "./kept-objects/kept-objects-endpoint.ts";
import type { RelayDeps } from "./relay-deps.ts";
import { filesEndpointAt } from "./stored-files/files-endpoint.ts";
import { videosEndpointAt } from "./videos/videos-endpoint.ts";

type ObjectHandler = (exchange: Exchange, deps: RelayDeps) => Promise<void>;

/** Undefined for every other address. Anthropic's dialect has files of its own at OpenAI's address, which are not served. */
export const objectEndpointAt = (method: string, path: string, isAnthropic: boolean): ObjectHandler | undefined =>
  messageBatchesEndpointAt(method, path) ??
  keptObjectsEndpointAt(method, path) ??
  cachedContentsEndpointAt(method, path) ??
  videosEndpointAt(method, path) ??
  (isAnthropic ? undefined : (filesEndpointAt(method, path) ?? batchesEndpointAt(method, path)));
