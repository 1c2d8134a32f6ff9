// SIGHUP at a running gateway: live variables act at once, others are named, mistakes change
// nothing.
import { once } from "node:events";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { type AddressInfo, createServer, type Socket } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { startProgram } from "../harness/child-process.ts";
import { eventually } from "../harness/eventually.ts";
import { gatewayProgram } from "../harness/gateway-program.ts";
import { startTestGateway, type TestGateway } from "../harness/test-gateway.ts";

const folder = mkdtempSync(join(tmpdir(), "tollgate-reload-"));
const file = join(folder, "tollgate.env");
const token = join(folder, "metrics-token");
const [firstToken, secondToken] = ["first-token-of-the-metrics", "second-token-of-the-metrics"];
let gateway: TestGateway;
let hosts: string;
let key: string;

beforeAll(async () => {
  writeFileSync(token, firstToken);
  writeFileSync(file, `METRICS_TOKEN_FILE=${token}\n`);
  gateway = await startTestGateway({ env: { ENVIRONMENT_FILE: file } });
  hosts = `UPSTREAM_PRIVATE_HOSTS=${new URL(gateway.simulator.url).host}\n`;
  await gateway.given.channel({ key: "sim-ok" });
  ({ key } = await gateway.given.token());
});
afterAll(async () => {
  await gateway.close();
  rmSync(folder, { recursive: true, force: true });
});

interface LogLine {
  event: string;
  changed?: string[];
  variables?: string[];
  reason?: string;
}
const readLines = (...events: string[]): LogLine[] =>
  gateway.process
    .output()
    .split("\n")
    .filter((line) => line.startsWith("{"))
    .map((line) => JSON.parse(line) as LogLine)
    .filter(({ event }) => events.includes(event));

/** Writes the file and waits for what the log says of the reload. */
async function reload(text: string): Promise<LogLine> {
  const before = readLines("reloaded", "reload_refused").length;
  writeFileSync(file, `METRICS_TOKEN_FILE=${token}\n${text}`);
  gateway.process.kill("SIGHUP");
  return await eventually(async () => {
    const line = readLines("reloaded", "reload_refused")[before];
    if (!line) throw new Error("the log says nothing of the reload");
    return line;
  });
}

const scrape = async (bearer: string): Promise<number> =>
  (await fetch(`${gateway.url}/metrics`, { headers: { authorization: `Bearer ${bearer}` } }))
    .status;

test("a maintenance begins and ends without a restart, while calls of API keys go on", async () => {
  const { pid } = gateway.process;
  expect(await reload("READ_ONLY=true\n")).toMatchObject({ changed: ["READ_ONLY"] });
  await expect(gateway.api("POST", "/api/token/", { name: "new" })).rejects.toThrow(/read-only/i);
  expect((await gateway.chat(key)).status).toBe(200);
  expect(await reload("")).toMatchObject({ event: "reloaded", changed: ["READ_ONLY"] });
  await gateway.api("POST", "/api/token/", { name: "new" });
  expect(gateway.process.pid).toBe(pid);
});

test("a secret that was rotated in its file counts, and the old one no longer", async () => {
  expect(await scrape(firstToken)).toBe(200);
  writeFileSync(token, secondToken);
  expect(await reload("")).toMatchObject({ changed: ["METRICS_TOKEN"] });
  expect([await scrape(firstToken), await scrape(secondToken)]).toEqual([404, 200]);
});

test("private upstreams and the limit of the API are those of now", async () => {
  await reload("UPSTREAM_PRIVATE_HOSTS=127.0.0.1:9\nAPI_RATE_LIMIT=1\n");
  expect((await gateway.chat(key)).status).not.toBe(200);
  await gateway.api("GET", "/api/user/self");
  await expect(gateway.api("GET", "/api/user/self")).rejects.toThrow(/too many/i);
  expect((await reload("")).changed).toEqual(["API_RATE_LIMIT", "UPSTREAM_PRIVATE_HOSTS"]);
  await reload(`${hosts}API_RATE_LIMIT=0\n`);
  expect((await gateway.chat(key)).status).toBe(200);
});

test("what needs a restart is named, and a mistake changes nothing", async () => {
  expect(await reload("PORT=1\nTOKEN_KEY_PREFIX=acme-\n")).toMatchObject({ event: "reloaded" });
  await eventually(async () =>
    expect(readLines("needs_restart").at(-1)?.variables).toEqual(["PORT", "TOKEN_KEY_PREFIX"]),
  );
  expect(await reload("READ_ONLY=true\nLOG_LEVEL=loud\n")).toMatchObject({
    event: "reload_refused",
    reason: expect.stringContaining("LOG_LEVEL"),
  });
  await gateway.api("POST", "/api/token/", { name: "after a mistake" });
});

test("a reload that is asked for during the start does not end the gateway", async () => {
  const silent = createServer();
  await new Promise<void>((resolve) => silent.listen(0, "127.0.0.1", resolve));
  const { port } = silent.address() as AddressInfo;
  const { args, env } = gatewayProgram();
  const starting = startProgram({
    file: process.execPath,
    args: [...args, "serve"],
    env: { ...env, DATA_DIR: folder, DATABASE_URL: `postgres://127.0.0.1:${port}/none` },
  });
  try {
    const [socket] = (await once(silent, "connection")) as [Socket];
    starting.kill("SIGHUP");
    silent.close();
    socket.destroy();
    expect(await starting.exited).toEqual({ code: 1, signal: null });
  } finally {
    await starting.stop();
  }
});
