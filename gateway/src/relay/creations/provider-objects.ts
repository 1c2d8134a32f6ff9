/**
 * Requests about objects that a provider keeps beside one of its APIs, such as files beside
 * Responses. They name no model, so they go to a channel that was chosen before.
 */
import type { Readable } from "node:stream";
import type { ClientFormat } from "../formats/api-format.ts";
import { responses } from "../formats/responses.ts";
import type { ObjectHome } from "../provider-states/provider-states.ts";
import type { SendableCall } from "../providers/upstream-request.ts";
import type { ServedModels } from "../routing/channel-parts.ts";
import { namesOf } from "../routing/listed-models.ts";
import type { AbortableCall, AnswerBody } from "../upstream/answer-parts.ts";
import { type SendDeps, type SendResult, send } from "../upstream/send.ts";
import type { UpstreamError } from "../upstream/upstream-error.ts";
import { isRecord, type JsonRecord } from "../wire/json-parts.ts";
import { RelayRefused } from "../wire/relay-refusal.ts";

/** The API of a provider beside which it keeps objects. */
export interface ObjectApi {
  format: ClientFormat;
  /** The end of its usual address, in whose place a path of objects stands. */
  address: RegExp;
  /** A request without content, with which the format is asked how it speaks. */
  request: JsonRecord;
}

export const besideResponses: ObjectApi = {
  format: responses,
  address: /\/responses$/,
  request: {},
};

export interface ObjectRequest {
  method: "GET" | "POST" | "DELETE" | "PATCH";
  api?: ObjectApi;
  /** Beside the address of the API: `files/file-1`. */
  path: string;
  /** The headers of the client, which the API's format passes on: names and values alternate. */
  headers?: readonly string[];
  query?: URLSearchParams;
  json?: Buffer;
  /** A multipart form that is written while it is sent. */
  form?: { boundary: string; body: Readable };
  /** Bytes of the client that are passed on while they arrive. */
  stream?: Readable;
}

const noBytes = Buffer.alloc(0);

/**
 * A model of the channel whose API has the usual address; undefined where objects cannot be kept.
 */
export function findModelWithObjects(
  channel: ServedModels,
  { format, address } = besideResponses,
): string | undefined {
  const upstreamNames = namesOf(channel).map((model) => channel.modelMapping.get(model) ?? model);
  return upstreamNames.find((model) =>
    address.test(channel.urlsFor(model)[format.upstream.endpoint]?.pathname ?? ""),
  );
}

/** `channel` must be one of which `findModelWithObjects` names a model. */
export function sendObjectRequest(
  deps: SendDeps,
  { channel, key }: ObjectHome,
  request: ObjectRequest,
  onAbortable: (call: AbortableCall) => void,
): Promise<SendResult> {
  const model = findModelWithObjects(channel, request.api) ?? "";
  return send(
    deps,
    buildObjectCall(model, request),
    { ...channel, key: key.key, keyIndex: key.index },
    model,
    onAbortable,
  );
}

function buildObjectCall(model: string, request: ObjectRequest): SendableCall {
  const {
    method,
    api = besideResponses,
    path,
    query,
    headers = [],
    json = noBytes,
    form,
  } = request;
  const stream = form?.body ?? request.stream;
  const { format } = api;
  return {
    ...format.parseRequest({ ...api.request, model }, true),
    client: format,
    upstream: {
      ...format.upstream,
      ...(method === "POST" ? { isSentOnce: true } : { method }),
      ...(stream && { openBody: () => stream }),
      replies: { accept: () => "*/*" },
      writeBody: () => json,
      urlFor(endpointUrl) {
        const url = new URL(endpointUrl);
        url.pathname = url.pathname.replace(api.address, `/${path}`);
        for (const [name, value] of query ?? []) url.searchParams.append(name, value);
        return url;
      },
    },
    body: json,
    headers,
    ...(form && { form: { body: noBytes, boundary: form.boundary, parts: [] } }),
  };
}

/** The object in a provider's answer. Throws `RelayRefused` for anything else. */
export async function readObject(answer: AnswerBody, bytesMax: number): Promise<JsonRecord> {
  const json = await readAnswerObject(answer, bytesMax);
  if (json) return json;
  throw buildBadAnswer(notWhole);
}

/**
 * `readAskedObject` gives what was asked of an account, and came to: `unusable` for an answer that
 * is no object, or has no id of a `noun`.
 */
export async function readAskedObject(
  sent: SendResult,
  bytesMax: number,
  noun: string,
  hasId = ({ id }: JsonRecord): boolean => isObjectId(id),
): Promise<{ made: JsonRecord } | { error: UpstreamError } | { unusable: string }> {
  if ("error" in sent) return sent;
  const made = await readAnswerObject(sent.answer, bytesMax);
  if (!made) return { unusable: notWhole };
  return hasId(made) ? { made } : { unusable: `The provider's answer has no id of a ${noun}` };
}

export const objectId = /^[\w-]{1,256}$/;
const isObjectId = (id: unknown): boolean => typeof id === "string" && objectId.test(id);

const notWhole = "The provider's answer is not whole";

async function readAnswerObject(
  answer: AnswerBody,
  bytesMax: number,
): Promise<JsonRecord | undefined> {
  const body = await answer.readAll(bytesMax).catch(() => noBytes);
  try {
    const json: unknown = JSON.parse(body.toString("utf8"));
    return isRecord(json) ? json : undefined;
  } catch {
    return undefined;
  }
}

export const buildBadAnswer = (message: string): RelayRefused =>
  new RelayRefused({ status: 502, type: "upstream_error", code: "bad_response_body", message });
