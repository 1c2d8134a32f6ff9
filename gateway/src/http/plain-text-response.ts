import type { ServerResponse } from "node:http";

/**
 * `respondPlainText` is for clients that are neither a browser nor a client library: probes, and
 * requests that are not valid HTTP.
 */
export function respondPlainText(response: ServerResponse, status: number, text: string): void {
  response.writeHead(status, {
    "content-type": "text/plain; charset=utf-8",
    "x-content-type-options": "nosniff",
    "cache-control": "no-store",
  });
  response.end(`${text}\n`);
}

/** `respondJson` is for probes of other systems, which read JSON. */
export function respondJson(response: ServerResponse, status: number, body: unknown): void {
  response.writeHead(status, {
    "content-type": "application/json; charset=utf-8",
    "x-content-type-options": "nosniff",
    "cache-control": "no-store",
  });
  response.end(JSON.stringify(body));
}
