/**
 * Addresses of the client API by which LiteLLM's clients know it: without a version, with the model
 * in the address, or below the name of a provider. Clients that leave out the version call the
 * same. Pure.
 */
import type { IncomingMessage } from "node:http";
import { callParts } from "@tollgate/contract/api/client-operations.ts";
import { decodePathSegment } from "./formats/gemini-endpoints.ts";

export interface EntryAddress {
  /** `path` is as this gateway names the endpoint. */
  path: string;
  /** The model that the address names; it counts in the place of the one in the body. */
  model?: string;
}

const withoutVersion = new RegExp(`^/(?:${callParts.join("|")})$`);
/** Azure's form. Its query `api-version` has no meaning here. */
const ofDeployment =
  /^\/(?:engines|openai\/deployments)\/(.+?)\/(chat\/completions|completions|embeddings|images\/generations|audio\/speech)$/;
const ofProvider = /^\/(?:anthropic(?=\/v1\/)|gemini(?=\/v1beta\/))(\/.+)$/;
/** Cohere's second version asks and answers as the first does. */
const cohereRerank = "/v2/rerank";

export function buildEntryAddress(
  { method, headers }: Pick<IncomingMessage, "method" | "headers">,
  path: string,
): EntryAddress {
  if (path.startsWith("/v1")) return { path };
  const own = ofProvider.exec(path)?.[1];
  if (own !== undefined) return { path: own };
  // A browser asks before a call.
  const isCall = method === "POST" || method === "OPTIONS";
  if (isCall && path === cohereRerank) return { path: "/v1/rerank" };
  if (isCall && withoutVersion.test(path)) return { path: `/v1${path}` };
  const [, model, endpoint] = (isCall && ofDeployment.exec(path)) || [];
  if (model !== undefined) return { path: `/v1/${endpoint}`, model: decodePathSegment(model) };
  // For people, the console has a page of that name.
  if (
    method === "GET" &&
    path === "/models" &&
    !/text\/html/.test(headers.accept ?? "") &&
    hasKey(headers)
  )
    return { path: "/v1/models" };
  return { path };
}

const hasKey = (headers: IncomingMessage["headers"]): boolean =>
  headers.authorization !== undefined || headers["x-api-key"] !== undefined;
