// The simulator's own addresses below /sim/, where tests set scripts and read what was received.
import type { IncomingMessage, ServerResponse } from "node:http";
import type { CallBook } from "./call-book.ts";
import type { Keys } from "./keys.ts";
import { parseJson, readBody } from "./request-body.ts";
import { readScript, UnknownDirective } from "./script.ts";

export type Parts = { book: CallBook; keys: Keys };

export async function control(
  request: IncomingMessage,
  response: ServerResponse,
  url: URL,
  parts: Parts,
): Promise<void> {
  const { book, keys } = parts;
  const body = await readBody(request);
  const reply = (status: number, value: unknown) => {
    response.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify(value));
  };
  const key = url.pathname.startsWith("/sim/keys/") && decodeURIComponent(url.pathname.slice("/sim/keys/".length));

  if (key && request.method === "PUT") {
    try {
      const script = readScript(parseJson(body ?? Buffer.alloc(0)));
      keys.set(key, script);
      reply(200, { key, script });
    } catch (cause) {
      if (!(cause instanceof UnknownDirective)) throw cause;
      reply(400, { error: cause.message });
    }
  } else if (key && request.method === "DELETE") {
    keys.forget(key);
    reply(200, { key });
  } else if (url.pathname === "/sim/calls" && request.method === "GET") {
    reply(200, book.list());
  } else if (url.pathname === "/sim/calls" && request.method === "DELETE") {
    book.clear();
    reply(200, {});
  } else if (url.pathname === "/sim/stats" && request.method === "GET") {
    reply(200, book.stats);
  } else {
    reply(404, { error: `The simulator has no ${request.method} ${url.pathname}.` });
  }
}
