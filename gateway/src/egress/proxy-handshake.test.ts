import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { ProxyAddress } from "./proxy-address.ts";
import { buildProxyHandshake, ProxyRefused } from "./proxy-handshake.ts";

const proxy = (protocol: ProxyAddress["protocol"], username = ""): ProxyAddress => ({
  protocol,
  hostname: "proxy.example",
  port: 1080,
  username,
  password: username && "hidden",
});
const target = { address: "8.8.8.8", port: 443 };

/** `play` gives what is sent while the proxy answers with these bytes in these cuts. */
function play(way: ProxyAddress, bytes: Buffer, cuts: readonly number[], to = target) {
  const handshake = buildProxyHandshake(way, to);
  const sent = [handshake.opening];
  let isDone = false;
  const marks = [...cuts.map((cut) => cut % (bytes.byteLength + 1)), bytes.byteLength].toSorted(
    (a, b) => a - b,
  );
  let from = 0;
  for (const mark of marks) {
    const step = handshake.take(bytes.subarray(from, mark));
    if (step.send) sent.push(step.send);
    isDone = step.isDone;
    from = mark;
  }
  return { isDone, sent: Buffer.concat(sent) };
}
const cuts = fc.array(fc.nat(), { maxLength: 6 });
const ok = Buffer.from("HTTP/1.1 200 Connection established\r\nVia: x\r\n\r\n");

describe("CONNECT", () => {
  test("names the address and is done with the head of a 200, however it is cut", () => {
    fc.assert(
      fc.property(cuts, (where) => {
        const { isDone, sent } = play(proxy("http"), ok, where);
        expect([isDone, sent.toString()]).toEqual([
          true,
          "CONNECT 8.8.8.8:443 HTTP/1.1\r\nHost: 8.8.8.8:443\r\n\r\n",
        ]);
      }),
    );
    const { sent } = play(proxy("https", "me"), ok, [], { address: "2606:4700::1111", port: 80 });
    expect(sent.toString()).toContain("CONNECT [2606:4700::1111]:80 ");
    expect(sent.toString()).toContain("Proxy-Authorization: Basic bWU6aGlkZGVu\r\n");
  });

  test.each([
    ["a refusal", "HTTP/1.1 403 Forbidden\r\n\r\n"],
    ["a wrong password", "HTTP/1.1 407 Proxy Authentication Required\r\n\r\n"],
    ["a redirect", "HTTP/1.1 302 Found\r\nLocation: http://127.0.0.1/\r\n\r\n"],
    ["another protocol", "SSH-2.0-OpenSSH_9.2\r\n\r\n"],
    ["an answer before the question", `${ok}HTTP/1.1 200 OK\r\n\r\n{"forged":true}`],
    ["a head without an end", "HTTP/1.1 200 OK\r\n".padEnd(9_000, "x")],
  ])("refuses %s, and repeats none of it", (_, text) => {
    expect(() => play(proxy("http", "me"), Buffer.from(text), [])).toThrow(ProxyRefused);
    expect(() => play(proxy("http", "me"), Buffer.from(text), [])).not.toThrow(
      /hidden|forged|OpenSSH|Location/,
    );
  });
});

describe("SOCKS5", () => {
  const bound = [5, 0, 0, 1, 0, 0, 0, 0, 0, 0];

  test("signs in where it is asked to, and asks for the address in bytes", () => {
    const open = buildProxyHandshake(proxy("socks5"), target);
    expect([...open.opening]).toEqual([5, 1, 0]);
    expect([...(open.take(Buffer.from([5, 0])).send ?? [])]).toEqual([
      5, 1, 0, 1, 8, 8, 8, 8, 1, 187,
    ]);
    expect(open.take(Buffer.from(bound)).isDone).toBe(true);

    const closed = buildProxyHandshake(proxy("socks5", "me"), {
      address: "2606:4700::1111",
      port: 80,
    });
    expect([...closed.opening]).toEqual([5, 2, 0, 2]);
    expect(closed.take(Buffer.from([5, 2])).send).toEqual(Buffer.from("\x01\x02me\x06hidden"));
    const request = closed.take(Buffer.from([1, 0])).send ?? Buffer.alloc(0);
    expect([...request]).toEqual([
      5,
      1,
      0,
      4,
      0x26,
      6,
      0x47,
      0,
      ...Array(10).fill(0),
      0x11,
      0x11,
      0,
      80,
    ]);
    for (const byte of [5, 0, 0, 3, 2, 97, 98, 0])
      expect(closed.take(Buffer.from([byte])).isDone).toBe(false);
    expect(closed.take(Buffer.from([80])).isDone).toBe(true);
  });

  test.each([
    ["another version", [4, 0]],
    ["no method", [5, 255]],
    ["a password that was not offered", [5, 2]],
    ["an answer before the question", [5, 0, ...bound]],
  ])("refuses %s", (_, bytes) => {
    expect(() => play(proxy("socks5"), Buffer.from(bytes), [])).toThrow(ProxyRefused);
  });

  test("refuses a wrong password, a refused connection, an unknown address and bytes after the end", () => {
    const after = (bytes: number[], ...before: number[][]) => {
      const handshake = buildProxyHandshake(proxy("socks5", "me"), target);
      for (const step of before) handshake.take(Buffer.from(step));
      return () => handshake.take(Buffer.from(bytes));
    };
    expect(after([1, 1], [5, 2])).toThrow(/refused its user name or password/);
    expect(after([5, 5, 0, 1, 0, 0, 0, 0, 0, 0], [5, 0])).toThrow(/refused to connect \(5\)/);
    expect(after([5, 0, 0, 9, 0], [5, 0])).toThrow(ProxyRefused);
    expect(after([...bound, 72], [5, 0])).toThrow(/before the first request/);
  });
});

test("no bytes of a proxy make the handshake fail in another way, or keep it without an end", () => {
  fc.assert(
    fc.property(
      fc.constantFrom("http" as const, "socks5" as const),
      fc.uint8Array({ maxLength: 400 }),
      cuts,
      (protocol, bytes, where) => {
        try {
          const { isDone } = play(proxy(protocol), Buffer.from(bytes), where);
          // SOCKS5 answers in turns, so that only the start of one can be there.
          if (protocol === "http") expect(isDone).toBe(false);
        } catch (error) {
          expect(error).toBeInstanceOf(ProxyRefused);
        }
      },
    ),
    { numRuns: 2_000 },
  );
  const endless = buildProxyHandshake(proxy("http"), target);
  expect(() => {
    for (let chunk = 0; chunk < 100; chunk += 1) endless.take(Buffer.alloc(1_000, "x"));
  }).toThrow(ProxyRefused);
});
