// A provider that does as it is told: one HTTP server, every key with a behaviour of its own.
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { answerTo, hashOf } from "./answer.ts";
import { anthropicWire } from "./anthropic-wire.ts";
import { type Call, type CallBook, openCallBook, type Stats } from "./call-book.ts";
import { control, type Parts } from "./control.ts";
import {
  type Delivery,
  endedByUs,
  hangUp,
  pause,
  sendFailure,
  sendJson,
  sendStream,
  sendWebPage,
  waitMs,
} from "./delivery.ts";
import { geminiWire } from "./gemini-wire.ts";
import { openKeys } from "./keys.ts";
import { answerMedia, type MediaOperation, mediaOperationOf } from "./openai-media-wire.ts";
import { openAiWire } from "./openai-wire.ts";
import { parseJson, readBody } from "./request-body.ts";
import { type Failure, readScript, UnknownDirective } from "./script.ts";
import { BadQuestion, type Operation, type Wire } from "./wire.ts";

const wires: readonly Wire[] = [openAiWire, anthropicWire, geminiWire];

const defaultModels = ["gpt-4o", "gpt-4o-mini", "gpt-4.1", "gpt-5", "gpt-5-mini", "o4-mini", "sim-small", "sim-large"];

export type SimulatorOptions = { port?: number; host?: string };

export type Simulator = {
  url: string;
  port: number;
  close(): Promise<void>;
  /** Gives a key a behaviour, as JSON or in the words of a key without `sim-`; its calls count from 1 again. */
  script(key: string, script: unknown): void;
  calls(): Call[];
  clearCalls(): void;
  stats(): Stats;
};

export async function startSimulator({ port = 0, host = "127.0.0.1" }: SimulatorOptions = {}): Promise<Simulator> {
  const book = openCallBook();
  const keys = openKeys();
  const server = createServer({ keepAliveTimeout: 65_000 }, (request, response) => {
    receive(request, response, { book, keys }).catch((cause: unknown) => {
      // A client that is gone is everyday business here; anything else is our own bug and must be seen.
      if (!response.destroyed && !request.errored) console.error(cause);
      response.destroy();
    });
  });
  await new Promise<void>((resolve, reject) => server.once("error", reject).listen(port, host, resolve));
  const address = server.address() as AddressInfo;

  return {
    url: `http://${host}:${address.port}`,
    port: address.port,
    close() {
      const closed = new Promise<void>((resolve) => server.close(() => resolve()));
      server.closeAllConnections();
      return closed;
    },
    script: (key, script) => keys.set(key, readScript(script)),
    calls: () => book.list(),
    clearCalls: () => book.clear(),
    stats: () => ({ ...book.stats }),
  };
}

async function receive(request: IncomingMessage, response: ServerResponse, parts: Parts): Promise<void> {
  const method = request.method ?? "GET";
  const url = new URL(request.url ?? "/", "http://simulator");
  if (url.pathname.startsWith("/sim/")) return control(request, response, url, parts);

  const { book, keys } = parts;
  const call = book.begin({ method, path: url.pathname + url.search, headers: request.headers });
  response.once("close", () => book.end(call, !response.writableFinished && !endedByUs.has(response)));
  const body = await readBody(request);
  book.enter(call, body ?? Buffer.alloc(0));

  const { wire, operation } = routeOf(method, url.pathname);
  const key = wire.keyOf(request.headers);
  const refuse = (failure: Failure) => sendFailure({ response, call }, failure, wire.failure(failure, key ?? ""));
  if (!operation)
    return refuse({ status: 404, message: `Invalid URL (${method} ${url.pathname})`, code: "unknown_url" });
  if (!body) return refuse({ status: 413, message: "The request is too large." });
  if (!key) return refuse({ status: 401, message: "You didn't provide an API key.", code: "invalid_api_key" });

  const behaviour = keys.use(key, call);
  if (behaviour instanceof UnknownDirective) return refuse({ status: 401, message: behaviour.message });
  if (!behaviour) return refuse({ status: 401 });
  await answer({ response, call, behaviour }, { wire, operation, key, body, book });
}

type Request = { wire: Wire; operation: Operation | MediaOperation; key: string; body: Buffer; book: CallBook };

async function answer(delivery: Delivery, { wire, operation, key, body, book }: Request): Promise<void> {
  const { response, call, behaviour } = delivery;
  const refuse = (failure: Failure) => sendFailure(delivery, failure, wire.failure(failure, key));

  if (behaviour.hang) return;
  const wait = waitMs(behaviour, call.keyCall);
  if (wait > 0) await pause(wait);
  if (response.destroyed) return;
  if (behaviour.drop) return hangUp(response, "cut");
  if (behaviour.fail) return refuse(behaviour.fail);
  if (behaviour.html) return sendWebPage(delivery);

  const createdSeconds = Math.floor(call.receivedAt / 1000);
  if (operation === "models") return sendJson(delivery, wire.models(behaviour.models ?? defaultModels, createdSeconds));

  try {
    if (operation !== "chat") {
      // Whoever answers in a stream says so before the first byte.
      return await answerMedia(delivery, operation, body, () => {
        book.stats.openStreams += 1;
      });
    }
    const question = wire.readQuestion(parseJson(body), call.path);
    const { model } = question;
    if (behaviour.models && !behaviour.models.includes(model)) return refuse({ status: 404 });
    if (behaviour.errorAfter !== undefined && !question.stream) return refuse({ status: 500 });

    const reply = answerTo(question, behaviour);
    const id = `sim${hashOf(key).toString(36)}x${call.number}`;
    const envelope = { id, model, createdSeconds, usageHidden: behaviour.noUsage === true };
    if (!question.stream) return await sendJson(delivery, wire.whole(reply, envelope));
    call.stream = true;
    book.stats.openStreams += 1;
    await sendStream(delivery, wire.events(reply, envelope, question), wire.streamFailure);
  } catch (cause) {
    if (!(cause instanceof BadQuestion)) throw cause;
    refuse(cause.failure);
  }
}

/** An address of no format is answered in OpenAI's. */
function routeOf(method: string, path: string): { wire: Wire; operation: Operation | MediaOperation | undefined } {
  const media = mediaOperationOf(method, path);
  if (media) return { wire: openAiWire, operation: media };
  for (const wire of wires) {
    const operation = wire.operationOf(method, path);
    if (operation) return { wire, operation };
  }
  return { wire: openAiWire, operation: undefined };
}
