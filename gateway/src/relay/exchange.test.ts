import { once } from "node:events";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import { type AddressInfo, connect, type Socket } from "node:net";
import fc from "fast-check";
import { expect, test } from "vitest";
import { Exchange } from "./exchange.ts";

type AnswerExchange = (exchange: Exchange) => void;

/** Runs `client` on a connection to a server that answers each request by `answer`. */
async function withConnection(
  answer: AnswerExchange,
  client: (socket: Socket) => Promise<void>,
): Promise<void> {
  let id = 0;
  const server = createServer((request: IncomingMessage, response: ServerResponse) => {
    id += 1;
    answer(new Exchange(id, request, response, "127.0.0.1"));
  });
  await once(server.listen(0, "127.0.0.1"), "listening");
  const socket = connect((server.address() as AddressInfo).port, "127.0.0.1");
  try {
    await client(socket);
  } finally {
    socket.destroy();
    server.closeAllConnections();
    server.close();
  }
}

const request = (path: string, version = "1.1"): string =>
  `GET ${path} HTTP/${version}\r\nhost: gateway\r\n\r\n`;

const bodyEnd = "\r\n0\r\n\r\n";

/** The bytes until the server ends the connection, or until the ends of so many chunked bodies. */
async function received(socket: Socket, bodies = Number.POSITIVE_INFINITY): Promise<string> {
  const parts: string[] = [];
  let tail = "";
  let left = bodies;
  for await (const part of socket.setEncoding("latin1")) {
    parts.push(String(part));
    tail += String(part);
    left -= tail.split(bodyEnd).length - 1;
    if (left <= 0) break;
    tail = tail.slice(
      Math.max(tail.lastIndexOf(bodyEnd) + bodyEnd.length, tail.length - bodyEnd.length + 1),
    );
  }
  return parts.join("");
}

/** The bodies of the chunked responses in `text`, by RFC 9112. */
function chunkedBodies(text: string): string[] {
  const bodies: string[] = [];
  let at = 0;
  while (at < text.length) {
    at = text.indexOf("\r\n\r\n", at) + 4;
    const body: string[] = [];
    for (;;) {
      const lineEnd = text.indexOf("\r\n", at);
      const size = Number.parseInt(text.slice(at, lineEnd), 16);
      const end = lineEnd + 2 + size;
      if (Number.isNaN(size) || text.slice(end, end + 2) !== "\r\n")
        throw new Error(`no chunk at ${at}`);
      at = end + 2;
      if (size === 0) break;
      body.push(text.slice(lineEnd + 2, end));
    }
    bodies.push(body.join(""));
  }
  return bodies;
}

/** Writes each part at a turn of its own, and waits for "drain" where it is told to. */
async function stream(exchange: Exchange, parts: Iterable<Buffer>): Promise<void> {
  for (const part of parts) {
    await new Promise<void>((resolve) => {
      if (exchange.write(part, resolve)) setImmediate(resolve);
    });
  }
  exchange.endStream();
}

test("a streamed body reaches the client whole, whatever the sizes of its parts", async () => {
  const sizes = fc.array(
    fc.oneof(fc.integer({ min: 1, max: 300 }), fc.integer({ min: 16_000, max: 70_000 })),
    {
      minLength: 1,
      maxLength: 12,
    },
  );
  await fc.assert(
    fc.asyncProperty(sizes, async (lengths) => {
      const parts = lengths.map((length, index) => Buffer.alloc(length, 97 + (index % 26)));
      await withConnection(
        (exchange) => void stream(exchange, parts),
        async (socket) => {
          socket.write(request("/"));
          const text = await received(socket, 1);
          expect(chunkedBodies(text)).toEqual([Buffer.concat(parts).toString("latin1")]);
        },
      );
    }),
    { numRuns: 30 },
  );
});

test("requests that a client sends before the answers arrive are answered in their order", async () => {
  const answers: Record<string, readonly Buffer[]> = {
    "/first": [Buffer.from("one "), Buffer.from("two "), Buffer.from("three")],
    "/second": [Buffer.from("four "), Buffer.from("five")],
  };
  await withConnection(
    (exchange) => void stream(exchange, answers[exchange.request.url ?? ""] ?? []),
    async (socket) => {
      socket.write(request("/first") + request("/second"));
      const text = await received(socket, 2);
      expect(chunkedBodies(text)).toEqual(["one two three", "four five"]);
    },
  );
});

test("a client of HTTP/1.0 gets a stream without chunks", async () => {
  await withConnection(
    (exchange) => void stream(exchange, [Buffer.from("one "), Buffer.from("two")]),
    async (socket) => {
      socket.write(request("/", "1.0"));
      const text = await received(socket);
      expect(text.slice(text.indexOf("\r\n\r\n") + 4)).toBe("one two");
    },
  );
});

test("a stream waits for a client that reads slowly, and goes on when it reads", async () => {
  const parts = Array.from({ length: 2_000 }, (_, index) => Buffer.alloc(8_000, 97 + (index % 26)));
  let written = 0;
  function* counted(): Generator<Buffer> {
    for (const part of parts) {
      written += 1;
      yield part;
    }
  }
  await withConnection(
    (exchange) => void stream(exchange, counted()),
    async (socket) => {
      socket.pause();
      socket.write(request("/"));
      await expect.poll(() => written).toBeGreaterThan(10);
      let before = 0;
      await expect
        .poll(
          () => {
            const isStill = before === written;
            before = written;
            return isStill;
          },
          { interval: 100 },
        )
        .toBe(true);
      expect(written).toBeLessThan(parts.length);
      const text = await received(socket, 1);
      expect(chunkedBodies(text)).toEqual([Buffer.concat(parts).toString("latin1")]);
    },
  );
});

test("what is written in one turn arrives in its order, behind the headers", async () => {
  await withConnection(
    (exchange) => {
      for (const word of ["one ", "two ", "three "]) exchange.write(Buffer.from(word));
      setImmediate(() => {
        for (const word of ["four ", "five "]) exchange.write(Buffer.from(word));
        exchange.endStream(Buffer.from("six"));
      });
    },
    async (socket) => {
      socket.write(request("/"));
      expect(chunkedBodies(await received(socket, 1))).toEqual(["one two three four five six"]);
    },
  );
});

test("what is written after the end reaches no client", async () => {
  await withConnection(
    (exchange) => {
      exchange.write(Buffer.from("one"));
      exchange.endStream();
      exchange.write(Buffer.from("late"));
    },
    async (socket) => {
      socket.write(request("/") + request("/"));
      expect(chunkedBodies(await received(socket, 2))).toEqual(["one", "one"]);
    },
  );
});

test("what a client that left would have got is not written", async () => {
  let exchange: Exchange | undefined;
  await withConnection(
    (begun) => {
      exchange = begun;
      begun.write(Buffer.from("one"));
    },
    async (socket) => {
      socket.write(request("/"));
      await once(socket, "data");
      socket.destroy();
      await expect.poll(() => exchange?.hasClientLeft).toBe(true);
      expect(exchange?.write(Buffer.from("two"))).toBe(true);
      expect(exchange?.response.writableLength).toBe(0);
    },
  );
});
