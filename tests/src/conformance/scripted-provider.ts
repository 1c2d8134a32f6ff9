/** A provider that sends scripted replies, one after the other, and records its requests. */
import {
  createServer,
  type IncomingHttpHeaders,
  type IncomingMessage,
  type ServerResponse,
} from "node:http";
import type { AddressInfo } from "node:net";
import type { FixtureReply } from "./wire-fixtures.ts";

export interface ScriptedRequest {
  url: string;
  headers: IncomingHttpHeaders;
  // biome-ignore lint/suspicious/noExplicitAny: tests read requests of every structure
  body: any;
  /** Resolves when its answer has ended, or its connection. */
  closed: Promise<void>;
}

/** The next reply, possibly computed from the request. */
export type ScriptedReply =
  | FixtureReply
  | ((asked: ScriptedRequest) => FixtureReply | PausedReply | TruncatedReply)
  | TruncatedReply
  | PausedReply;

/** So many bytes, then the connection breaks. */
export interface TruncatedReply {
  answer: FixtureReply;
  cutAfter: number;
}

/** So many bytes, and the rest once `resume` resolves. */
export interface PausedReply {
  answer: FixtureReply;
  pauseAfter: number;
  resume: Promise<void>;
}

export interface ScriptedProvider {
  url: string;
  /** Clears the recorded requests and the remaining replies. */
  play(...plays: ScriptedReply[]): void;
  /** Answers every request from now on, while no scripted reply is left. */
  setDefault(answer: (asked: ScriptedRequest) => FixtureReply | PausedReply | TruncatedReply): void;
  readonly requests: ScriptedRequest[];
  close(): Promise<void>;
}

export async function startScriptedProvider(): Promise<ScriptedProvider> {
  let queue: ScriptedReply[] = [];
  let usual: ScriptedReply = {
    status: 500,
    headers: {},
    bytes: Buffer.from('{"error":{"message":"nothing to play"}}'),
  };
  const requests: ScriptedRequest[] = [];
  const server = createServer((request, response) => {
    response.on("error", () => undefined);
    answer(request, response).catch(() => response.destroy());
  });
  /** The token endpoint of providers that exchange keys: every request gets a token. */
  function loginAt(path: string): object | undefined {
    return /token$/.test(path)
      ? { access_token: "the-token", expires_in: 3_600, token_type: "Bearer" }
      : undefined;
  }
  async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk);
    const text = Buffer.concat(chunks).toString();
    const isJson = request.headers["content-type"]?.includes("json") ?? false;
    const one = {
      url: request.url ?? "",
      headers: request.headers,
      body: isJson && text !== "" ? JSON.parse(text) : text,
      closed: new Promise<void>((resolve) => response.once("close", resolve)),
    };
    const login = loginAt(new URL(one.url, "http://here").pathname);
    if (login) {
      response.writeHead(200, { "content-type": "application/json" }).end(JSON.stringify(login));
      return;
    }
    requests.push(one);
    const next = queue.shift() ?? usual;
    const play = typeof next === "function" ? next(one) : next;
    if ("answer" in play) return await piecemeal(response, play);
    const { status, headers, bytes } = play;
    response.writeHead(status, headers).end(bytes);
  }
  async function piecemeal(
    response: ServerResponse,
    play: TruncatedReply | PausedReply,
  ): Promise<void> {
    const { status, headers, bytes } = play.answer;
    const end = "cutAfter" in play ? play.cutAfter : play.pauseAfter;
    response.writeHead(status, headers);
    response.flushHeaders();
    if (end > 0)
      await new Promise<void>((resolve) => response.write(bytes.subarray(0, end), () => resolve()));
    if ("cutAfter" in play) {
      response.destroy();
      return;
    }
    await play.resume;
    response.end(bytes.subarray(end));
  }
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    play(...plays) {
      queue = plays;
      requests.length = 0;
    },
    setDefault(answer) {
      usual = answer;
    },
    requests,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}
