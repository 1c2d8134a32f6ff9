// A receiver of notices: keeps what it is sent, and answers as the test says.
import { createServer, type IncomingHttpHeaders } from "node:http";
import type { AddressInfo } from "node:net";

export interface ReceivedNotice {
  path: string;
  headers: IncomingHttpHeaders;
  body: string;
}

export async function startNoticeReceiver() {
  const received: ReceivedNotice[] = [];
  const answer = {
    status: 200,
    body: "ok",
    headers: {} as Record<string, string>,
    isSilent: false,
  };
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on("data", (chunk: Buffer) => chunks.push(chunk));
    request.on("end", () => {
      const { url: path = "", headers } = request;
      received.push({ path, headers, body: Buffer.concat(chunks).toString("utf8") });
      if (!answer.isSilent) response.writeHead(answer.status, answer.headers).end(answer.body);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const host = `127.0.0.1:${(server.address() as AddressInfo).port}`;
  return {
    host,
    url: `http://${host}`,
    received,
    answer,
    async close() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
