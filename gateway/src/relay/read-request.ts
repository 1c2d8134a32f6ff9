/** Reads a request: the body within limits, and the few fields of it that the gateway acts on. */
import type { IncomingHttpHeaders, IncomingMessage } from "node:http";
import { isJsonRecord } from "@tollgate/contract/api/json-record.ts";
import { largestBodyMax } from "../http/body-memory-budget.ts";
import {
  bodyBounds,
  type JsonBounds,
  type JsonOutline,
  outlineHasRepetition,
  tokenListBounds,
} from "../http/json-outline.ts";
import { findTagsInBody } from "./admission/sent-tags.ts";
import { readModelBehindAlias } from "./formats/agent-aliases.ts";
import type { ClientFormat, RelayCall } from "./formats/api-format.ts";
import { findNeededTools } from "./formats/declared-tools.ts";
import { costMemberSpellings, findCostMembers } from "./formats/hold-size/cost-members.ts";
import { parseFallbackModels } from "./formats/hold-size/fallback-models.ts";
import { parseUnseenInputs } from "./formats/hold-size/unseen-inputs.ts";
import { parseOtherSpelling } from "./formats/member-spellings.ts";
import { type BodyTerms, readBody } from "./read-body.ts";
import { findConversation } from "./routing/session-affinity.ts";
import { findRequestedRun } from "./runs/requested-run.ts";
import { boundOutline } from "./wire/bounded-json.ts";
import { parseObject } from "./wire/json-parts.ts";
import { addMembers, stripMembers, withMember } from "./wire/json-spans.ts";
import { findField, isFormType, readForm } from "./wire/multipart.ts";
import { refuseBadRequest } from "./wire/relay-refusal.ts";

const bodyMax = 32 * 1024 * 1024;

export interface ReadRequestOptions {
  /** Detects the format of a JSON body. */
  formatFor(json: unknown): ClientFormat;
  isEstimateRough: boolean;
  /**
   * `hasChoice` says whether more than one channel or key can serve the model: only then does
   * session affinity matter.
   */
  hasChoice(model: string): boolean;
  /** `isServed` says whether any channel serves a model of exactly this name. */
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
      headers: listPassedHeaders(request.headers, endpointFormat),
      costMembers: findCostMembers(
        Object.fromEntries(costMemberSpellings.map((name) => [name, findField(form, name)])),
      ),
    };
  }
  const body = await readBody(request, bodyMax, terms);
  return callOfJson(body, request.headers, options, buildBounds(endpointFormat));
}

/** `buildBounds` gives the bounds of a body at the address of a format. */
export const buildBounds = ({ endpoint }: Pick<ClientFormat, "endpoint">): JsonBounds =>
  endpoint === "embeddings" || endpoint === "completions" ? tokenListBounds : bodyBounds;

/** A call whose body is JSON. Throws `RelayRefused`. */
export function callOfJson(
  written: Buffer,
  headers: IncomingHttpHeaders,
  { namedModel, ...options }: Omit<ReadRequestOptions, "terms">,
  bounds = bodyBounds,
): RelayCall {
  const { formatFor, isEstimateRough, hasChoice, isServed } = options;
  const body = withoutByteOrderMark(written);
  const text = body.toString("utf8");
  const outline = boundOutline(text, bounds);
  const json = parseJson(text);
  refuseAmbiguous(outline, json);
  if (namedModel !== undefined && isJsonRecord(json))
    return callOfJson(
      addMembers(body, { model: JSON.stringify(namedModel) }),
      headers,
      options,
      bounds,
    );
  const client = formatFor(json);
  const parsed = client.parseRequest(json, isEstimateRough);
  const model =
    client.endpoint === "claude_messages"
      ? readModelBehindAlias(parsed.model, isServed)
      : parsed.model;
  const fallback = parseFallbackModels(json, client.endpoint, model, isServed);
  const named = model === parsed.model ? body : addMembers(body, { model: JSON.stringify(model) });
  const chosen = fallback ? stripMembers(named, fallback.members) : named;
  const sent = (parsed.ownMembers ?? []).reduce(
    (bytes, path) => withMember(bytes, path, undefined),
    chosen,
  );
  const conversation = fallback || hasChoice(model) ? findConversation(json, headers) : undefined;
  const { upstream } = client;
  const unseen = parseUnseenInputs(json);
  const costMembers = findCostMembers(fallback ? parseObject(sent.toString("utf8")) : json);
  const passed = listPassedHeaders(headers, client);
  return {
    ...parsed,
    model,
    client,
    upstream,
    body: sent,
    unseen,
    headers: passed,
    ...(isJsonRecord(json) && { members: new Set(Object.keys(json)) }),
    conversation,
    costMembers,
    neededTools: findNeededTools(json),
    bodyTags: findTagsInBody(json),
    run: findRequestedRun(headers, json),
    ...(fallback && fallback.names.length > 0 && { fallbackModels: fallback.names }),
  };
}

const headerMax = 1_000;

/** The headers of a client that its format passes on: names and values alternate. */
export function listPassedHeaders(headers: IncomingHttpHeaders, format: ClientFormat): string[] {
  return format.passedHeaders.flatMap((name) => {
    const value = headers[name];
    const isSaid = typeof value === "string" && value.trim() !== "";
    return isSaid && value.length <= headerMax ? [name, value] : [];
  });
}

/**
 * Parsers disagree on a body in which an object has a member twice, or a member in another case
 * besides: what is priced or checked and what the upstream serves could differ.
 */
function refuseAmbiguous(outline: JsonOutline, json: unknown): void {
  if (outlineHasRepetition(outline, json))
    throw refuseBadRequest(
      "invalid_text_request",
      "An object in the body has the same member twice",
    );
  if (!isJsonRecord(json)) return;
  const otherSpelling = parseOtherSpelling(json);
  if (otherSpelling === undefined) return;
  if (otherSpelling.toLowerCase() === "model" && Object.hasOwn(json, "model"))
    throw refuseBadRequest("invalid_text_request", "The body has the same member twice");
  const message = `${otherSpelling}: differs in case alone from a member that the API has`;
  throw refuseBadRequest("invalid_text_request", message, otherSpelling);
}

const byteOrderMark = Buffer.from("\uFEFF");

/** Programs for Windows write such a mark in front, which says nothing and no parser reads. */
const withoutByteOrderMark = (body: Buffer): Buffer =>
  body.subarray(0, byteOrderMark.length).equals(byteOrderMark)
    ? body.subarray(byteOrderMark.length)
    : body;

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    throw refuseBadRequest(
      "invalid_text_request",
      `The body is not valid JSON: ${(error as Error).message}`,
    );
  }
}
