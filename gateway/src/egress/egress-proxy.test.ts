// Calls through proxies that run here: what they are told, who checks the certificate, and what a
// proxy that lies can do.
import { execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { createServer as createHttpServer, type Server } from "node:http";
import { createServer as createHttpsServer } from "node:https";
import {
  type AddressInfo,
  connect,
  createServer,
  type Server as NetServer,
  type Socket,
} from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import {
  createServer as createTlsServer,
  getCACertificates,
  setDefaultCACertificates,
} from "node:tls";
import { afterAll, beforeAll, beforeEach, expect, test, vi } from "vitest";
import { WebSocket, WebSocketServer } from "ws";

// A simulated resolver: the names of these tests must not depend on a network.
const resolver = vi.hoisted(() => ({
  addresses: {} as Record<string, string[]>,
  names: [] as string[],
}));
vi.mock("node:dns", async (original) => ({
  ...(await original<typeof import("node:dns")>()),
  lookup: (
    name: string,
    _options: unknown,
    callback: (error: Error | null, found: unknown) => void,
  ) => {
    resolver.names.push(name);
    const addresses = resolver.addresses[name] ?? [];
    const found = addresses.map((address) => ({ address, family: 4 }));
    callback(found.length === 0 ? new Error("ENOTFOUND") : null, found);
  },
}));
const { EgressBlocked, createEgress } = await import("./egress.ts");
const { parseProxy } = await import("./proxy-address.ts");

const folder = mkdtempSync(join(tmpdir(), "egress-proxy-"));
const file = (name: string) => join(folder, name);
const portOf = (server: NetServer) => (server.address() as AddressInfo).port;
const listen = (server: NetServer) =>
  new Promise<number>((resolve) => server.listen(0, "127.0.0.1", () => resolve(portOf(server))));

let upstream: Server;
let secureUpstream: ReturnType<typeof createHttpsServer>;
let proxy: NetServer;
let secureProxy: NetServer;
let asked: string[] = [];
let secrets: string[] = [];
/** `answer` is what the proxy answers in place of passing on; it may be told to lead elsewhere. */
let answer: string | undefined;
let leadsTo: number;
const tunnels = new Set<Socket>();
const authorities = getCACertificates("default");

const serveProxy = (socket: Socket) => {
  tunnels.add(socket);
  socket.on("error", () => socket.destroy());
  socket.once("data", (head) => {
    const lines = head.toString("latin1").split("\r\n");
    asked.push(lines[0] ?? "");
    secrets.push(...lines.filter((line) => line.startsWith("Proxy-Authorization")));
    if (answer !== undefined) return socket.write(answer);
    const onward = connect(leadsTo, "127.0.0.1", () => {
      socket.write("HTTP/1.1 200 OK\r\n\r\n");
      socket.pipe(onward).pipe(socket);
    });
    tunnels.add(onward);
    onward.on("error", () => socket.destroy());
  });
};

beforeAll(async () => {
  execFileSync(
    "openssl",
    [
      ...[
        "req",
        "-x509",
        "-newkey",
        "ec",
        "-pkeyopt",
        "ec_paramgen_curve:prime256v1",
        "-nodes",
        "-days",
        "2",
      ],
      ...["-keyout", file("key.pem"), "-out", file("cert.pem"), "-subj", "/CN=provider.example"],
      ...["-addext", "subjectAltName=DNS:provider.example,IP:127.0.0.1"],
    ],
    { stdio: "ignore" },
  );
  const certificate = readFileSync(file("cert.pem"), "utf8");
  setDefaultCACertificates([...authorities, certificate]);
  upstream = createHttpServer((request, response) => response.end(`plain ${request.headers.host}`));
  const tls = { key: readFileSync(file("key.pem")), cert: certificate };
  secureUpstream = createHttpsServer(tls, (request, response) =>
    response.end(`secure ${request.headers.host}`),
  );
  new WebSocketServer({ server: secureUpstream }).on("connection", (socket) =>
    socket.send("hello"),
  );
  proxy = createServer(serveProxy);
  secureProxy = createTlsServer(tls, serveProxy);
  await Promise.all([listen(upstream), listen(secureUpstream), listen(proxy), listen(secureProxy)]);
});
afterAll(() => {
  setDefaultCACertificates(authorities);
  rmSync(folder, { recursive: true });
  for (const socket of tunnels) socket.destroy();
  for (const server of [upstream, secureUpstream, proxy, secureProxy]) server.close();
});
beforeEach(() => {
  asked = [];
  secrets = [];
  answer = undefined;
  leadsTo = portOf(secureUpstream);
  resolver.addresses = {
    "provider.example": ["8.8.8.8"],
    "other.example": ["8.8.4.4"],
    "inside.example": ["10.0.0.1"],
  };
  resolver.names = [];
});

const through = (
  credentials = "",
  privateHosts = [`127.0.0.1:${portOf(proxy)}`],
  timeoutMs = 5_000,
) => {
  const used = parseProxy(`http://${credentials}127.0.0.1:${portOf(proxy)}`);
  return createEgress(
    new Set([`127.0.0.1:${portOf(upstream)}`]),
    { connectTimeoutMs: timeoutMs },
    { current: () => used, privateHosts: new Set(privateHosts) },
  );
};
async function ask(egress: ReturnType<typeof createEgress>, url: string): Promise<string> {
  try {
    const target = new URL(url);
    const { body } = await egress
      .pool(target)
      .request({ path: "/", method: "GET", origin: target.origin });
    return await body.text();
  } catch (error) {
    return String(error);
  } finally {
    await egress.close();
  }
}

test("the proxy is told the checked address and never the name, which only the TLS of the provider sees", async () => {
  expect(await ask(through("me:hidden@"), "https://provider.example/")).toBe(
    "secure provider.example",
  );
  expect(asked).toEqual(["CONNECT 8.8.8.8:443 HTTP/1.1"]);
  expect(secrets).toEqual(["Proxy-Authorization: Basic bWU6aGlkZGVu"]);
  expect(resolver.names).toEqual(["provider.example"]);
  leadsTo = portOf(upstream);
  expect(await ask(through(), "http://provider.example:8080/")).toBe("plain provider.example:8080");
  expect(asked.at(-1)).toBe("CONNECT 8.8.8.8:8080 HTTP/1.1");
});

test("a WebSocket takes the same way, with the same check of the certificate", async () => {
  const egress = through();
  const first = (url: string) =>
    new Promise<string>((resolve) => {
      const socket = new WebSocket(url, {
        ...egress.socketOptions(new URL(url.replace("wss:", "https:"))),
      });
      socket.once("message", (data) => resolve(String(data)));
      socket.once("error", (error) => resolve(String(error)));
    });
  expect(await first("wss://provider.example/")).toBe("hello");
  expect(await first("wss://other.example/")).toMatch(/altnames|certificate/i);
  answer = "HTTP/1.1 403 Forbidden\r\n\r\n";
  expect(await first("wss://provider.example/")).toMatch(/refused to connect \(403\)/);
  await egress.close();
});

test("a proxy that is reached by https has its own certificate checked, and the provider its own inside of it", async () => {
  const port = portOf(secureProxy);
  const over = (text: string) => {
    const used = parseProxy(text);
    const privateHosts = new Set([`127.0.0.1:${port}`, `localhost:${port}`]);
    return createEgress(new Set(), {}, { current: () => used, privateHosts });
  };
  expect(await ask(over(`https://127.0.0.1:${port}`), "https://provider.example/")).toBe(
    "secure provider.example",
  );
  expect(asked).toEqual(["CONNECT 8.8.8.8:443 HTTP/1.1"]);
  resolver.addresses.localhost = ["127.0.0.1"];
  expect(await ask(over(`https://localhost:${port}`), "https://provider.example/")).toMatch(
    /altnames|certificate/i,
  );
});

test("a proxy that leads elsewhere gets no request: the certificate there has another name", async () => {
  expect(await ask(through(), "https://other.example/")).toMatch(/altnames|certificate/i);
});

test.each([
  [
    "forges an answer behind its own",
    "HTTP/1.1 200 OK\r\n\r\nHTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\n{}",
    /before the first request/,
  ],
  [
    "wants another password",
    "HTTP/1.1 407 No\r\nProxy-Authenticate: Basic\r\n\r\n",
    /refused its user name or password/,
  ],
  [
    "sends to another place",
    "HTTP/1.1 302 Found\r\nLocation: http://127.0.0.1/\r\n\r\n",
    /refused to connect \(302\)/,
  ],
  ["is no proxy", "220 mail.example ESMTP\r\n\r\n", /does not speak HTTP/],
])("a proxy that %s is refused, and the error has no password", async (_, text, words) => {
  answer = text;
  const error = await ask(through("me:hidden@"), "http://provider.example/");
  expect(error).toMatch(words);
  expect(error).not.toMatch(/hidden|bWU6/);
});

test("a proxy that stays silent ends the call in time", async () => {
  answer = "";
  expect(await ask(through("", undefined, 50), "https://provider.example/")).toMatch(
    /did not answer in time/,
  );
});

test("what may not be called directly may not be called through a proxy", {
  tags: ["F-71"],
}, async () => {
  for (const url of [
    "http://127.0.0.1:1/",
    "http://localhost/",
    "http://169.254.169.254/",
    "http://[::1]/",
  ]) {
    expect(await ask(through(), url)).toMatch(/UPSTREAM_PRIVATE_HOSTS/);
  }
  expect(await ask(through(), "https://inside.example/")).toMatch(/resolves to a private address/);
  expect(asked).toEqual([]);
});

test("a proxy at a private address needs the operator's word, also where only its name leads there", async () => {
  expect(await ask(through("", []), "https://provider.example/")).toMatch(/PROXY_PRIVATE_HOSTS/);
  const named = parseProxy("http://inside.example:3128");
  const egress = createEgress(new Set(), {}, { current: () => named, privateHosts: new Set() });
  expect(await ask(egress, "https://provider.example/")).toMatch(
    /inside\.example resolves to a private address/,
  );
  expect(asked).toEqual([]);
});

test("a private host that the operator allows is called directly", async () => {
  const host = `127.0.0.1:${portOf(upstream)}`;
  expect(await ask(through(), `http://${host}/`)).toBe(`plain ${host}`);
  expect(asked).toEqual([]);
});

test("a channel's own proxy replaces that of the settings, with the same checks and pools of its own", async () => {
  const egress = createEgress(
    new Set(),
    {},
    {
      current: () => parseProxy("http://127.0.0.1:1"),
      privateHosts: new Set([`127.0.0.1:${portOf(proxy)}`]),
    },
  );
  const own = (credentials: string) =>
    parseProxy(`http://${credentials}127.0.0.1:${portOf(proxy)}`);
  const url = new URL("https://provider.example/");
  const exit = egress.through(own("me:hidden@"));
  const { body } = await exit.pool(url).request({ path: "/", method: "GET" });
  expect(await body.text()).toBe("secure provider.example");
  expect(asked).toEqual(["CONNECT 8.8.8.8:443 HTTP/1.1"]);
  expect(secrets).toEqual(["Proxy-Authorization: Basic bWU6aGlkZGVu"]);
  expect(egress.openSockets()).toBe(1);
  // Connections through one proxy are never those through another, or with another password.
  expect(egress.through(own("me:hidden@")).pool(url)).toBe(exit.pool(url));
  expect(egress.through(own("me:other@")).pool(url)).not.toBe(exit.pool(url));
  expect(() => egress.through(parseProxy("http://127.0.0.1:1")).pool(url)).toThrow(
    /PROXY_PRIVATE_HOSTS/,
  );
  expect(() => exit.pool(new URL("http://169.254.169.254/"))).toThrow(/UPSTREAM_PRIVATE_HOSTS/);
  // Without one of its own, that of the settings, which may not be used here.
  expect(() => egress.through(undefined).pool(url)).toThrow(/PROXY_PRIVATE_HOSTS/);
  await egress.close();
});

test("a change of the proxy is obeyed by the next call, and one that cannot be read blocks all", async () => {
  let current = () => parseProxy(`http://127.0.0.1:${portOf(proxy)}`);
  let used = current();
  const privateHosts = new Set([`127.0.0.1:${portOf(proxy)}`]);
  const egress = createEgress(new Set(), {}, { current: () => used, privateHosts });
  const url = new URL("https://provider.example/");
  const pool = egress.pool(url);
  expect(egress.pool(url)).toBe(pool);
  used = current();
  expect(egress.pool(url)).not.toBe(pool);
  await egress.close();
  current = () => {
    throw new EgressBlocked("cannot be read");
  };
  const blocked = createEgress(new Set(), {}, { current, privateHosts });
  expect(() => blocked.pool(url)).toThrow(EgressBlocked);
});
