import type { ServerResponse } from "node:http";

/** For whoever is no browser and no client library: a probe, or bytes that are not HTTP as it should be. */
export function respondPlainText(response: ServerResponse, status: number, text: string): void {
  response.writeHead(status, {
    "content-type": "text/plain; charset=utf-8",
    "x-content-type-options": "nosniff",
    "cache-control": "no-store",
  });
  response.end(`${text}\n`);
}
