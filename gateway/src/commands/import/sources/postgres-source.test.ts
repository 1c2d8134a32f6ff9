// Servers that only look like PostgreSQL: none of them keeps an import waiting.
import { createServer, type Server, type Socket } from "node:net";
import { afterEach, expect, test } from "vitest";
import { openPostgresSource } from "./postgres-source.ts";
import { ImportRefused } from "./source-tables.ts";

const waitMs = 300;
const message = (type: string, body: Buffer): Buffer => {
  const head = Buffer.alloc(5);
  head.write(type);
  head.writeInt32BE(body.length + 4, 1);
  return Buffer.concat([head, body]);
};
const welcome = Buffer.concat([message("R", Buffer.alloc(4)), message("Z", Buffer.from("I"))]);
const begun = Buffer.concat([message("C", Buffer.from("BEGIN\0")), message("Z", Buffer.from("T"))]);
const oneColumn = Buffer.concat([
  Buffer.from([0, 1]),
  Buffer.from("name\0"),
  Buffer.from([0, 0, 0, 0, 0, 0, 0, 0, 0, 25, 255, 255, 255, 255, 255, 255, 0, 0]),
]);
const row = message("D", Buffer.from([0, 1, 0, 0, 0, 1, 120]));

let server: Server | undefined;
const sockets: Socket[] = [];

/**
 * Answers what the n-th message of a client gets, from the start of its session on; nothing where
 * there is no answer.
 */
async function startServer(answers: readonly ((socket: Socket) => void)[]): Promise<string> {
  server = createServer((socket) => {
    sockets.push(socket);
    socket.on("error", () => undefined);
    let place = 0;
    socket.on("data", () => answers[place++]?.(socket));
  });
  await new Promise<void>((resolve) => server?.listen(0, "127.0.0.1", resolve));
  const address = server.address();
  return `postgres://one:secret@127.0.0.1:${typeof address === "object" ? address?.port : ""}/litellm`;
}

afterEach(() => {
  for (const socket of sockets.splice(0)) socket.destroy();
  server?.close();
});

const sends = (bytes: Buffer) => (socket: Socket) => void socket.write(bytes);
const sendsEndlessRows = (socket: Socket): void => {
  socket.write(message("T", oneColumn));
  const rows = Buffer.concat(Array.from({ length: 1_000 }, () => row));
  const more = (): void => {
    if (!socket.destroyed) socket.write(rows, () => setImmediate(more));
  };
  more();
};

test.each([
  ["says nothing", []],
  ["falls silent after the sign-in", [sends(welcome)]],
  ["sends what is no message", [sends(Buffer.alloc(10_000, "x"))]],
])("a server that %s is refused", async (_, answers) => {
  const url = await startServer(answers);
  const opening = openPostgresSource(url, undefined, waitMs);
  await expect(opening).rejects.toThrow(ImportRefused);
  await expect(opening).rejects.not.toThrow(/secret/);
});

test.each([
  ["says nothing", undefined],
  ["sends rows without end", sendsEndlessRows],
])("a server that %s when it is asked for a table is refused", async (_, answer) => {
  const url = await startServer([sends(welcome), sends(begun), ...(answer ? [answer] : [])]);
  const source = await openPostgresSource(url, undefined, waitMs);
  await expect(source.columns("users")).rejects.toThrow(ImportRefused);
  await source.close();
});
