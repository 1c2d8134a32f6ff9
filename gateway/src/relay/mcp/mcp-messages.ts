/**
 * A message to an MCP server over HTTP, and the messages of its answer. Every answer is untrusted.
 */
import type { Dispatcher } from "undici";
import { EgressBlocked, type Exit } from "../../egress/egress.ts";
import { isNestedDeeperThan, jsonDepthMax } from "../../http/json-outline.ts";
import type { RpcError, RpcId } from "../../http/json-rpc.ts";
import { readErrorReason } from "../upstream/forward.ts";
import { isRecord, type JsonRecord, text } from "../wire/json-parts.ts";
import { findEventData, SseSplitter } from "../wire/sse-splitter.ts";
import { McpFailure } from "./mcp-failure.ts";

/**
 * Results hold pictures and documents; the gateway reads each whole, to know whether the call
 * succeeded.
 */
const answerBytesMax = 16 * 1024 * 1024;
const errorBytesMax = 64 * 1024;
const messageMax = 2_000;

export interface McpAddress {
  url: URL;
  headers: Readonly<Record<string, string>>;
}

export interface McpAnswer {
  status: number;
  headers: Dispatcher.ResponseData["headers"];
  /** `messages` are in order; ends with the answer's body. Rejects with `McpFailure`. */
  messages: AsyncIterable<JsonRecord>;
  /** Reads no more of it. */
  abandon(): void;
}

/**
 * Rejects with `McpFailure`, also for an HTTP error. `signal` must end at some time: nothing else
 * bounds the request.
 */
export async function postMessage(
  exit: Exit,
  { url, headers }: McpAddress,
  message: unknown,
  added: Readonly<Record<string, string>>,
  signal: AbortSignal,
): Promise<McpAnswer> {
  let response: Dispatcher.ResponseData;
  try {
    response = await exit.pool(url).request({
      origin: url.origin,
      path: url.pathname + url.search,
      method: "POST",
      headers: {
        "user-agent": "Tollgate",
        ...headers,
        accept: "application/json, text/event-stream",
        "content-type": "application/json",
        ...added,
      },
      body: JSON.stringify(message),
      signal,
      // The signal alone decides how long a tool may be silent.
      headersTimeout: 0,
      bodyTimeout: 0,
    });
  } catch (error) {
    throw classifyFailure(error);
  }
  const { statusCode: status, body } = response;
  const abandon = (): void => void body.on("error", () => undefined).destroy();
  if (status < 200 || status > 299) throw await readRefusal(response);
  const type = String(response.headers["content-type"] ?? "");
  if (status === 202 || status === 204) abandon();
  const messages = type.startsWith("text/event-stream")
    ? formatEventMessages(body)
    : formatJsonMessage(body, type, status);
  return { status, headers: response.headers, messages, abandon };
}

function classifyFailure(error: unknown): McpFailure {
  if (error instanceof McpFailure) return error;
  if (error instanceof EgressBlocked) return new McpFailure("blocked", error.message);
  const reason = readErrorReason(error as Error);
  const isSilence = (error as Error).name === "TimeoutError" || /TIMEOUT/.test(reason);
  return new McpFailure(isSilence ? "silent" : "unreachable", reason);
}

async function readRefusal({ statusCode, body }: Dispatcher.ResponseData): Promise<McpFailure> {
  const json = await readAll(body, errorBytesMax).then(parseReply, () => undefined);
  const error = isRecord(json) ? findRpcError(json) : undefined;
  const detail = error ? `status ${statusCode}: ${error.message}` : `status ${statusCode}`;
  return new McpFailure("refused", detail, statusCode, error);
}

async function* formatJsonMessage(
  body: Dispatcher.ResponseData["body"],
  type: string,
  status: number,
) {
  if (status === 202 || status === 204) return;
  if (!type.startsWith("application/json")) {
    body.on("error", () => undefined).destroy();
    throw new McpFailure("bad_answer", "the answer is neither JSON nor server-sent events", status);
  }
  const json = parseReply(await readAll(body, answerBytesMax));
  if (!isRecord(json)) throw new McpFailure("bad_answer", "the answer is no message", status);
  yield json;
}

async function* formatEventMessages(body: AsyncIterable<Buffer>) {
  const splitter = new SseSplitter(answerBytesMax);
  let received = 0;
  try {
    for await (const chunk of body) {
      received += chunk.length;
      if (received > answerBytesMax) throw buildTooLarge();
      yield* buildMessages(splitter.push(chunk));
    }
    yield* buildMessages(splitter.end());
  } catch (error) {
    throw classifyFailure(error);
  }
}

function* buildMessages({ bytes, ends }: { bytes: Buffer; ends: readonly number[] }) {
  let start = 0;
  for (const end of ends) {
    const data = findEventData(bytes.toString("utf8", start, end));
    start = end;
    // An event without data only keeps the connection alive.
    if (data === undefined || data === "") continue;
    const json = parseReply(data);
    if (!isRecord(json)) throw new McpFailure("bad_answer", "an event is no message");
    yield json;
  }
}

async function readAll(body: AsyncIterable<Buffer>, bytesMax: number): Promise<string> {
  const chunks: Buffer[] = [];
  let received = 0;
  try {
    for await (const chunk of body) {
      received += chunk.length;
      if (received > bytesMax) throw buildTooLarge();
      chunks.push(chunk);
    }
  } catch (error) {
    throw classifyFailure(error);
  }
  return Buffer.concat(chunks).toString("utf8");
}

const buildTooLarge = () =>
  new McpFailure("too_large", `the answer is larger than ${answerBytesMax} bytes`);

/** Undefined for what is no JSON, and for what only a stack without end could read. */
function parseReply(json: string): unknown {
  if (isNestedDeeperThan(json, jsonDepthMax)) return undefined;
  try {
    return JSON.parse(json);
  } catch {
    return undefined;
  }
}

export type McpReply = { result: JsonRecord } | { error: RpcError };

/**
 * The reply to `id`. Whatever else comes before it goes to `onNotification`, if it is one. Rejects
 * with `McpFailure`.
 */
export async function awaitReply(
  id: RpcId,
  { messages, abandon }: McpAnswer,
  onNotification: (method: string, params: JsonRecord) => Promise<void> | void = () => undefined,
): Promise<McpReply> {
  try {
    for await (const message of messages) {
      if (message.id === id && message.method === undefined) {
        const error = findRpcError(message);
        if (error) return { error };
        if (isRecord(message.result)) return { result: message.result };
        throw new McpFailure("bad_answer", "the reply has neither result nor error");
      }
      if (typeof message.method === "string" && message.id === undefined)
        await onNotification(message.method, isRecord(message.params) ? message.params : {});
    }
    throw new McpFailure("bad_answer", "the answer ended without the reply");
  } finally {
    abandon();
  }
}

function findRpcError({ error }: JsonRecord): RpcError | undefined {
  if (!isRecord(error) || !Number.isSafeInteger(error.code)) return undefined;
  const { code, data } = error;
  return {
    code: code as number,
    message: text(error.message).slice(0, messageMax),
    ...(data !== undefined && { data }),
  };
}
