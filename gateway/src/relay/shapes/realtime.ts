/** Realtime: a conversation of events over a WebSocket. What is asked for stands in the address. */
import type { IncomingMessage } from "node:http";
import * as z from "zod/mini";
import { badRequest } from "../relay-refusal.ts";
import { modelName } from "./fields.ts";
import { openAiWording } from "./open-ai-wording.ts";
import { readAsked } from "./read-asked.ts";
import type { Asked, Call, Shape } from "./shape.ts";

/** Held at first; a session grows its hold as it runs. */
const promptTokensAtFirst = 1_000;
const answerTokensAtFirst = 1_000;
const soundTokensAtFirst = 1_000;
const headerMax = 1_000;

const request = z.object({ model: modelName });

function read(json: unknown): Asked {
  return {
    model: readAsked(request, json, "invalid_text_request").model,
    isStream: true,
    wantsUsage: true,
    streamOptions: {},
    maxTokens: answerTokensAtFirst,
    answers: 1,
    promptEstimate: promptTokensAtFirst,
    extras: { output_audio: soundTokensAtFirst },
  };
}

export const realtime: Shape = {
  entry: "realtime",
  read,
  passedHeaders: ["openai-beta"],
  bodyFor: () => Buffer.alloc(0),
  address(entry, _call, model) {
    const url = new URL(entry);
    url.searchParams.set("model", model);
    return url;
  },
  // A session has no whole answer, and its events are no server-sent ones.
  answer: () => undefined,
  events: () => () => ({ kind: "other", textBytes: 0 }),
  terminator: "",
  wording: openAiWording,
  probe: () => undefined,
};

/**
 * Sessions that only write down what is said. The provider takes no model in the address of one: it is told in the
 * session's own settings, which say the one that is paid for (realtime-session.ts).
 */
export const realtimeTranscription: Shape = {
  ...realtime,
  address(entry) {
    const url = new URL(entry);
    url.searchParams.set("intent", transcription);
    return url;
  },
};

const transcription = "transcription";
/** OpenAI's libraries name no model in the address of such a session. */
const usualTranscriber = "gpt-4o-transcribe";

const betaProtocol = "openai-beta.";

/** What browsers cannot say in headers their subprotocols say. Throws `Refused`. */
export function realtimeCall({ url = "", headers }: IncomingMessage): Call {
  const { searchParams } = new URL(url, "http://gateway");
  const intent = searchParams.get("intent");
  const other = searchParams.has("call_id") ? "call_id" : intent !== null && intent !== transcription ? "intent" : "";
  if (other) throw badRequest("invalid_request_error", `${other} is not offered here`, other);
  const said = headers["openai-beta"];
  const named = protocolsOf(headers).find((protocol) => protocol.startsWith(betaProtocol));
  // `openai-beta.realtime-v1` stands for `realtime=v1`.
  const beta = typeof said === "string" ? said : named?.slice(betaProtocol.length).replace("-", "=");
  const passed = beta !== undefined && beta.length <= headerMax ? ["openai-beta", beta] : [];
  const model = searchParams.get("model") ?? (intent === null ? undefined : usualTranscriber);
  const shape = intent === null ? realtime : realtimeTranscription;
  return { ...read({ model }), shape, body: Buffer.alloc(0), headers: passed };
}

const keyProtocol = "openai-insecure-api-key.";

/** The API key among the subprotocols, where browsers have to put it. */
export const keyInProtocols = (headers: IncomingMessage["headers"]): string | undefined =>
  protocolsOf(headers)
    .find((protocol) => protocol.startsWith(keyProtocol))
    ?.slice(keyProtocol.length);

const protocolsOf = (headers: IncomingMessage["headers"]): string[] =>
  (headers["sec-websocket-protocol"] ?? "").split(",").map((protocol) => protocol.trim());
