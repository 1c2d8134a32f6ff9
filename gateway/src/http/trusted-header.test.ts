import { parseBlock } from "@tollgate/contract/api/cidr.ts";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { createTrustedHeader, type HeaderRefusal } from "./trusted-header.ts";
import { findTrustedHeaderSettings } from "./trusted-header-settings.ts";

const secret = "the proxy's own secret, 32 bytes".replaceAll(" ", "-");
const blocks = (...texts: string[]) => texts.flatMap((text) => parseBlock(text) ?? []);
const given = {
  TRUSTED_SIGN_IN_HEADER: "Remote-User",
  TRUSTED_SIGN_IN_SECRET_HEADER: "X-Proxy-Secret",
  TRUSTED_SIGN_IN_SECRET: secret,
  TRUSTED_SIGN_IN_GROUPS_HEADER: "Remote-Groups",
  TRUSTED_PROXIES: blocks("10.1.0.0/16", "2001:db8::/48"),
};

function reader() {
  const refused: [HeaderRefusal, string][] = [];
  const settings = findTrustedHeaderSettings(given);
  if (!settings || "problem" in settings) throw new Error("the settings are complete");
  const header = createTrustedHeader(settings, (refusal, peer) => refused.push([refusal, peer]));
  const readRaw = (headers: readonly [string, string][], peer = "10.1.2.3") =>
    header.read(new Headers([...headers]), peer, headers.flat());
  const read = (headers: Record<string, string>, peer?: string) =>
    readRaw(Object.entries(headers), peer);
  return { read, readRaw, refused };
}

const sent = (name: string, more: object = {}) => ({
  "remote-user": name,
  "x-proxy-secret": secret,
  ...more,
});

describe("the header of a proxy", () => {
  test("names the user and their groups on a connection of the proxy that knows the secret", () => {
    const { read, refused } = reader();
    expect(read(sent("alice"))).toEqual({ name: "alice", groups: [] });
    expect(read(sent("alice", { "remote-groups": "staff, admins" }), "::ffff:10.1.2.3")).toEqual({
      name: "alice",
      groups: ["staff", "admins"],
    });
    expect(
      read(sent("al@example.org", { "remote-groups": "a|b||" }), "2001:db8::7")?.groups,
    ).toEqual(["a", "b"]);
    expect(refused).toEqual([]);
  });

  test("does not count from another peer, without the secret, or with a name that may be two", () => {
    const { read, refused } = reader();
    expect(read(sent("alice"), "10.2.0.1")).toBeUndefined();
    expect(read(sent("alice", { "x-forwarded-for": "10.1.2.3" }), "203.0.113.9")).toBeUndefined();
    expect(read(sent("alice"), "unknown")).toBeUndefined();
    expect(read({ "remote-user": "alice" })).toBeUndefined();
    expect(read(sent("alice", { "x-proxy-secret": `${secret}, ${secret}` }))).toBeUndefined();
    expect(read(sent("mallory, alice"))).toBeUndefined();
    expect(read(sent("ali\u00e9"))).toBeUndefined();
    expect(refused.map(([reason]) => reason)).toEqual([
      "peer",
      "peer",
      "peer",
      "secret",
      "secret",
      "name",
      "name",
    ]);
    expect(refused[1]).toEqual(["peer", "203.0.113.9"]);
  });

  test("does not count with groups that were sent twice: the first may be the client's", () => {
    const { readRaw, refused } = reader();
    const own = Object.entries(sent("alice")) as [string, string][];
    const groups = (name: string, value: string): [string, string] => [name, value];
    expect(
      readRaw([...own, groups("Remote-Groups", "admins"), groups("remote-groups", "staff")]),
    ).toBeUndefined();
    expect(refused.map(([reason]) => reason)).toEqual(["groups"]);
    expect(readRaw([...own, groups("Remote-Groups", "staff")])?.groups).toEqual(["staff"]);
  });

  test("is nothing to refuse where it is absent or empty", () => {
    const { read, refused } = reader();
    expect([read({}), read({ "x-proxy-secret": "wrong" }), read(sent(""))]).toEqual([
      undefined,
      undefined,
      undefined,
    ]);
    expect(refused).toEqual([]);
  });

  test("never names a user for a wrong secret or another peer, whatever is sent", () => {
    const { read } = reader();
    const latin = fc.stringMatching(/^[\x20-\x7e\x80-\xff]{0,300}$/);
    fc.assert(
      fc.property(latin, latin, latin, fc.ipV4(), (name, guess, groups, peer) => {
        const headers = { "remote-user": name, "x-proxy-secret": guess, "remote-groups": groups };
        if (guess.trim() !== secret) expect(read(headers)).toBeUndefined();
        if (!peer.startsWith("10.1."))
          expect(read({ ...headers, "x-proxy-secret": secret }, peer)).toBeUndefined();
        const user = read({ ...headers, "x-proxy-secret": secret });
        if (user) expect(user.name).toMatch(/^[\x21-\x7e](?:[\x20-\x7e]*[\x21-\x7e])?$/);
        if (user) expect(user.name).not.toContain(",");
      }),
      { numRuns: 1_000 },
    );
  });
});

describe("the settings of a proxy's header", () => {
  test("are off where no variable is set", () => {
    expect(findTrustedHeaderSettings({ TRUSTED_PROXIES: blocks("0.0.0.0/0") })).toBeUndefined();
  });

  test.each([
    ["half of them", { TRUSTED_SIGN_IN_SECRET: undefined }, /needs TRUSTED_SIGN_IN_HEADER/],
    ["groups alone", { TRUSTED_SIGN_IN_HEADER: undefined }, /needs TRUSTED_SIGN_IN_HEADER/],
    ["no proxies", { TRUSTED_PROXIES: [] }, /needs TRUSTED_PROXIES/],
    ["a wide block", { TRUSTED_PROXIES: blocks("10.0.0.0/8") }, /at least \/16 in place of \/8/],
    [
      "a wide block of IPv6",
      { TRUSTED_PROXIES: blocks("127.0.0.1", "2001:db8::/32") },
      /at least \/48/,
    ],
    ["one header twice", { TRUSTED_SIGN_IN_GROUPS_HEADER: "remote-user" }, /must differ/],
    [
      "a header with another meaning",
      { TRUSTED_SIGN_IN_HEADER: "Authorization" },
      /authorization cannot be/,
    ],
  ])("stop the start with %s", (_, change, problem) => {
    expect(findTrustedHeaderSettings({ ...given, ...change })).toEqual({
      problem: expect.stringMatching(problem),
    });
  });
});
