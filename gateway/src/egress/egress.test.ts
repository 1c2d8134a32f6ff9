import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { afterAll, beforeAll, beforeEach, describe, expect, test, vi } from "vitest";

// A resolver of our own: the names of these tests must not depend on anybody's network.
const resolver = vi.hoisted(() => ({ answers: [] as string[][], asked: 0 }));
vi.mock("node:dns", async (original) => ({
  ...(await original<typeof import("node:dns")>()),
  lookup: (_name: string, _options: unknown, callback: (error: Error | null, found: unknown) => void) => {
    resolver.asked += 1;
    const addresses = resolver.answers.shift() ?? [];
    const found = addresses.map((address) => ({ address, family: address.includes(":") ? 6 : 4 }));
    callback(found.length === 0 ? new Error("ENOTFOUND") : null, found);
  },
}));
const { EgressRefused, openEgress } = await import("./egress.ts");

let server: Server;
let port: number;
let visits: string[] = [];
beforeAll(async () => {
  server = createServer((request, response) => {
    visits.push(request.url ?? "");
    if (request.url === "/away") response.writeHead(302, { location: `http://127.0.0.1:${port}/inner` });
    response.end("hello");
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  port = (server.address() as AddressInfo).port;
});
afterAll(() => server.close());
beforeEach(() => {
  visits = [];
  resolver.answers = [];
  resolver.asked = 0;
});

async function ask(url: string, privateHosts: readonly string[] = []): Promise<{ status: number } | Error> {
  const egress = openEgress(new Set(privateHosts));
  try {
    const target = new URL(url);
    return await new Promise((resolve) => {
      let status = 0;
      egress.pool(target).dispatch(
        { path: target.pathname, method: "POST", body: "{}", headers: [] },
        {
          onRequestStart: () => undefined,
          onResponseStart: (_controller, code) => {
            status = code;
          },
          onResponseData: () => undefined,
          onResponseEnd: () => resolve({ status }),
          onResponseError: (_controller, error) => resolve(error),
        },
      );
    });
  } catch (error) {
    return error as Error;
  } finally {
    await egress.close();
  }
}

describe("the way out", () => {
  test("does not even resolve what the policy forbids", async () => {
    expect(await ask(`http://127.0.0.1:${port}/`)).toBeInstanceOf(EgressRefused);
    expect(await ask(`http://localhost:${port}/`)).toBeInstanceOf(EgressRefused);
    expect([resolver.asked, visits]).toEqual([0, []]);
  });

  test.each([
    ["a loopback address", ["127.0.0.1"]],
    ["a private address", ["10.1.2.3"]],
    ["the metadata service", ["169.254.169.254"]],
    ["an IPv6 loopback", ["::1"]],
    ["a mapped address", ["::ffff:127.0.0.1"]],
    ["a public and a private address", ["8.8.8.8", "127.0.0.1"]],
    ["a private and a public address", ["127.0.0.1", "8.8.8.8"]],
  ])("refuses a name that resolves to %s, before any packet", async (_, addresses) => {
    resolver.answers = [addresses];
    const outcome = await ask(`http://rebound.example:${port}/`);
    expect(outcome).toBeInstanceOf(Error);
    expect(String(outcome)).toMatch(/rebound\.example resolves to a private address/);
    expect(visits).toEqual([]);
  });

  test("connects to the address that it checked: a second answer is never asked for", async () => {
    // Were the name resolved again for the connection, it would lead to our server.
    resolver.answers = [["127.0.0.1"], ["127.0.0.1"]];
    await ask(`http://rebound.example:${port}/`);
    expect([resolver.asked, visits]).toEqual([1, []]);
  });

  test("a name that does not resolve is an error like any other", async () => {
    expect(await ask("http://nowhere.example/")).toBeInstanceOf(Error);
  });

  test("goes to what the operator has named, and only with that port", async () => {
    expect(await ask(`http://127.0.0.1:${port}/v1`, [`127.0.0.1:${port}`])).toEqual({ status: 200 });
    expect(visits).toEqual(["/v1"]);
    expect(await ask(`http://127.0.0.1:${port}/v1`, [`127.0.0.1:${port + 1}`])).toBeInstanceOf(EgressRefused);
  });

  test("does not follow redirects", async () => {
    expect(await ask(`http://127.0.0.1:${port}/away`, [`127.0.0.1:${port}`])).toEqual({ status: 302 });
    expect(visits).toEqual(["/away"]);
  });

  test("asks again for every host, and refuses after it has allowed another", () => {
    const egress = openEgress(new Set([`127.0.0.1:${port}`]));
    expect(egress.trouble(`http://127.0.0.1:${port}`)).toBeUndefined();
    expect(egress.pool(new URL(`http://127.0.0.1:${port}`))).toBe(
      egress.pool(new URL(`http://127.0.0.1:${port}/other`)),
    );
    expect(() => egress.pool(new URL("http://127.0.0.1:1"))).toThrow(EgressRefused);
    return egress.close();
  });
});
