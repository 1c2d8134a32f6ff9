/** A provider that records every byte it receives: for bodies that are not JSON. */
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";

export interface RecordedRequest {
  path: string;
  headers: IncomingMessage["headers"];
  body: Buffer;
}

export async function startRecordingProvider() {
  const calls: RecordedRequest[] = [];
  const upstream = {
    url: "",
    calls,
    answer: (response: ServerResponse): void => {
      response.writeHead(500).end();
    },
    close: () =>
      new Promise<void>((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
  const receive = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const body = Buffer.concat(await request.toArray());
    calls.push({ path: request.url ?? "", headers: request.headers, body });
    upstream.answer(response);
  };
  const server = createServer((request, response) => {
    response.on("error", () => undefined);
    receive(request, response).catch(() => response.destroy());
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  upstream.url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return upstream;
}
