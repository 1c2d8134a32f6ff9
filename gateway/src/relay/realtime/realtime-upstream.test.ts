import { type AddressInfo, connect, createServer, type Server, type Socket } from "node:net";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import type { OutgoingSocketOptions } from "../../egress/egress.ts";
import { openSocket } from "./realtime-upstream.ts";

describe("a provider that accepts the connection", () => {
  const sockets = new Set<Socket>();
  let server: Server;
  /** `answer` is what it sends, once and again and again. */
  let answer: { head: string; drip: string };
  beforeEach(async () => {
    answer = { head: "", drip: "" };
    server = createServer((socket) => {
      sockets.add(socket.on("error", () => undefined).resume());
      if (answer.head) socket.write(answer.head);
      const timer = setInterval(() => answer.drip && socket.write(answer.drip), 20);
      socket.on("close", () => clearInterval(timer));
    });
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  });
  afterEach(() => {
    for (const socket of sockets) socket.destroy();
    sockets.clear();
    server.close();
  });

  const port = () => (server.address() as AddressInfo).port;
  /** As through a proxy: the connection is there before the handshake. */
  const through: NonNullable<OutgoingSocketOptions["createConnection"]> = (_, opened) => {
    const socket = connect(port(), "127.0.0.1", () => opened(null, socket));
    return undefined;
  };

  test.each([
    ["is silent", { head: "", drip: "" }, {}],
    ["is silent behind a proxy", { head: "", drip: "" }, { createConnection: through }],
    ["refuses in endless words", { head: "HTTP/1.1 400 Bad Request\r\n\r\n", drip: "a" }, {}],
  ])("and %s is given up in time", async (_, sent, options) => {
    answer = sent;
    expect(
      await openSocket(new URL(`http://127.0.0.1:${port()}/v1/realtime`), options, 200),
    ).toMatchObject({
      error: { status: 0, reason: "the provider did not open the WebSocket in time" },
    });
    await expect.poll(() => [...sockets].every(({ closed }) => closed)).toBe(true);
  });
});
