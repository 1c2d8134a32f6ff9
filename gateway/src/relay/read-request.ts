/** Reads a request: the body within limits, and the few fields of it that the gateway acts on. */
import type { IncomingHttpHeaders, IncomingMessage } from "node:http";
import { isJsonRecord } from "@tollgate/contract/json-record.ts";
import { largestBodyMax } from "../http/body-memory-budget.ts";
import {
  bodyBounds,
  type JsonBounds,
  type JsonOutline,
  outlineHasRepetition,
  tokenListBounds,
} from "../http/json-outline.ts";
import { tagsInBody } from "./admission/sent-tags.ts";
import { modelBehindAlias } from "./formats/agent-aliases.ts";
import type { ClientFormat, RelayCall } from "./formats/api-format.ts";
import { costMemberSpellings, costMembersOf } from "./formats/cost-members.ts";
import { findNeededTools } from "./formats/declared-tools.ts";
import { fallbackModelsIn } from "./formats/fallback-models.ts";
import { otherSpellingIn } from "./formats/member-spellings.ts";
import { unseenInputsIn } from "./formats/unseen-inputs.ts";
import { type BodyTerms, readBody } from "./read-body.ts";
import { conversationOf } from "./routing/session-affinity.ts";
import { boundedOutline } from "./wire/bounded-json.ts";
import { parsedObject } from "./wire/json-parts.ts";
import { withMembers, withoutMembers } from "./wire/json-spans.ts";
import { fieldOf, isFormType, readForm } from "./wire/multipart.ts";
import { badRequest } from "./wire/relay-refusal.ts";

const bodyMax = 32 * 1024 * 1024;

export interface ReadRequestOptions {
  /** Detects the format of a JSON body. */
  formatFor(json: unknown): ClientFormat;
  isEstimateRough: boolean;
  /** Whether more than one channel or key can serve the model: only then does session affinity matter. */
  hasChoice(model: string): boolean;
  /** Whether any channel serves a model of exactly this name. */
  isServed(model: string): boolean;
  /** The model that the address names: it counts in the place of the one in a JSON body. */
  namedModel?: string | undefined;
  terms: BodyTerms;
}

/** `endpointFormat` is the format of the address. */
export async function readRequest(
  request: IncomingMessage,
  endpointFormat: ClientFormat,
  { terms, ...options }: ReadRequestOptions,
): Promise<RelayCall> {
  const contentType = request.headers["content-type"] ?? "";
  if (endpointFormat.parseForm && isFormType(contentType)) {
    const form = readForm(contentType, await readBody(request, largestBodyMax, terms));
    const parsed = endpointFormat.parseForm(form, options.isEstimateRough);
    return {
      ...parsed,
      client: endpointFormat,
      upstream: endpointFormat.upstream,
      body: form.body,
      form,
      headers: passedHeaders(request.headers, endpointFormat),
      costMembers: costMembersOf(Object.fromEntries(costMemberSpellings.map((name) => [name, fieldOf(form, name)]))),
    };
  }
  const body = await readBody(request, bodyMax, terms);
  return callOfJson(body, request.headers, options, boundsAt(endpointFormat));
}

/** What a body may have at the address of a format. */
export const boundsAt = ({ endpoint }: Pick<ClientFormat, "endpoint">): JsonBounds =>
  endpoint === "embeddings" || endpoint === "completions" ? tokenListBounds : bodyBounds;

/** A call whose body is JSON. Throws `RelayRefused`. */
export function callOfJson(
  body: Buffer,
  headers: IncomingHttpHeaders,
  { namedModel, ...options }: Omit<ReadRequestOptions, "terms">,
  bounds = bodyBounds,
): RelayCall {
  const { formatFor, isEstimateRough, hasChoice, isServed } = options;
  const text = body.toString("utf8");
  const outline = boundedOutline(text, bounds);
  const json = parseJson(text);
  refuseAmbiguous(outline, json);
  if (namedModel !== undefined && isJsonRecord(json))
    return callOfJson(withMembers(body, { model: JSON.stringify(namedModel) }), headers, options, bounds);
  const client = formatFor(json);
  const parsed = client.parseRequest(json, isEstimateRough);
  const model = client.endpoint === "claude_messages" ? modelBehindAlias(parsed.model, isServed) : parsed.model;
  const fallback = fallbackModelsIn(json, client.endpoint, model, isServed);
  const named = model === parsed.model ? body : withMembers(body, { model: JSON.stringify(model) });
  const sent = fallback ? withoutMembers(named, fallback.members) : named;
  const conversation = fallback || hasChoice(model) ? conversationOf(json, headers) : undefined;
  const { upstream } = client;
  const unseen = unseenInputsIn(json);
  const costMembers = costMembersOf(fallback ? parsedObject(sent.toString("utf8")) : json);
  const passed = passedHeaders(headers, client);
  return {
    ...parsed,
    model,
    client,
    upstream,
    body: sent,
    unseen,
    headers: passed,
    conversation,
    costMembers,
    neededTools: findNeededTools(json),
    bodyTags: tagsInBody(json),
    ...(fallback && fallback.names.length > 0 && { fallbackModels: fallback.names }),
  };
}

const headerMax = 1_000;

/** The headers of a client that its format passes on: names and values alternate. */
export function passedHeaders(headers: IncomingHttpHeaders, format: ClientFormat): string[] {
  return format.passedHeaders.flatMap((name) => {
    const value = headers[name];
    return typeof value === "string" && value.length <= headerMax ? [name, value] : [];
  });
}

/**
 * Parsers disagree on a body in which an object has a member twice, or a member in another case besides: what is priced or checked and what
 * the upstream serves could differ.
 */
function refuseAmbiguous(outline: JsonOutline, json: unknown): void {
  if (outlineHasRepetition(outline, json))
    throw badRequest("invalid_text_request", "An object in the body has the same member twice");
  if (!isJsonRecord(json)) return;
  const otherSpelling = otherSpellingIn(json);
  if (otherSpelling === undefined) return;
  if (otherSpelling.toLowerCase() === "model" && Object.hasOwn(json, "model"))
    throw badRequest("invalid_text_request", "The body has the same member twice");
  const message = `${otherSpelling}: differs in case alone from a member that the API has`;
  throw badRequest("invalid_text_request", message, otherSpelling);
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    throw badRequest("invalid_text_request", `The body is not valid JSON: ${(error as Error).message}`);
  }
}
