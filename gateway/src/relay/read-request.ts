/** Reads a request: the body within limits, and the few fields of it that the gateway acts on. */
import type { IncomingHttpHeaders, IncomingMessage } from "node:http";
import { isJsonRecord } from "@tollgate/contract/json-record.ts";
import type { ReserveBytes } from "../http/body-memory-budget.ts";
import { relayBodyPace, watchBody } from "../http/body-timeout.ts";
import { bodyBounds, type JsonBounds, type JsonOutline, outlineHasRepetition, tokenListBounds } from "../http/json-outline.ts";
import { tagsInBody } from "./admission/sent-tags.ts";
import { modelBehindAlias } from "./formats/agent-aliases.ts";
import type { ClientFormat, RelayCall } from "./formats/api-format.ts";
import { costMemberSpellings, costMembersOf } from "./formats/cost-members.ts";
import { findNeededTools } from "./formats/declared-tools.ts";
import { fallbackModelsIn } from "./formats/fallback-models.ts";
import { otherSpellingIn } from "./formats/member-spellings.ts";
import { unseenInputsIn } from "./formats/unseen-inputs.ts";
import { conversationOf } from "./routing/session-affinity.ts";
import { boundedOutline } from "./wire/bounded-json.ts";
import { parsedObject } from "./wire/json-parts.ts";
import { withMembers, withoutMembers } from "./wire/json-spans.ts";
import { fieldOf, isFormType, readForm } from "./wire/multipart.ts";
import { badRequest, bodyTooSlow, overloaded, RelayRefused } from "./wire/relay-refusal.ts";

const bodyMax = 32 * 1024 * 1024;
/** Audio files, and images to edit. */
const formMax = 50 * 1024 * 1024;

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
  reserve: ReserveBytes;
}

/** `endpointFormat` is the format of the address. */
export async function readRequest(
  request: IncomingMessage,
  endpointFormat: ClientFormat,
  { reserve, ...options }: ReadRequestOptions,
): Promise<RelayCall> {
  const contentType = request.headers["content-type"] ?? "";
  if (endpointFormat.parseForm && isFormType(contentType)) {
    const form = readForm(contentType, await readBody(request, formMax, reserve));
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
  const body = await readBody(request, bodyMax, reserve);
  return callOfJson(body, request.headers, options, boundsAt(endpointFormat));
}

/** What a body may have at the address of a format. */
export const boundsAt = ({ endpoint }: Pick<ClientFormat, "endpoint">): JsonBounds =>
  endpoint === "embeddings" || endpoint === "completions" ? tokenListBounds : bodyBounds;

/** A call whose body is JSON. Throws `RelayRefused`. */
export function callOfJson(
  body: Buffer,
  headers: IncomingHttpHeaders,
  { namedModel, ...options }: Omit<ReadRequestOptions, "reserve">,
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

const tooLarge = (max: number): RelayRefused =>
  new RelayRefused({
    status: 413,
    type: "invalid_request_error",
    code: "request_too_large",
    message: `The body is larger than ${max / 1024 / 1024} MiB`,
    // The rest is not read: a client that never stops sending would keep the connection forever.
    closesConnection: true,
  });

/**
 * Refuses before it buffers: a body that announces too much is not read, one that exceeds its announcement is cut off.
 * A body for which there is no memory is refused as early.
 */
export function readBody(request: IncomingMessage, max: number, takeRoom: ReserveBytes): Promise<Buffer> {
  const announced = Number(request.headers["content-length"] ?? 0);
  if (announced > max) return Promise.reject(tooLarge(max));
  if (request.headers["content-encoding"] && request.headers["content-encoding"] !== "identity") {
    const message = "Compressed bodies are not accepted; send plain bytes";
    return Promise.reject(
      new RelayRefused({ status: 415, type: "invalid_request_error", code: "unsupported_encoding", message }),
    );
  }
  return new Promise((resolve, reject) => {
    let chunks: Buffer[] = [];
    let size = 0;
    let hasEnded = false;
    const rejectCutOff = (): void => {
      if (!hasEnded) reject(badRequest("invalid_text_request", "The body ended too early"));
    };
    // A client that disconnected during authentication emits no further events.
    if (request.destroyed) return rejectCutOff();
    if (!takeRoom(announced)) return reject(new RelayRefused(overloaded));
    const stop = (refused: RelayRefused): void => {
      request.removeAllListeners("data");
      request.pause();
      reject(refused);
    };
    watchBody(request, relayBodyPace, () => reject(bodyTooSlow()));
    request.on("data", (chunk: Buffer) => {
      size += chunk.length;
      if (size > max) stop(tooLarge(max));
      else if (size > announced && !takeRoom(chunk.length)) stop(new RelayRefused(overloaded));
      else chunks.push(chunk);
    });
    request.on("end", () => {
      hasEnded = true;
      const [only] = chunks;
      resolve(chunks.length === 1 && only ? only : Buffer.concat(chunks, size));
      // The request and its listeners live as long as the answer: a second copy of the body with them.
      chunks = [];
    });
    request.on("error", rejectCutOff);
    request.on("close", rejectCutOff);
  });
}
