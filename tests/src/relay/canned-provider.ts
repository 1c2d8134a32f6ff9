/**
 * A provider that sends exactly the bytes of a test, in exactly its writes: for the malformed
 * replies that the simulator does not send.
 */
import {
  createServer,
  type IncomingHttpHeaders,
  type IncomingMessage,
  type ServerResponse,
} from "node:http";
import type { AddressInfo } from "node:net";
import { setTimeout as pause } from "node:timers/promises";

/** A received request, its body as text. */
export interface CannedRequest {
  method: string;
  url: string;
  headers: IncomingHttpHeaders;
  body: string;
}

export interface CannedProvider {
  url: string;
  /** Answers the next requests. */
  answer: (
    response: ServerResponse,
    request: IncomingMessage,
    body: string,
  ) => Promise<void> | void;
  /** Received bodies, as JSON. */
  readonly bodies: Record<string, unknown>[];
  /** Every request, also those without JSON. */
  readonly requests: CannedRequest[];
  close(): Promise<void>;
}

export async function startCannedProvider(): Promise<CannedProvider> {
  const bodies: Record<string, unknown>[] = [];
  const requests: CannedRequest[] = [];
  const upstream: CannedProvider = {
    url: "",
    answer: (response) => {
      response.writeHead(500).end();
    },
    bodies,
    requests,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
  const answer = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk);
    const body = Buffer.concat(chunks).toString();
    const { method = "", url = "", headers } = request;
    requests.push({ method, url, headers, body });
    bodies.push(body.startsWith("{") ? JSON.parse(body) : {});
    response.on("error", () => undefined);
    await upstream.answer(response, request, body);
  };
  const server = createServer((request, response) => {
    answer(request, response).catch(() => response.destroy());
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  upstream.url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return upstream;
}

/** Long enough apart that the reader sees them as separate pieces. */
const betweenWritesMs = 100;

/** A stream written in the given pieces; a string is one write, events joined by the test. */
export const streamed =
  (...writes: (string | Buffer)[]) =>
  async (response: ServerResponse): Promise<void> => {
    response.writeHead(200, { "content-type": "text/event-stream" });
    for (const write of writes) {
      response.write(write);
      await pause(betweenWritesMs);
    }
    response.end();
  };

export const whole =
  (body: unknown) =>
  (response: ServerResponse): void => {
    response.writeHead(200, { "content-type": "application/json" });
    response.end(typeof body === "string" ? body : JSON.stringify(body));
  };

export const event = (data: unknown): string =>
  `data: ${typeof data === "string" ? data : JSON.stringify(data)}\n\n`;

export const chunk = (content: string, more: Record<string, unknown> = {}): string =>
  event({
    id: "c",
    object: "chat.completion.chunk",
    model: "sim-model",
    choices: [{ index: 0, delta: { content } }],
    ...more,
  });

export const usageEvent = (usage: unknown): string =>
  event({ id: "c", object: "chat.completion.chunk", model: "sim-model", choices: [], usage });

export const done = event("[DONE]");

export const completion = (
  content: string,
  usage?: unknown,
  more: Record<string, unknown> = {},
) => ({
  id: "c",
  object: "chat.completion",
  created: 1,
  model: "sim-model",
  choices: [{ index: 0, message: { role: "assistant", content }, finish_reason: "stop" }],
  ...(usage !== undefined && { usage }),
  ...more,
});
