// A scriptable provider: one HTTP server in which every API key has its own behaviour.

import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { answerMessageBatch } from "./anthropic-batches-wire.ts";
import { type CallLog, createCallLog, type ReceivedCall, type SimulatorStats } from "./call-log.ts";
import { handleControl, type SimulatorDeps } from "./control-api.ts";
import { costReportReply } from "./cost-report-wire.ts";
import {
  closeConnection,
  closedBySimulator,
  pause,
  type ReplyDelivery,
  sendFailure,
  sendJson,
  sendStream,
  sendWebPage,
  waitMs,
} from "./delivery.ts";
import { answerCache } from "./gemini-caches-wire.ts";
import { answerGeminiFile } from "./gemini-files-wire.ts";
import { createFileShelves, type FileShelves } from "./key-shelf.ts";
import { answerBatch } from "./openai-batches-wire.ts";
import { answerFile } from "./openai-files-wire.ts";
import { answerMedia } from "./openai-media-wire.ts";
import { answerObject } from "./openai-objects-wire.ts";
import { answerVideo } from "./openai-videos-wire.ts";
import { parseJson, readBody } from "./request-body.ts";
import { readScript, UnknownDirective } from "./script.ts";
import type { ScriptedFailure } from "./scripted-behaviour.ts";
import { createScriptedKeys } from "./scripted-keys.ts";
import { fnv1a, generateAnswer } from "./simulated-answer.ts";
import { type Operation, routeOf } from "./simulator-routes.ts";
import { InvalidRequestError, type WireFormat } from "./wire-format.ts";

const defaultModels = [
  "gpt-4o",
  "gpt-4o-mini",
  "gpt-4.1",
  "gpt-5",
  "gpt-5-mini",
  "o4-mini",
  "sim-small",
  "sim-large",
];

export type SimulatorOptions = { port?: number; host?: string };

export type Simulator = {
  url: string;
  port: number;
  close(): Promise<void>;
  /**
   * Sets the behaviour of a key, as JSON or as the text of a key without `sim-`, and resets its
   * call count.
   */
  script(key: string, script: unknown): void;
  calls(): ReceivedCall[];
  clearCalls(): void;
  stats(): SimulatorStats;
  /** Forgets every script, call and kept object. */
  reset(): void;
};

export async function startSimulator({
  port = 0,
  host = "127.0.0.1",
}: SimulatorOptions = {}): Promise<Simulator> {
  let state = createState();
  const reset = () => {
    state = createState();
  };
  const server = createServer({ keepAliveTimeout: 65_000 }, (request, response) => {
    receive(request, response, { ...state, reset }).catch((cause: unknown) => {
      // Disconnects are expected; any other error is a bug of the simulator and must be visible.
      if (!response.destroyed && !request.errored) console.error(cause);
      response.destroy();
    });
  });
  await new Promise<void>((resolve, reject) =>
    server.once("error", reject).listen(port, host, resolve),
  );
  const address = server.address() as AddressInfo;

  return {
    url: `http://${host}:${address.port}`,
    port: address.port,
    close() {
      const closed = new Promise<void>((resolve) => server.close(() => resolve()));
      server.closeAllConnections();
      return closed;
    },
    script: (key, script) => state.keys.set(key, readScript(script)),
    calls: () => state.callLog.list(),
    clearCalls: () => state.callLog.clear(),
    stats: () => ({ ...state.callLog.stats }),
    reset,
  };
}

/**
 * A call keeps the state with which it began, so that one that is still open at a reset counts
 * nowhere afterwards.
 */
const createState = () => ({
  callLog: createCallLog(),
  keys: createScriptedKeys(),
  shelves: createFileShelves(),
});

type ReceiverDeps = SimulatorDeps & { shelves: FileShelves };

async function receive(
  request: IncomingMessage,
  response: ServerResponse,
  deps: ReceiverDeps,
): Promise<void> {
  const method = request.method ?? "GET";
  const url = new URL(request.url ?? "/", "http://simulator");
  if (url.pathname === "/sim" || url.pathname.startsWith("/sim/"))
    return handleControl(request, response, url, deps);

  const { callLog, keys, shelves } = deps;
  const call = callLog.begin({ method, path: url.pathname + url.search, headers: request.headers });
  response.once("close", () =>
    callLog.end(call, !response.writableFinished && !closedBySimulator.has(response)),
  );
  const body = await readBody(request);
  callLog.enter(call, body ?? Buffer.alloc(0));

  const { wire, operation } = routeOf(method, url.pathname);
  const key = wire.keyOf(request.headers);
  const refuse = (failure: ScriptedFailure) =>
    sendFailure({ response, call }, failure, wire.failure(failure, key ?? ""));
  if (!operation)
    return refuse({
      status: 404,
      message: `Invalid URL (${method} ${url.pathname})`,
      code: "unknown_url",
    });
  if (!body) return refuse({ status: 413, message: "The request is too large." });
  if (!key)
    return refuse({
      status: 401,
      message: "You didn't provide an API key.",
      code: "invalid_api_key",
    });

  const behaviour = keys.use(key, call);
  if (behaviour instanceof UnknownDirective)
    return refuse({ status: 401, message: behaviour.message });
  if (!behaviour) return refuse({ status: 401 });
  await respondTo({ response, call, behaviour }, { wire, operation, key, body, callLog, shelves });
}

type RoutedRequest = {
  wire: WireFormat;
  operation: Operation;
  key: string;
  body: Buffer;
  callLog: CallLog;
  shelves: FileShelves;
};

async function respondTo(
  delivery: ReplyDelivery,
  { wire, operation, key, body, callLog, shelves }: RoutedRequest,
): Promise<void> {
  const { response, call, behaviour } = delivery;
  const refuse = (failure: ScriptedFailure) =>
    sendFailure(delivery, failure, wire.failure(failure, key));

  if (behaviour.hang) return;
  const wait = waitMs(behaviour, call.keyCall);
  if (wait > 0) await pause(wait);
  if (response.destroyed) return;
  if (behaviour.drop) return closeConnection(response, "cut");
  if (behaviour.fail) return refuse(behaviour.fail);
  if (behaviour.html) return sendWebPage(delivery);
  if (behaviour.spentSeconds !== undefined) {
    response.setHeader("x-ratelimit-remaining-requests", 0);
    response.setHeader("x-ratelimit-reset-requests", `${behaviour.spentSeconds}s`);
  }

  const createdSeconds = Math.floor(call.receivedAt / 1000);
  if (operation === "models") {
    const listed = wire.models(behaviour.models ?? defaultModels, createdSeconds, behaviour.ends);
    return sendJson(delivery, listed);
  }

  if (operation === "costs")
    return sendJson(delivery, costReportReply(call.path, behaviour.costs ?? []));

  if (operation === "files") return answerFile(delivery, shelves.of(key), key, body);
  if (operation === "caches") return answerCache(delivery, shelves.of(key), key, body);
  if (operation === "gemini files") return answerGeminiFile(delivery, shelves.of(key), key, body);
  if (operation === "objects") return answerObject(delivery, shelves.of(key), key, body);
  if (operation === "videos") return answerVideo(delivery, shelves.of(key), key, body);
  if (operation === "message batches")
    return answerMessageBatch(delivery, shelves.of(key), key, body);
  if (operation === "batches") return answerBatch(delivery, shelves.of(key), key, body);

  try {
    if (operation !== "chat") {
      // A stream is counted before its first byte.
      return await answerMedia(delivery, operation, body, () => {
        callLog.stats.openStreams += 1;
      });
    }
    const chatRequest = wire.readRequest(parseJson(body), call.path);
    const { model } = chatRequest;
    if (behaviour.models && !behaviour.models.includes(model)) return refuse({ status: 404 });
    if (behaviour.errorAfter !== undefined && !chatRequest.stream) return refuse({ status: 500 });

    const reply = generateAnswer(chatRequest, behaviour);
    const id = `sim${fnv1a(key).toString(36)}x${call.number}`;
    const envelope = { id, model, createdSeconds, usageHidden: behaviour.noUsage === true };
    if (!chatRequest.stream) return await sendJson(delivery, wire.responseBody(reply, envelope));
    call.stream = true;
    callLog.stats.openStreams += 1;
    await sendStream(delivery, wire.events(reply, envelope, chatRequest), wire.streamFailure);
  } catch (cause) {
    if (!(cause instanceof InvalidRequestError)) throw cause;
    refuse(cause.failure);
  }
}
