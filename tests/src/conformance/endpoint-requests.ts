// Each interface as bytes: for what no library shows, such as the exact text of an error.
import { readEvents } from "../harness/test-gateway.ts";
import type { ConversationEndpoint, GatewayAccess } from "./conversation-scenario.ts";
import { prompt } from "./conversation-scenario.ts";

/** Entries whose errors are tried, by the names of the grid. */
export type RawEndpoint = ConversationEndpoint | "Completions" | "Embeddings";

export interface RawClientReply {
  status: number;
  headers: Headers;
  /** Without events: the whole answer. */
  // biome-ignore lint/suspicious/noExplicitAny: tests read replies of every structure
  body: any;
  /** `text` is as it came. */
  text: string;
  /** The JSON of each event. */
  events: RawClientReply["body"][];
}

interface RawClientRequest {
  path: string;
  body: object;
}

const messages = [{ role: "user", content: prompt }];
const requests: Record<RawEndpoint, (model: string, stream: boolean) => RawClientRequest> = {
  "Chat Completions": (model, stream) => ({
    path: "/v1/chat/completions",
    body: { model, messages, stream },
  }),
  Completions: (model, stream) => ({ path: "/v1/completions", body: { model, prompt, stream } }),
  Responses: (model, stream) => ({ path: "/v1/responses", body: { model, input: prompt, stream } }),
  Messages: (model, stream) => ({
    path: "/v1/messages",
    body: { model, messages, stream, max_tokens: 100 },
  }),
  Gemini: (model, stream) => ({
    path: `/v1beta/models/${model}:${stream ? "streamGenerateContent?alt=sse" : "generateContent"}`,
    body: { contents: [{ role: "user", parts: [{ text: prompt }] }] },
  }),
  Embeddings: (model) => ({ path: "/v1/embeddings", body: { model, input: ["one", "two"] } }),
};

export async function sendRaw(
  access: GatewayAccess,
  endpoint: RawEndpoint,
  model: string,
  isStream: boolean,
  onFirstBytes?: (bytes: Uint8Array) => void,
): Promise<RawClientReply> {
  const { path, body } = requests[endpoint](model, isStream);
  return await postRaw(access, path, body, onFirstBytes);
}

/** Whatever a provider may answer, what a client gets is JSON: an event that is none throws. */
export async function postRaw(
  { url, key }: GatewayAccess,
  path: string,
  body: object | FormData,
  onFirstBytes: (bytes: Uint8Array) => void = () => undefined,
): Promise<RawClientReply> {
  const response = await fetch(url + path, {
    method: "POST",
    headers: {
      authorization: `Bearer ${key}`,
      ...(body instanceof FormData ? {} : { "content-type": "application/json" }),
    },
    body: body instanceof FormData ? body : JSON.stringify(body),
  });
  const chunks: Uint8Array[] = [];
  for await (const chunk of response.body ?? []) {
    if (chunks.push(chunk) === 1) onFirstBytes(chunk);
  }
  const text = Buffer.concat(chunks).toString();
  const { status, headers } = response;
  if (!headers.get("content-type")?.startsWith("text/event-stream")) {
    return { status, headers, text, body: JSON.parse(text), events: [] };
  }
  const events = readEvents(text).events.filter((event) => event !== "[DONE]");
  return {
    status,
    headers,
    text,
    body: undefined,
    events: events.map((event) => JSON.parse(event)),
  };
}

/** The members that an error has in each interface's own format. */
export interface ReportedError {
  message: string;
  /** `type`, or Google's `status`. */
  type: string;
}

/** Reads an error as the entry's own clients do; anything else in it fails. */
export function errorIn(endpoint: RawEndpoint, body: RawClientReply["body"]): ReportedError {
  const members = Object.keys(body).sort();
  const expected = endpoint === "Messages" ? ["error", "request_id", "type"] : ["error"];
  if (members.join() !== expected.join())
    throw new Error(`an error of ${endpoint} with ${members.join()}`);
  const { message, type, status, code } = body.error;
  if (endpoint !== "Gemini") return { message, type };
  if (typeof code !== "number") throw new Error("Google's code is a number");
  return { message, type: status };
}

/**
 * The error inside a stream: the only error event, and the last of all events but for
 * `response.failed` of Responses.
 */
export function errorAmong(endpoint: RawEndpoint, events: RawClientReply["events"]): ReportedError {
  const last = events.findLast(({ type }) => type !== "response.failed");
  const isResponses = endpoint === "Responses" && last?.type === "error";
  return isResponses ? { message: last.message, type: last.code } : errorIn(endpoint, last);
}
