import * as fc from "fast-check";
import { expect, test } from "vitest";
import {
  findProxyViolation,
  type ProxyAddress,
  parseProxy,
  readProxyHostAndPort,
} from "./proxy-address.ts";

const none: ReadonlySet<string> = new Set();
const at = (text: string): ProxyAddress => {
  const proxy = parseProxy(text);
  if (!proxy) throw new Error(`${text} is no proxy`);
  return proxy;
};

test("a proxy has a protocol, a host, the usual port of its protocol or its own, and perhaps a password", () => {
  expect(at("http://proxy.example")).toEqual({
    protocol: "http",
    hostname: "proxy.example",
    port: 80,
    username: "",
    password: "",
  });
  expect(at("https://PROXY.example:3128/")).toMatchObject({
    protocol: "https",
    hostname: "proxy.example",
    port: 3128,
  });
  expect(at("socks5://me:p%40ss@[::1]")).toMatchObject({
    hostname: "::1",
    port: 1080,
    username: "me",
    password: "p@ss",
  });
  expect([at("socks5://h:80").port, at("socks5://h:443").port, at("https://h:80").port]).toEqual([
    80, 443, 80,
  ]);
});

test.each([
  "",
  "proxy.example:3128",
  "ftp://proxy.example",
  "socks4://proxy.example",
  "HTTP://proxy.example",
  "http://proxy.example/path",
  "http://proxy.example?x",
  "http://proxy.example#x",
  "http://proxy.example\\@127.0.0.1",
  "http://proxy.example:99999",
  "http://a b@proxy.example",
  "http://:password@proxy.example",
  "http://a%3Ab:c@proxy.example",
  "http://%ff:c@proxy.example",
  `http://${"u".repeat(256)}@proxy.example`,
  "http://",
])("%j is no proxy", (text) => expect(parseProxy(text)).toBeUndefined());

test("a proxy at a private address is used only where the operator names its host and port, however it is written", () => {
  const hosts = [
    "127.0.0.1",
    "2130706433",
    "0x7f.1",
    "[::ffff:127.0.0.1]",
    "10.0.0.1",
    "localhost",
    "169.254.169.254",
  ];
  for (const host of hosts) {
    for (const protocol of ["http", "https", "socks5"]) {
      const proxy = at(`${protocol}://${host}:3128`);
      expect([host, findProxyViolation(proxy, none)]).toEqual([
        host,
        expect.stringContaining("PROXY_PRIVATE_HOSTS"),
      ]);
      expect(findProxyViolation(proxy, new Set([readProxyHostAndPort(proxy)]))).toBeUndefined();
      expect(findProxyViolation(proxy, new Set(["127.0.0.1:3129"]))).toEqual(expect.any(String));
    }
  }
  expect(findProxyViolation(at("http://proxy.example"), none)).toBeUndefined();
  expect(findProxyViolation(at("socks5://8.8.8.8"), none)).toBeUndefined();
});

test("no text makes the parser throw, and why a proxy is refused tells no password", () => {
  fc.assert(
    fc.property(
      fc.oneof(
        fc.string(),
        fc.webUrl(),
        fc.string().map((text) => `socks5://${text}`),
      ),
      (text) => {
        const proxy = parseProxy(text);
        if (proxy) expect(proxy.port).toBeGreaterThanOrEqual(0);
      },
    ),
    { numRuns: 1_000 },
  );
  expect(findProxyViolation(at("http://me:hidden@127.0.0.1"), none)).not.toMatch(/me|hidden/);
});
