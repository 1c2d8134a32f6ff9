import { parseBlock } from "@tollgate/contract/api/cidr.ts";
import { expect, test } from "vitest";
import { composeClientAddress, hasDuplicateHost, rateLimitSource } from "./request-head.ts";

const trusted = ["10.0.0.0/8", "::1"].flatMap((text) => parseBlock(text) ?? []);

test.each([
  ["without trusted proxies headers count for nothing", "9.9.9.9", "1.1.1.1", [], "9.9.9.9"],
  ["an untrusted peer cannot speak for others", "9.9.9.9", "1.1.1.1", trusted, "9.9.9.9"],
  ["a trusted proxy names the client", "10.0.0.1", "1.1.1.1", trusted, "1.1.1.1"],
  [
    "what the client claims about others is ignored",
    "10.0.0.1",
    "6.6.6.6, 1.1.1.1",
    trusted,
    "1.1.1.1",
  ],
  [
    "a chain of trusted proxies is walked",
    "::ffff:10.0.0.1",
    "1.1.1.1, 10.2.3.4",
    trusted,
    "1.1.1.1",
  ],
  ["junk stops the walk", "10.0.0.1", "1.1.1.1, junk", trusted, "10.0.0.1"],
  ["a proxy that says nothing is the client", "::1", undefined, trusted, "::1"],
])("%s", (_, peer, forwarded, proxies, client) => {
  expect(composeClientAddress(peer, forwarded, proxies)).toBe(client);
});

test("limits count an IPv6 /64 as one source", () => {
  expect(rateLimitSource("2001:db8:1:2:3:4:5:6")).toBe(rateLimitSource("2001:db8:1:2::9"));
  expect(rateLimitSource("2001:db8:1:3::9")).not.toBe(rateLimitSource("2001:db8:1:2::9"));
  expect(rateLimitSource("1.2.3.4")).toBe("1.2.3.4");
});

test.each<[string, string[], boolean]>([
  ["one", ["Host", "a", "X-Host", "b"], false],
  ["none", ["accept", "host"], false],
  ["two that differ", ["host", "a", "accept", "*/*", "host", "b"], true],
  ["two that are the same, spelled otherwise", ["Host", "a", "HOST", "a"], true],
])("a request with %s", (_what, rawHeaders, expected) => {
  expect(hasDuplicateHost(rawHeaders)).toBe(expected);
});
