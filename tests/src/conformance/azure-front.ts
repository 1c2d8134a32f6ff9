/** Azure's addresses and login in front of a provider that has OpenAI's. */
import { createServer, request } from "node:http";
import type { AddressInfo } from "node:net";

export interface AzureFront {
  url: string;
  close(): Promise<void>;
}

/** `urlOf` is asked with each request: the provider starts later. */
export async function startAzureFront(urlOf: () => string): Promise<AzureFront> {
  const server = createServer((asked, response) => {
    const { "api-key": key, host: _, ...headers } = asked.headers;
    const target = new URL((asked.url ?? "/").replace(/^\/openai\//, "/"), urlOf());
    const passed = request(target, {
      method: asked.method,
      headers: { ...headers, authorization: `Bearer ${key}` },
    });
    passed.on("error", () => response.destroy());
    passed.on("response", (answer) => {
      response.writeHead(answer.statusCode ?? 502, answer.headers);
      answer.pipe(response);
    });
    asked.pipe(passed);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}
