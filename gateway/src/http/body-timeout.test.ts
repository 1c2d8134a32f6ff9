import { once } from "node:events";
import { createServer, type Server } from "node:http";
import { type AddressInfo, connect, type Socket } from "node:net";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import {
  apiBodyPace,
  crowdedBodyPace,
  isTooSlow,
  relayBodyPace,
  watchBody,
} from "./body-timeout.ts";

test.each([
  ["nothing, but not for long", relayBodyPace, 14_999, 0, false],
  ["nothing for the whole grace", relayBodyPace, 15_000, 0, true],
  ["just less than the floor", relayBodyPace, 20_000, 19_999, true],
  ["the floor", relayBodyPace, 20_000, 20_000, false],
  ["much at first and nothing since", relayBodyPace, 60_000, 59_000, true],
  ["a recording over a slow line", relayBodyPace, 250_000, 20_000_000, false],
  ["nothing, while others wait for memory", crowdedBodyPace, 30_000, 0, false],
  [
    "a large body over a slow line, while others wait for memory",
    crowdedBodyPace,
    830_000,
    20_000_000,
    false,
  ],
  ["one that holds its memory for longer", crowdedBodyPace, 831_000, 20_000_000, true],
  ["a form that takes its time", apiBodyPace, 59_999, 1, false],
  ["a form that takes too long, however much came", apiBodyPace, 60_000, 1_000_000, true],
] as const)("%s", (_what, pace, elapsedMs, bytes, expected) => {
  expect(isTooSlow(pace, elapsedMs, bytes)).toBe(expected);
});

describe("a body that is watched", () => {
  let now = 0;
  let slow = 0;
  let checks = 0;
  let received = 0;
  let server: Server;
  beforeAll(async () => {
    server = createServer((request, response) => {
      const clock = () => {
        checks += 1;
        return now;
      };
      watchBody(
        request,
        () => ({ graceMs: 1_000, bytesPerSecond: 100 }),
        () => {
          slow += 1;
          response.writeHead(408).end();
        },
        clock,
        5,
      );
      request.on("data", (bytes: Buffer) => {
        received += bytes.length;
      });
      request.on("end", () => response.end("whole"));
    });
    await once(server.listen(0, "127.0.0.1"), "listening");
  });
  afterAll(() => {
    server.closeAllConnections();
    server.close();
  });

  const until = async (isTrue: () => boolean): Promise<void> => {
    while (!isTrue()) await new Promise((resolve) => setTimeout(resolve, 2));
  };
  const begin = async (length: number): Promise<{ socket: Socket; answer: Promise<string> }> => {
    now = 0;
    slow = 0;
    checks = 0;
    received = 0;
    const socket = connect((server.address() as AddressInfo).port, "127.0.0.1").setEncoding("utf8");
    const answer = once(socket, "data").then(([text]) => String(text).split("\r\n")[0] ?? "");
    socket.write(`POST / HTTP/1.1\r\nhost: x\r\ncontent-length: ${length}\r\n\r\n`);
    // The watch has started and checks.
    await until(() => checks >= 2);
    return { socket, answer };
  };

  test("and arrives too slowly is reported once", { tags: ["FT-22"] }, async () => {
    const { socket, answer } = await begin(1_000);
    socket.write("a".repeat(50));
    now = 2_000;
    expect(await answer).toBe("HTTP/1.1 408 Request Timeout");
    expect(slow).toBe(1);
    socket.destroy();
  });

  test("and arrives fast enough is accepted, however long it takes", {
    tags: ["FT-22"],
  }, async () => {
    const { socket, answer } = await begin(450);
    for (const [bytes, ms] of [
      [150, 1_400],
      [300, 2_800],
    ] as const) {
      socket.write("a".repeat(150));
      await until(() => received === bytes);
      now = ms;
      const before = checks;
      await until(() => checks >= before + 2);
    }
    socket.write("a".repeat(150));
    expect(await answer).toBe("HTTP/1.1 200 OK");
    expect(slow).toBe(0);
    socket.destroy();
  });
});
