/**
 * `/v1beta/files` and `/upload/v1beta/files`: files that Gemini keeps for calls which name them.
 * They cost nothing; uploads alone leave rows in the log.
 */
import { composeGeminiFileUri } from "../provider-states/state-references.ts";
import { admitObjectRequest } from "../stored-files/admit-object-request.ts";
import { geminiFiles } from "./gemini-file.ts";
import {
  type GeminiHandler,
  inGeminiFormat,
  listGemini,
  ownGeminiObject,
  passToGemini,
} from "./gemini-objects.ts";
import { passUpload } from "./pass-upload.ts";
import { startUpload, type UploadDeps } from "./start-upload.ts";

const uploads = /^\/upload\/v1(?:beta)?\/files$/;
const all = /^\/v1(?:beta)?\/files$/;
const one = /^\/v1(?:beta)?\/(files\/[\w-]{1,256})$/;

/**
 * Undefined for every other address. Below `/v1`, where OpenAI's files are too, only clients that
 * speak Gemini's dialect mean these.
 */
export function findGeminiFilesEndpoint(
  method: string,
  path: string,
  isGemini: boolean,
): GeminiHandler<UploadDeps> | undefined {
  const handler = isGemini || !path.startsWith("/v1/") ? findHandler(method, path) : undefined;
  return handler && inGeminiFormat(handler);
}

function findHandler(method: string, path: string): GeminiHandler<UploadDeps> | undefined {
  if (uploads.test(path)) return method === "POST" ? upload : undefined;
  if (all.test(path)) return method === "GET" ? listGemini(geminiFiles) : undefined;
  const name = one.exec(path)?.[1];
  if (name === undefined || (method !== "GET" && method !== "DELETE")) return undefined;
  return async (exchange, deps) => {
    const { caller } = await admitObjectRequest(exchange, deps);
    const uri = composeGeminiFileUri(name);
    const kept = await ownGeminiObject(geminiFiles, uri, caller, deps);
    await passToGemini(exchange, geminiFiles, uri, kept, { method }, deps);
  };
}

const upload: GeminiHandler<UploadDeps> = (exchange, deps) => {
  const id = new URLSearchParams(exchange.request.url?.split("?", 2)[1]).get("upload_id");
  return id === null ? startUpload(exchange, deps) : passUpload(exchange, id, deps);
};
