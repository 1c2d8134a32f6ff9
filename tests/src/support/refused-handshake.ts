import { request } from "node:http";
import { text } from "node:stream/consumers";

/**
 * Asks for a WebSocket, and resolves with the answer where the gateway opens none; rejects where it
 * does.
 */
export const refusedHandshake = (url: string, headers: Record<string, string>) =>
  new Promise<{ status: number; body: string }>((resolve, reject) => {
    const asked = request(url, {
      headers: {
        connection: "Upgrade",
        upgrade: "websocket",
        "sec-websocket-version": "13",
        "sec-websocket-key": "dGhlIHNhbXBsZSBub25jZQ==",
        ...headers,
      },
    });
    asked.on("error", reject);
    asked.on("upgrade", (_response, socket) => {
      socket.destroy();
      reject(new Error("the connection was opened"));
    });
    asked.on("response", (response) => {
      text(response).then((body) => resolve({ status: response.statusCode ?? 0, body }), reject);
    });
    asked.end();
  });
