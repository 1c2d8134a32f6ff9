// A running gateway behind a SOCKS5 proxy: root's setting leads calls and channel tests through it,
// and no one sees its password.

import { type AddressInfo, connect, createServer, type Server, type Socket } from "node:net";
import { duplicateChannel, updateBalance } from "@tollgate/contract/catalogue/channel-actions.ts";
import { updateChannelProxy } from "@tollgate/contract/catalogue/channel-proxies.ts";
import { getChannel, testChannel } from "@tollgate/contract/catalogue/channels.ts";
import { updateOption } from "@tollgate/contract/site/options.ts";
import { afterAll, beforeAll, expect, test } from "vitest";
import type { ApiSession } from "../harness/api-session.ts";
import { startTestGateway, type TestGateway } from "../harness/test-gateway.ts";

let gateway: TestGateway;
let root: ApiSession;
let proxy: Server;
let port: number;
let asked: string[] = [];
const signIns: string[] = [];
let isOpen = true;
const sockets = new Set<Socket>();

/** `turn` gives one turn of the proxy: all bytes that a client has sent before it waits. */
const turn = (socket: Socket) => new Promise<Buffer>((resolve) => socket.once("data", resolve));

async function serve(socket: Socket) {
  sockets.add(socket);
  socket.on("error", () => socket.destroy());
  await turn(socket);
  socket.write(Buffer.from([5, 2]));
  signIns.push((await turn(socket)).toString("latin1"));
  socket.write(Buffer.from([1, isOpen ? 0 : 1]));
  if (!isOpen) return socket.end();
  const request = await turn(socket);
  asked.push(`${[...request.subarray(4, 8)].join(".")}:${request.readUInt16BE(8)}`);
  // Whatever is asked for, it leads to the simulator.
  const { hostname, port: at } = new URL(gateway.simulator.url);
  const onward = connect(Number(at), hostname, () => {
    socket.write(Buffer.from([5, 0, 0, 1, 0, 0, 0, 0, 0, 0]));
    socket.pipe(onward).pipe(socket);
  });
  sockets.add(onward);
  onward.on("error", () => socket.destroy());
}

beforeAll(async () => {
  proxy = createServer((socket) => void serve(socket));
  await new Promise<void>((resolve) => proxy.listen(0, "127.0.0.1", resolve));
  port = (proxy.address() as AddressInfo).port;
  gateway = await startTestGateway({
    env: { API_RATE_LIMIT: "0", PROXY_PRIVATE_HOSTS: `127.0.0.1:${port}` },
  });
  root = await gateway.root();
});
afterAll(async () => {
  await gateway.close();
  for (const socket of sockets) socket.destroy();
  proxy.close();
});
const set = (value: string) =>
  root.call(updateOption, { body: { key: "OutboundProxySecret", value, clear: value === "" } });

test("calls and channel tests go through the proxy that root sets, to the address that was checked", async () => {
  await set(`socks5://gate:hidden-word@127.0.0.1:${port}`);
  // A public address, at which only the proxy has a server.
  const { id } = await gateway.given.channel({
    key: "sim-ok",
    models: "far",
    base_url: "http://8.8.8.8:8443",
  });
  const { key } = await gateway.given.token();
  const reply = await gateway.chat(key, { model: "far", max_tokens: 4 });
  expect(reply.status).toBe(200);
  await root.call(testChannel, { params: { id } });
  expect([...new Set(asked)]).toEqual(["8.8.8.8:8443"]);
  expect([...new Set(signIns)]).toEqual(["\x01\x04gate\x0bhidden-word"]);

  // A private host that the operator allows is called directly.
  asked = [];
  await gateway.given.channel({ key: "sim-ok", models: "near" });
  expect((await gateway.chat(key, { model: "near", max_tokens: 4 })).status).toBe(200);
  expect(asked).toEqual([]);
});

test("a proxy that refuses ends the call, without a way around it and without its password in words or rows", async () => {
  isOpen = false;
  await set(`socks5://gate:other-word@127.0.0.1:${port}`);
  const { key } = await gateway.given.token();
  const reply = await gateway.chat(key, { model: "far", max_tokens: 4 });
  expect(reply.status).toBeGreaterThanOrEqual(500);
  const said = JSON.stringify([
    reply.body,
    await gateway.rows("select * from logs"),
    await gateway.rows("select * from options"),
  ]);
  expect(said).not.toMatch(/hidden-word|other-word/);
  isOpen = true;
});

test("a channel's own proxy leads its calls, tests and balances, whatever the settings say, and is never shown", async () => {
  // Nothing can leave through this one.
  await set("http://proxy.invalid:3128");
  const { id } = await gateway.given.channel({
    type: 1,
    key: "sim-ok",
    models: "own",
    base_url: "http://8.8.4.4:8443",
  });
  const { key } = await gateway.given.token();
  const call = (proxy: string) =>
    root.call(updateChannelProxy, { params: { id }, body: { proxy } });
  const { data } = await call(`socks5://ours:own-word@127.0.0.1:${port}`);
  expect(data.proxy_hint).toBe(`socks5://127.0.0.1:${port}`);
  [asked, signIns.length] = [[], 0];
  expect((await gateway.chat(key, { model: "own", max_tokens: 4 })).status).toBe(200);
  await root.call(testChannel, { params: { id } });
  // The simulator's answer: it has no balances.
  await expect(root.call(updateBalance, { params: { id } })).rejects.toThrow(/status 404/);
  expect([...new Set(asked)]).toEqual(["8.8.4.4:8443"]);
  expect([...new Set(signIns)]).toEqual(["\x01\x04ours\x08own-word"]);
  const { data: copy } = await root.call(duplicateChannel, { params: { id } });
  expect((await root.call(getChannel, { params: { id: copy.id } })).data.proxy_hint).toBe(
    data.proxy_hint,
  );
  await root.call(testChannel, { params: { id: copy.id } });

  await expect(call("ftp://proxy.example")).rejects.toThrow(/socks5:\/\//);
  expect((await call("")).data.proxy_hint).toBe("");
  asked = [];
  expect((await gateway.chat(key, { model: "own", max_tokens: 4 })).status).toBeGreaterThanOrEqual(
    500,
  );
  expect(asked).toEqual([]);
  const rows = ["logs", "channels", "audit_entries"].map((table) =>
    gateway.rows(`select * from ${table}`),
  );
  expect(JSON.stringify(await Promise.all(rows))).not.toContain("own-word");
  await set("");
});

test("a text that is no proxy is refused, and so is one at another private address, when it is used", async () => {
  await expect(set("ftp://proxy.example")).rejects.toThrow(/http:\/\/, https:\/\/ or socks5:\/\//);
  await set(`http://127.0.0.1:${port + 1}`);
  const { key } = await gateway.given.token();
  asked = [];
  expect((await gateway.chat(key, { model: "far", max_tokens: 4 })).status).toBeGreaterThanOrEqual(
    500,
  );
  await set("");
  expect(asked).toEqual([]);
});
