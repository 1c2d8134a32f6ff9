import { hostileHosts, hostileUrls } from "@tollgate/tests/support/hostile-urls.ts";
import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { findUrlViolation, isPublicAddress, readHostAndPort } from "./address-policy.ts";

const none: ReadonlySet<string> = new Set();

/**
 * First and last address of every block that is not the public internet (IANA's special-purpose
 * registries), and Azure's host agent.
 */
const reserved4 = [
  ["0.0.0.0", "0.255.255.255"],
  ["10.0.0.0", "10.255.255.255"],
  ["100.64.0.0", "100.127.255.255"],
  ["127.0.0.0", "127.255.255.255"],
  ["168.63.129.16", "168.63.129.16"],
  ["169.254.0.0", "169.254.255.255"],
  ["172.16.0.0", "172.31.255.255"],
  ["192.0.0.0", "192.0.0.255"],
  ["192.0.2.0", "192.0.2.255"],
  ["192.88.99.0", "192.88.99.255"],
  ["192.168.0.0", "192.168.255.255"],
  ["198.18.0.0", "198.19.255.255"],
  ["198.51.100.0", "198.51.100.255"],
  ["203.0.113.0", "203.0.113.255"],
  ["224.0.0.0", "239.255.255.255"],
  ["240.0.0.0", "255.255.255.255"],
] as const;

const asNumber = (address: string): number =>
  address.split(".").reduce((sum, part) => sum * 256 + Number(part), 0);
const asAddress = (value: number): string =>
  [24, 16, 8, 0].map((shift) => Math.floor(value / 2 ** shift) % 256).join(".");
const reservedAddress = fc
  .constantFrom(...reserved4)
  .chain(([from, to]) => fc.integer({ min: asNumber(from), max: asNumber(to) }))
  .map(asAddress);

describe("public addresses", () => {
  test("exclude all reserved blocks, from the first address to the last", {
    tags: ["F-72"],
  }, () => {
    for (const block of reserved4)
      for (const address of block)
        expect([address, isPublicAddress(address)]).toEqual([address, false]);
    fc.assert(
      fc.property(reservedAddress, (address) => {
        expect(isPublicAddress(address)).toBe(false);
      }),
    );
  });

  test("include the addresses next to the blocks", () => {
    const isReserved = (value: number) =>
      reserved4.some(([from, to]) => value >= asNumber(from) && value <= asNumber(to));
    for (const [from, to] of reserved4) {
      for (const value of [asNumber(from) - 1, asNumber(to) + 1]) {
        if (value < 0 || value >= 2 ** 32 || isReserved(value)) continue;
        expect([asAddress(value), isPublicAddress(asAddress(value))]).toEqual([
          asAddress(value),
          true,
        ]);
      }
    }
  });

  test("agree with the blocks for every address", () => {
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 2 ** 32 - 1 }), (value) => {
        const expected = !reserved4.some(
          ([from, to]) => value >= asNumber(from) && value <= asNumber(to),
        );
        expect(isPublicAddress(asAddress(value))).toBe(expected);
      }),
      { numRuns: 2_000 },
    );
  });

  test.each([
    "::",
    "::1",
    "::ffff:127.0.0.1",
    "::ffff:7f00:1",
    "::ffff:8.8.8.8",
    "::127.0.0.1",
    "::8.8.8.8",
    "64:ff9b::a9fe:a9fe",
    "64:ff9b::808:808",
    "64:ff9b:1::1",
    "100::1",
    "2001::1",
    "2001:0:7f00:1::",
    "2001:2::1",
    "2001:10::1",
    "2001:20::1",
    "2001:db8::1",
    "2002:7f00:1::1",
    "2002:a9fe:a9fe::",
    "3fff::1",
    "5f00::1",
    "fc00::1",
    "fd12:3456::1",
    "fe80::1",
    "fe80::1%eth0",
    "fec0::1",
    "ff02::1",
    "FF02::1",
    "::FFFF:169.254.169.254",
  ])("%s is none", (address) => expect(isPublicAddress(address)).toBe(false));

  test.each([
    "2606:4700::1111",
    "2a00:1450:4001::1",
    "2620:fe::fe",
    "2001:4860:4860::8888",
    "2400::1",
  ])("%s is one", (address) => expect(isPublicAddress(address)).toBe(true));

  test.each([
    "",
    "localhost",
    "8.8.8",
    "08.8.8.8",
    "8.8.8.8.",
    "8.8.8.8:80",
    "[::1]",
    "1e1.1.1.1",
    " 8.8.8.8",
  ])("%j is no address at all", (text) => expect(isPublicAddress(text)).toBe(false));
});

describe("URLs", () => {
  const hosts = Object.entries(hostileHosts).flatMap(([trick, all]) =>
    all.map((host) => [trick, host] as const),
  );
  const whole = Object.entries(hostileUrls).flatMap(([trick, all]) =>
    all.map((url) => [trick, url] as const),
  );

  test("the corpus has more than 400 spellings, each once", { tags: ["F-72"] }, () => {
    const spellings = [...hosts, ...whole].map(([, text]) => text);
    expect(new Set(spellings).size).toBe(spellings.length);
    expect(spellings.length).toBeGreaterThan(400);
  });

  test.each(hosts)("%s: %s is refused with any scheme and port", { tags: ["F-72"] }, (_, host) => {
    for (const scheme of ["http", "https"]) {
      for (const port of ["", ":80", ":443", ":8080"]) {
        const url = `${scheme}://${host}${port}/v1/chat/completions`;
        expect([url, findUrlViolation(url, none)]).toEqual([url, expect.any(String)]);
      }
    }
  });

  test.each(whole)("%s: %j is refused", (_, url) =>
    expect(findUrlViolation(url, none)).toEqual(expect.any(String)),
  );

  test.each([
    "https://api.openai.com/v1",
    "http://example.com",
    "https://8.8.8.8/",
    "https://[2606:4700::1111]:8443/v1",
    "https://localhost.example.com/",
    "https://mylocalhost/",
    // The client uses the same parser: the host is example.com, the rest a path.
    "https://example.com\\@127.0.0.1:x/",
    "https://10.example.com/",
  ])("%s is fine as far as it can be read", (url) =>
    expect(findUrlViolation(url, none)).toBeUndefined(),
  );

  test("a host that the operator allows is allowed with exactly that port", () => {
    const named = new Set(["127.0.0.1:11434", "[::1]:8080", "ollama.localhost:80", "10.0.0.5:443"]);
    for (const url of [
      "http://127.0.0.1:11434/v1",
      "http://2130706433:11434",
      "http://[::1]:8080",
      "http://OLLAMA.localhost",
      "https://10.0.0.5",
    ])
      expect([url, findUrlViolation(url, named)]).toEqual([url, undefined]);
    for (const url of [
      "http://127.0.0.1:11435",
      "http://127.0.0.1",
      "http://[::1]",
      "https://ollama.localhost",
      "http://10.0.0.5",
    ])
      expect([url, findUrlViolation(url, named)]).toEqual([
        url,
        expect.stringContaining("UPSTREAM_PRIVATE_HOSTS"),
      ]);
    // A user name or password in the URL is refused even there.
    expect(findUrlViolation("http://user@127.0.0.1:11434/", named)).toEqual(expect.any(String));
  });

  test("the reason names what to add", () => {
    expect(findUrlViolation("http://192.168.1.5:11434/v1", none)).toContain("192.168.1.5:11434");
    expect(readHostAndPort(new URL("https://[::1]/"))).toBe("[::1]:443");
  });

  test("no text makes the check throw, and what it allows is http and not private", {
    tags: ["F-74"],
  }, () => {
    fc.assert(
      fc.property(
        fc.oneof(fc.string(), fc.webUrl({ withFragments: true, withQueryParameters: true })),
        (text) => {
          if (findUrlViolation(text, none) !== undefined) return;
          expect(["http:", "https:"]).toContain(new URL(text).protocol);
        },
      ),
      { numRuns: 1_000 },
    );
    fc.assert(
      fc.property(
        reservedAddress,
        fc.constantFrom("dotted", "dword", "hex", "octal", "mapped"),
        (address, spelling) => {
          const value = asNumber(address);
          const written = {
            dotted: address,
            dword: String(value),
            hex: `0x${value.toString(16)}`,
            octal: `0${value.toString(8)}`,
            mapped: `[::ffff:${address}]`,
          }[spelling];
          expect([written, findUrlViolation(`https://${written}/v1`, none)]).toEqual([
            written,
            expect.any(String),
          ]);
        },
      ),
      { numRuns: 1_000 },
    );
  });
});
