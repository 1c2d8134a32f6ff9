/**
 * Clients that do what no library does: disconnect midway, write raw bytes, read slowly or not at
 * all.
 */
import { once } from "node:events";
import { connect, type Socket } from "node:net";
import { drainedOrClosed } from "../harness/drained-or-closed.ts";
import { chatBody, type TestGateway } from "../harness/test-gateway.ts";

export interface AbortedStream {
  status: number;
  /** `read` is what was read until the client left. */
  read: string;
  leftAt: number;
}

/** A stream whose client disconnects once what it has read satisfies `isEnough`. */
export async function disconnectWhen(
  gateway: TestGateway,
  key: string,
  isEnough: (read: string) => boolean,
  body: Record<string, unknown> = {},
): Promise<AbortedStream> {
  const leaving = new AbortController();
  const response = await gateway.send(key, chatBody({ ...body, stream: true }), {
    signal: leaving.signal,
  });
  let read = "";
  const decoder = new TextDecoder();
  const reader = response.body?.getReader();
  while (reader && !isEnough(read)) {
    const { done, value } = await reader.read();
    if (done) break;
    read += decoder.decode(value, { stream: true });
  }
  const leftAt = Date.now();
  leaving.abort();
  return { status: response.status, read, leftAt };
}

export const contentEvents = (read: string): number =>
  read.split("\n").filter((line) => /"delta":\{"content":"[^"]/.test(line)).length;

export interface RawConnection {
  socket: Socket;
  /** `received` gives all that arrived so far. */
  received(): string;
  /** Resolves when what arrived satisfies `isEnough`; rejects if the connection closes before. */
  until(isEnough: (received: string) => boolean): Promise<string>;
  closed: Promise<string>;
}

export async function rawConnection(url: string): Promise<RawConnection> {
  const { hostname, port } = new URL(url);
  const socket = connect(Number(port), hostname);
  let received = "";
  socket.on("error", () => undefined);
  socket.setEncoding("latin1").on("data", (text: string) => {
    received += text;
  });
  const closed = new Promise<string>((resolve) => socket.once("close", () => resolve(received)));
  await once(socket, "connect");
  return {
    socket,
    received: () => received,
    closed,
    until: (isEnough) =>
      new Promise((resolve, reject) => {
        const look = () => {
          if (isEnough(received)) resolve(received);
        };
        look();
        socket.on("data", look);
        socket.on("close", () =>
          reject(new Error(`closed after ${JSON.stringify(received.slice(0, 500))}`)),
        );
      }),
  };
}

/** The head of a chat call for `rawConnection`. */
export const rawHead = (key: string, headers: Record<string, string | number> = {}): string =>
  [
    "POST /v1/chat/completions HTTP/1.1",
    "host: gateway",
    ...(key === "" ? [] : [`authorization: Bearer ${key}`]),
    "content-type: application/json",
    ...Object.entries(headers).map(([name, value]) => `${name}: ${value}`),
    "",
    "",
  ].join("\r\n");

/** Writes and waits for the other side to read; false once the connection has ended. */
export async function writeAll(
  { socket }: RawConnection,
  bytes: Buffer | string,
): Promise<boolean> {
  if (socket.destroyed) return false;
  if (socket.write(bytes)) return true;
  await drainedOrClosed(socket);
  return !socket.destroyed;
}

/** Running streams: each has read at least its first word. */
export async function openStreams(gateway: TestGateway, key: string, count: number) {
  return await Promise.all(
    Array.from({ length: count }, async () => {
      const response = await gateway.send(key, chatBody({ stream: true }));
      if (response.status !== 200)
        throw new Error(`no stream: ${response.status} ${await response.text()}`);
      const reader = response.body?.getReader();
      let raw = "";
      const decoder = new TextDecoder();
      const read = async (): Promise<boolean> => {
        const part = await reader?.read();
        if (!part || part.done) return false;
        raw += decoder.decode(part.value, { stream: true });
        return true;
      };
      while (contentEvents(raw) === 0 && (await read()));
      return {
        /** Everything until the end, and whether the connection broke. */
        async rest(): Promise<{ raw: string; broke: boolean }> {
          try {
            while (await read());
            return { raw, broke: false };
          } catch {
            return { raw, broke: true };
          }
        },
      };
    }),
  );
}
