import { createServer, type Server } from "node:http";
import { type AddressInfo, createServer as createTcpServer, type Socket } from "node:net";
import { afterAll, beforeAll, beforeEach, describe, expect, test, vi } from "vitest";
import { WebSocket } from "ws";

// A simulated resolver: the names of these tests must not depend on a network.
const resolver = vi.hoisted(() => ({
  answers: [] as string[][],
  lookups: 0,
  names: [] as string[],
}));
vi.mock("node:dns", async (original) => ({
  ...(await original<typeof import("node:dns")>()),
  lookup: (
    name: string,
    _options: unknown,
    callback: (error: Error | null, found: unknown) => void,
  ) => {
    resolver.lookups += 1;
    resolver.names.push(name);
    const addresses = resolver.answers.shift() ?? [];
    const found = addresses.map((address) => ({ address, family: address.includes(":") ? 6 : 4 }));
    callback(found.length === 0 ? new Error("ENOTFOUND") : null, found);
  },
}));
const { EgressBlocked, createEgress } = await import("./egress.ts");
const { hostileHosts, hostileNames, hostileUrls } = await import(
  "@tollgate/tests/support/hostile-urls.ts"
);

let server: Server;
let port: number;
let visits: string[] = [];
beforeAll(async () => {
  server = createServer((request, response) => {
    visits.push(request.url ?? "");
    const [, status, to = ""] = /^\/away\/(\d+)\/(.*)$/.exec(request.url ?? "") ?? [];
    if (status) response.writeHead(Number(status), { location: decodeURIComponent(to) });
    response.end("hello");
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  port = (server.address() as AddressInfo).port;
});
afterAll(() => server.close());
beforeEach(() => {
  visits = [];
  resolver.answers = [];
  resolver.lookups = 0;
  resolver.names = [];
});

async function ask(
  url: string,
  privateHosts: readonly string[] = [],
): Promise<{ status: number } | Error> {
  const egress = createEgress(new Set(privateHosts));
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

describe("egress", () => {
  test("does not even resolve what the policy forbids", { tags: ["F-74"] }, async () => {
    expect(await ask(`http://127.0.0.1:${port}/`)).toBeInstanceOf(EgressBlocked);
    expect(await ask(`http://localhost:${port}/`)).toBeInstanceOf(EgressBlocked);
    expect([resolver.lookups, visits]).toEqual([0, []]);
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

  test("connects to the checked address: a name is never resolved a second time", {
    tags: ["F-75"],
  }, async () => {
    // Were the name resolved again for the connection, it would lead to our server.
    resolver.answers = [["127.0.0.1"], ["127.0.0.1"]];
    await ask(`http://rebound.example:${port}/`);
    expect([resolver.lookups, visits]).toEqual([1, []]);
  });

  test("a name that does not resolve is an error like any other", async () => {
    expect(await ask("http://nowhere.example/")).toBeInstanceOf(Error);
  });

  test("reaches a host that the operator allows, and only with that port", async () => {
    expect(await ask(`http://127.0.0.1:${port}/v1`, [`127.0.0.1:${port}`])).toEqual({
      status: 200,
    });
    expect(visits).toEqual(["/v1"]);
    expect(await ask(`http://127.0.0.1:${port}/v1`, [`127.0.0.1:${port + 1}`])).toBeInstanceOf(
      EgressBlocked,
    );
  });

  test.each([301, 302, 303, 307, 308])(
    "does not follow a redirect with status %d, wherever it leads",
    { tags: ["F-73"] },
    async (status) => {
      const inside = [
        `http://127.0.0.1:${port}/inner`,
        "http://169.254.169.254/latest/meta-data/",
        "//localhost/",
        "/inner",
      ];
      for (const to of [...inside, "https://example.com/", "file:///etc/passwd", "http://[::1]/"]) {
        const path = `/away/${status}/${encodeURIComponent(to)}`;
        expect(await ask(`http://127.0.0.1:${port}${path}`, [`127.0.0.1:${port}`])).toEqual({
          status,
        });
        expect(visits.splice(0)).toEqual([path]);
      }
      expect(resolver.lookups).toBe(0);
    },
  );

  test("checks every host, also after it has allowed another", { tags: ["F-74"] }, () => {
    const egress = createEgress(new Set([`127.0.0.1:${port}`]));
    expect(egress.violation(`http://127.0.0.1:${port}`)).toBeUndefined();
    expect(egress.pool(new URL(`http://127.0.0.1:${port}`))).toBe(
      egress.pool(new URL(`http://127.0.0.1:${port}/other`)),
    );
    expect(() => egress.pool(new URL("http://127.0.0.1:1"))).toThrow(EgressBlocked);
    return egress.close();
  });

  describe("outside of the pools", () => {
    const dial = (url: string, privateHosts: readonly string[] = []): Promise<string | Error> => {
      const egress = createEgress(new Set(privateHosts));
      try {
        const socket = new WebSocket(url.replace(/^http/, "ws"), {
          ...egress.socketOptions(new URL(url)),
        });
        return new Promise((resolve) => {
          socket.once("error", resolve);
          socket.once("unexpected-response", (_request, { statusCode }) => {
            resolve(`status ${statusCode}`);
            socket.terminate();
          });
        });
      } catch (error) {
        return Promise.resolve(error as Error);
      }
    };

    test("a WebSocket reaches a host that the operator allows, and no other private address", async () => {
      expect(await dial(`http://127.0.0.1:${port}/v1`, [`127.0.0.1:${port}`])).toBe("status 200");
      expect(visits.splice(0)).toEqual(["/v1"]);
      for (const url of [`http://127.0.0.1:${port}/`, `http://localhost:${port}/`]) {
        expect(await dial(url)).toBeInstanceOf(EgressBlocked);
      }
      expect([resolver.lookups, visits]).toEqual([0, []]);
    });

    test("it connects to the address that was checked, and follows no redirect", async () => {
      resolver.answers = [["127.0.0.1"], ["8.8.8.8", "127.0.0.1"]];
      for (const name of ["rebound.example", "mixed.example"]) {
        expect(await dial(`http://${name}:${port}/`)).toBeInstanceOf(EgressBlocked);
      }
      expect([resolver.lookups, visits]).toEqual([2, []]);
      const away = `/away/302/${encodeURIComponent(`http://127.0.0.1:${port}/inner`)}`;
      expect(await dial(`http://127.0.0.1:${port}${away}`, [`127.0.0.1:${port}`])).toBe(
        "status 302",
      );
      expect(visits).toEqual([away]);
    });
  });

  test("refuses the whole corpus of hostile URLs before it resolves a name or opens a connection", {
    tags: ["F-72"],
  }, () => {
    const egress = createEgress(new Set());
    const hosts = Object.values(hostileHosts).flat();
    const urls = [
      ...hosts.map((host) => `http://${host}:${port}/`),
      ...Object.values(hostileUrls).flat(),
    ];
    for (const text of urls) {
      expect([text, egress.violation(text)]).toEqual([text, expect.any(String)]);
      // An invalid URL cannot even be passed.
      if (!URL.canParse(text)) continue;
      expect(() => egress.pool(new URL(text)), text).toThrow(EgressBlocked);
      expect(() => egress.socketOptions(new URL(text)), text).toThrow(EgressBlocked);
    }
    expect([resolver.lookups, visits]).toEqual([0, []]);
    return egress.close();
  });

  test.each(hostileNames)("refuses %s, a name that resolves to %s", async (name, address) => {
    resolver.answers = [[address]];
    const outcome = await ask(`http://${name}:${port}/`);
    expect(String(outcome)).toMatch(/resolves to a private address/);
    expect([resolver.lookups, visits]).toEqual([1, []]);
  });

  test("resolves the host that the policy has parsed, however the URL is written", async () => {
    for (const [url, host] of [
      [`http://EXAMPLE.com:${port}/`, "example.com"],
      [`http://example.com:${port}\\@127.0.0.1/`, "example.com"],
      [`http://ｅxample。com:${port}/`, "example.com"],
      [`http://ex\tample.com:${port}/`, "example.com"],
      [`http://%65xample.com:${port}/`, "example.com"],
      [`http://bücher.example:${port}/`, "xn--bcher-kva.example"],
    ] as const) {
      resolver.answers = [["127.0.0.1"]];
      expect(await ask(url)).toBeInstanceOf(Error);
      expect([url, resolver.names.splice(0)]).toEqual([url, [host]]);
    }
    expect(visits).toEqual([]);
  });

  test("no call waits for the TLS handshake of another", async () => {
    const sockets: Socket[] = [];
    const silent = createTcpServer((socket) =>
      sockets.push(socket.on("error", () => undefined).resume()),
    );
    await new Promise<void>((resolve) => silent.listen(0, "127.0.0.1", resolve));
    const origin = `https://127.0.0.1:${(silent.address() as AddressInfo).port}`;
    const egress = createEgress(new Set([new URL(origin).host]));
    const calls = Array.from({ length: 4 }, () =>
      egress.pool(new URL(origin)).request({ origin, path: "/", method: "GET" }),
    );
    const answers = Promise.allSettled(calls);
    await expect.poll(() => sockets.length).toBe(calls.length);
    await egress.close();
    await answers;
    silent.close();
  });

  test("resolves and checks again for every connection", async () => {
    const egress = createEgress(new Set());
    const target = new URL(`http://rebound.example:${port}/`);
    const knock = () =>
      egress
        .pool(target)
        .request({ path: "/", method: "GET" })
        .then(
          () => "in",
          (error: unknown) => String(error),
        );
    for (const address of ["127.0.0.1", "10.0.0.1", "::1", "169.254.169.254"]) {
      resolver.answers = [[address]];
      expect(await knock()).toMatch(/resolves to a private address/);
    }
    expect([resolver.lookups, visits]).toEqual([4, []]);
    await egress.close();
  });
});
