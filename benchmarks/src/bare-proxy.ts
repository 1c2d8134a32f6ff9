/** The baseline for the gateway: node:http and undici, which only pass bytes. */
import { createServer } from "node:http";
import { type Dispatcher, Pool } from "undici";

const pool = new Pool(process.argv[2] ?? "", { connections: 4_096, pipelining: 1 });

const server = createServer({ noDelay: true }, (request, response) => {
  const chunks: Buffer[] = [];
  request.on("data", (chunk: Buffer) => chunks.push(chunk));
  request.on("end", () => {
    const body = Buffer.concat(chunks);
    const headers = [
      "content-type",
      "application/json",
      "authorization",
      String(request.headers.authorization),
    ];
    const handler: Dispatcher.DispatchHandler = {
      onRequestStart: () => undefined,
      onResponseStart(_controller, status, answerHeaders) {
        response.writeHead(status, { "content-type": String(answerHeaders["content-type"]) });
      },
      onResponseData(controller, chunk) {
        if (!response.write(chunk)) {
          controller.pause();
          response.once("drain", () => controller.resume());
        }
      },
      onResponseEnd: () => void response.end(),
      onResponseError: () => void response.destroy(),
    };
    pool.dispatch({ path: request.url ?? "/", method: "POST", headers, body }, handler);
  });
});

server.listen(0, "127.0.0.1", () => {
  const address = server.address();
  console.log(JSON.stringify({ port: typeof address === "object" && address ? address.port : 0 }));
});
