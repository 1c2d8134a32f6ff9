/** What is asked for: the body, read within limits, and the few fields of it that the gateway acts on. */
import type { IncomingMessage } from "node:http";
import type { ReserveBytes } from "../http/body-memory-budget.ts";
import { relayBodyPace, watchBody } from "../http/body-timeout.ts";
import type { ClientFormat, RelayCall } from "./formats/api-format.ts";
import { conversationOf } from "./routing/session-affinity.ts";
import { isNestedDeeperThan, topLevelSpans } from "./wire/json-spans.ts";
import { isFormType, readForm } from "./wire/multipart.ts";
import { badRequest, overloaded, RelayRefused } from "./wire/relay-refusal.ts";

const bodyMax = 32 * 1024 * 1024;
/** Recordings and pictures to work on. */
const formMax = 50 * 1024 * 1024;
/** Deeper than anything a provider takes; walking further would only serve to exhaust somebody's stack. */
const depthMax = 100;

export interface ReadRequestOptions {
  /** Looks at a JSON body and says what it is to be read as. */
  formatFor(json: unknown): ClientFormat;
  isEstimateRough: boolean;
  /** Whether more than one channel and key could answer: only then does it matter which conversation goes on. */
  hasChoice(model: string): boolean;
  reserve: ReserveBytes;
}

/** `entered` is what the address stands for. */
export async function readRequest(
  request: IncomingMessage,
  endpointFormat: ClientFormat,
  { formatFor, isEstimateRough, hasChoice, reserve }: ReadRequestOptions,
): Promise<RelayCall> {
  const contentType = request.headers["content-type"] ?? "";
  if (endpointFormat.parseForm && isFormType(contentType)) {
    const form = readForm(contentType, await readBody(request, formMax, reserve));
    const parsed = endpointFormat.parseForm(form, isEstimateRough);
    return {
      ...parsed,
      client: endpointFormat,
      upstream: endpointFormat.upstream,
      body: form.body,
      form,
      headers: passedHeaders(request, endpointFormat),
    };
  }
  const body = await readBody(request, bodyMax, reserve);
  const text = body.toString("utf8");
  const json = parseJson(text);
  refuseAmbiguous(body, text, json);
  if (isNestedDeeperThan(body, depthMax)) throw tooDeep();
  const client = formatFor(json);
  const parsed = client.parseRequest(json, isEstimateRough);
  const conversation = hasChoice(parsed.model) ? conversationOf(json, request.headers) : undefined;
  const { upstream } = client;
  return { ...parsed, client, upstream, body, headers: passedHeaders(request, client), conversation };
}

const headerMax = 1_000;

function passedHeaders({ headers }: IncomingMessage, format: ClientFormat): string[] {
  return format.passedHeaders.flatMap((name) => {
    const value = headers[name];
    return typeof value === "string" && value.length <= headerMax ? [name, value] : [];
  });
}

/**
 * A body that says `model` twice, or in capitals besides, is read differently by different parsers: what we price and
 * what the upstream serves would not be the same. The bytes are only walked when the text gives a reason to.
 */
function refuseAmbiguous(body: Buffer, text: string, json: unknown): void {
  if (typeof json !== "object" || json === null || Array.isArray(json)) return;
  const names = Object.keys(json);
  const isUnambiguous = text.indexOf('"model"') === text.lastIndexOf('"model"') && !text.includes("\\u");
  const all = isUnambiguous ? names : topLevelSpans(body).map(({ key }) => key);
  const isRepeated = all.length > names.length || all.filter((name) => name.toLowerCase() === "model").length > 1;
  if (isRepeated) throw badRequest("invalid_text_request", "The body has the same member twice");
}

const tooDeep = (): RelayRefused =>
  badRequest("invalid_text_request", `The body is nested deeper than ${depthMax} levels`);

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
    // The rest of it is not read: whoever sends without end would keep the connection for ever.
    closesConnection: true,
  });

const tooSlow = (): RelayRefused =>
  new RelayRefused({
    status: 408,
    type: "invalid_request_error",
    code: "request_too_slow",
    message: "The body comes too slowly",
    closesConnection: true,
  });

/**
 * Refuses before it buffers: a length that is announced is not read, one that lies is cut off. A body for which there is no
 * room is refused as early.
 */
function readBody(request: IncomingMessage, max: number, takeRoom: ReserveBytes): Promise<Buffer> {
  const announced = Number(request.headers["content-length"] ?? 0);
  if (announced > max) return Promise.reject(tooLarge(max));
  if (request.headers["content-encoding"] && request.headers["content-encoding"] !== "identity") {
    const message = "Compressed bodies are not accepted; send plain bytes";
    return Promise.reject(
      new RelayRefused({ status: 415, type: "invalid_request_error", code: "unsupported_encoding", message }),
    );
  }
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    let size = 0;
    let hasEnded = false;
    const rejectCutOff = (): void => {
      if (!hasEnded) reject(badRequest("invalid_text_request", "The body ended too early"));
    };
    // A caller who broke off while we looked up the key has no events left to tell us.
    if (request.destroyed) return rejectCutOff();
    if (!takeRoom(announced)) return reject(new RelayRefused(overloaded));
    const stop = (refused: RelayRefused): void => {
      request.removeAllListeners("data");
      request.pause();
      reject(refused);
    };
    watchBody(request, relayBodyPace, () => reject(tooSlow()));
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
    });
    request.on("error", rejectCutOff);
    request.on("close", rejectCutOff);
  });
}
