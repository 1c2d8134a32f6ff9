/** Realtime: a conversation of events over a WebSocket. The address holds the request. */
import type { IncomingMessage } from "node:http";
import { listSubprotocols } from "../admission/socket-handshake.ts";
import { refuseBadRequest } from "../wire/relay-refusal.ts";
import type { ClientFormat, RelayCall } from "./api-format.ts";
import type { PlainRequest } from "./call-parts.ts";
import { openAiErrors } from "./openai-errors.ts";
import { streamOrJson } from "./reply-facts.ts";
import { modelName, objectField, parseBody } from "./request-fields.ts";

/** The first hold of a session, which grows as the session runs. */
const initialPromptTokens = 1_000;
const initialOutputTokens = 1_000;
const initialAudioTokens = 1_000;
const headerMax = 1_000;

const realtimeRequest = objectField({ model: modelName });

function parseRequest(json: unknown): PlainRequest {
  return {
    model: parseBody(realtimeRequest, json, "invalid_text_request").model,
    isStream: true,
    wantsUsage: true,
    streamOptions: {},
    maxOutputTokens: initialOutputTokens,
    choiceCount: 1,
    promptEstimate: initialPromptTokens,
    extras: { output_audio: initialAudioTokens },
  };
}

export const realtime: ClientFormat = {
  endpoint: "realtime",
  parseRequest,
  passedHeaders: ["openai-beta"],
  errorFormat: openAiErrors,
  upstream: {
    endpoint: "realtime",
    writeBody: () => Buffer.alloc(0),
    urlFor(endpointUrl, _call, model) {
      const url = new URL(endpointUrl);
      url.searchParams.set("model", model);
      return url;
    },
    // A session has no whole reply, and its events are not server-sent events.
    replies: streamOrJson,
    readReply: () => undefined,
    createEventReader: () => () => ({ kind: "other", textBytes: 0 }),
    terminator: "",
  },
};

/**
 * Sessions that only transcribe. The provider accepts no model in their address: the session's
 * settings name it, and the gateway sets it there to the model that is charged
 * (realtime-session.ts).
 */
export const realtimeTranscription: ClientFormat = {
  ...realtime,
  upstream: {
    ...realtime.upstream,
    urlFor(endpointUrl) {
      const url = new URL(endpointUrl);
      url.searchParams.set("intent", transcriptionIntent);
      return url;
    },
  },
};

const transcriptionIntent = "transcription";
/** OpenAI's libraries put no model into the address of such a session. */
const defaultTranscriptionModel = "gpt-4o-transcribe";

const betaProtocolPrefix = "openai-beta.";

/** Browsers cannot set headers and use subprotocols instead. Throws `RelayRefused`. */
export function parseRealtimeCall({ url = "", headers }: IncomingMessage): RelayCall {
  const { searchParams } = new URL(url, "http://gateway");
  const intent = searchParams.get("intent");
  const unsupported = searchParams.has("call_id")
    ? "call_id"
    : intent !== null && intent !== transcriptionIntent
      ? "intent"
      : "";
  if (unsupported)
    throw refuseBadRequest(
      "invalid_request_error",
      `${unsupported} is not offered here`,
      unsupported,
    );
  const betaHeader = headers["openai-beta"];
  const betaSubprotocol = listSubprotocols(headers).find((protocol) =>
    protocol.startsWith(betaProtocolPrefix),
  );
  // `openai-beta.realtime-v1` stands for `realtime=v1`.
  const beta =
    typeof betaHeader === "string"
      ? betaHeader
      : betaSubprotocol?.slice(betaProtocolPrefix.length).replace("-", "=");
  const passedHeaders = beta !== undefined && beta.length <= headerMax ? ["openai-beta", beta] : [];
  const model =
    searchParams.get("model") ?? (intent === null ? undefined : defaultTranscriptionModel);
  const client = intent === null ? realtime : realtimeTranscription;
  const { upstream } = client;
  return {
    ...parseRequest({ model }),
    client,
    upstream,
    body: Buffer.alloc(0),
    headers: passedHeaders,
  };
}
