// A reverse proxy as operators put one in front: it reads each request with a parser of its own and
// sends it on over connections that many clients share, so that a request it reads differently
// would end up in another client's.
import { once } from "node:events";
import { Agent, request as ask, createServer, type IncomingMessage } from "node:http";
import type { AddressInfo } from "node:net";

/** Headers that are about one connection and not about the request. */
const ofTheConnection = new Set([
  "connection",
  "keep-alive",
  "proxy-connection",
  "te",
  "trailer",
  "upgrade",
]);

function onwardHeaders({ rawHeaders }: IncomingMessage): string[] {
  const headers = ["connection", "keep-alive"];
  for (let at = 0; at + 1 < rawHeaders.length; at += 2) {
    const name = rawHeaders[at] ?? "";
    if (!ofTheConnection.has(name.toLowerCase())) headers.push(name, rawHeaders[at + 1] ?? "");
  }
  return headers;
}

export interface ReverseProxy {
  url: string;
  /** Requests that it has understood. */
  readonly passed: number;
  close(): Promise<void>;
}

/**
 * A lenient one takes whatever its parser takes with all its checks off, and passes framing on as
 * it came.
 */
export async function startReverseProxy(
  target: string,
  { isLenient = false } = {},
): Promise<ReverseProxy> {
  const { hostname, port } = new URL(target);
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  let passed = 0;
  const server = createServer({ insecureHTTPParser: isLenient }, (request, response) => {
    passed += 1;
    request.on("error", () => undefined);
    try {
      const onward = ask({
        agent,
        hostname,
        port,
        method: request.method,
        path: request.url,
        headers: onwardHeaders(request),
      });
      onward.on("response", (answer) => {
        response.writeHead(answer.statusCode ?? 502, answer.headers);
        answer.pipe(response);
      });
      onward.on("error", () => response.destroy());
      request.once("close", () => request.complete || onward.destroy());
      request.pipe(onward);
    } catch {
      // What its parser took and it cannot write itself.
      response.writeHead(400, { connection: "close" }).end();
    }
  });
  await once(server.listen(0, "127.0.0.1"), "listening");
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    get passed() {
      return passed;
    },
    async close() {
      agent.destroy();
      server.closeAllConnections();
      server.close();
      await once(server, "close");
    },
  };
}
