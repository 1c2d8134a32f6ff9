/** The addresses of objects that providers keep for users. */
import { findBatchesEndpoint } from "./batches/batches-endpoint.ts";
import type { CreateBatchDeps } from "./batches/create-batch.ts";
import type { MessageBatchDeps } from "./batches/create-message-batch.ts";
import { findMessageBatchesEndpoint } from "./batches/message-batches-endpoint.ts";
import type { Exchange } from "./exchange.ts";
import { findCachedContentsEndpoint } from "./kept-objects/cached-contents-endpoint.ts";
import { findGeminiFilesEndpoint } from "./kept-objects/gemini-files-endpoint.ts";
import {
  findKeptObjectsEndpoint,
  type KeptObjectsDeps,
} from "./kept-objects/kept-objects-endpoint.ts";
import type { UploadDeps } from "./kept-objects/start-upload.ts";
import { findFilesEndpoint } from "./stored-files/files-endpoint.ts";
import type { UploadFileDeps } from "./stored-files/upload-file.ts";
import type { VideoDeps } from "./videos/create-video.ts";
import { findVideosEndpoint } from "./videos/videos-endpoint.ts";

export type ObjectDeps = CreateBatchDeps &
  MessageBatchDeps &
  KeptObjectsDeps &
  UploadDeps &
  UploadFileDeps &
  VideoDeps;

type ObjectHandler = (exchange: Exchange, deps: ObjectDeps) => Promise<void>;

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
