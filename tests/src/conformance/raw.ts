// Each entry as bytes: for what no library shows, such as the exact words of an error.
import { readEvents } from "../world.ts";
import type { Access, TalkEntry } from "./talk.ts";
import { prompt } from "./talk.ts";

/** Entries whose errors are tried, by the names of the grid. */
export type RawEntry = TalkEntry | "Completions" | "Embeddings";

export interface RawReply {
  status: number;
  headers: Headers;
  /** Without events: the whole answer. */
  // biome-ignore lint/suspicious/noExplicitAny: tests look into replies of every shape
  body: any;
  /** As it came. */
  text: string;
  /** The JSON of each event. */
  events: RawReply["body"][];
}

interface Request {
  path: string;
  body: object;
}

const messages = [{ role: "user", content: prompt }];
const requests: Record<RawEntry, (model: string, stream: boolean) => Request> = {
  "Chat Completions": (model, stream) => ({ path: "/v1/chat/completions", body: { model, messages, stream } }),
  Completions: (model, stream) => ({ path: "/v1/completions", body: { model, prompt, stream } }),
  Responses: (model, stream) => ({ path: "/v1/responses", body: { model, input: prompt, stream } }),
  Messages: (model, stream) => ({ path: "/v1/messages", body: { model, messages, stream, max_tokens: 100 } }),
  Gemini: (model, stream) => ({
    path: `/v1beta/models/${model}:${stream ? "streamGenerateContent?alt=sse" : "generateContent"}`,
    body: { contents: [{ role: "user", parts: [{ text: prompt }] }] },
  }),
  Embeddings: (model) => ({ path: "/v1/embeddings", body: { model, input: ["one", "two"] } }),
};

export async function ask(
  access: Access,
  entry: RawEntry,
  model: string,
  isStream: boolean,
  onFirstBytes?: (bytes: Uint8Array) => void,
): Promise<RawReply> {
  const { path, body } = requests[entry](model, isStream);
  return await post(access, path, body, onFirstBytes);
}

/** Whatever a provider may answer, what a caller gets is JSON: an event that is none throws. */
export async function post(
  { url, key }: Access,
  path: string,
  body: object | FormData,
  onFirstBytes: (bytes: Uint8Array) => void = () => undefined,
): Promise<RawReply> {
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
  return { status, headers, text, body: undefined, events: events.map((event) => JSON.parse(event)) };
}

/** The members that an error has in each entry's own shape. */
export interface Told {
  message: string;
  /** `type`, or Google's `status`. */
  type: string;
}

/** Reads an error as the entry's own clients do; anything else in it fails. */
export function errorIn(entry: RawEntry, body: RawReply["body"]): Told {
  const members = Object.keys(body).sort();
  const expected = entry === "Messages" ? ["error", "request_id", "type"] : ["error"];
  if (members.join() !== expected.join()) throw new Error(`an error of ${entry} with ${members.join()}`);
  const { message, type, status, code } = body.error;
  if (entry !== "Gemini") return { message, type };
  if (typeof code !== "number") throw new Error("Google's code is a number");
  return { message, type: status };
}

/** The error inside a stream: the one event that says so, and the last of them. */
export function errorAmong(entry: RawEntry, events: RawReply["events"]): Told {
  const last = events.at(-1);
  const isResponses = entry === "Responses" && last?.type === "error";
  return isResponses ? { message: last.message, type: last.code } : errorIn(entry, last);
}
