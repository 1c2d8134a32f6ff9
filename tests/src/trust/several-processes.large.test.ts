// `serve --processes 3`: gateway processes that share a port, on one PostgreSQL.
import { execFileSync } from "node:child_process";
import { copyFileSync, mkdtempSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { getTelemetry } from "@tollgate/contract/site/telemetry.ts";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { createApiSession, sendTo } from "../harness/api-session.ts";
import { startProgram } from "../harness/child-process.ts";
import { eventually } from "../harness/eventually.ts";
import { freePort } from "../harness/free-port.ts";
import { databaseKinds } from "../harness/gateway-database.ts";
import { type GatewayProcess, startGatewayProcess } from "../harness/gateway-process.ts";
import { gatewayProgram } from "../harness/gateway-program.ts";
import {
  chatBody,
  defaultCharge,
  startTestGateway,
  type TestGateway,
} from "../harness/test-gateway.ts";
import { readPrometheusText } from "../support/prometheus-text.ts";

const idsPerNode = 256;
const nodes = 16;
const processes = 3;
const metricsToken = "a-token-for-prometheus";

const childrenOf = (parent: number): number[] =>
  execFileSync("ps", ["-A", "-o", "pid=,ppid="], { encoding: "utf8" })
    .split("\n")
    .map((row) => row.trim().split(/\s+/).map(Number))
    .filter(([, of]) => of === parent)
    .map(([pid = 0]) => pid);

describe.skipIf(!databaseKinds.includes("postgres"))("several processes on one port", () => {
  let single: TestGateway;
  let group: GatewayProcess;
  let key: string;
  let metricsPort: number;
  const folder = mkdtempSync(join(tmpdir(), "tollgate-processes-"));
  const settingsFile = join(folder, "tollgate.env");

  beforeAll(async () => {
    single = await startTestGateway({ store: "postgres" });
    await single.given.channel({ key: "sim-ok" });
    ({ key } = await single.given.token());
    metricsPort = await freePort();
    group = await startGatewayProcess({
      dataDir: single.dataDir,
      databaseUrl: single.databaseUrl ?? "",
      upstreams: [single.simulator.url],
      args: ["--processes", String(processes)],
      env: {
        PORT: String(await freePort()),
        METRICS_PORT: String(metricsPort),
        METRICS_HOST: "0.0.0.0",
        METRICS_TOKEN: metricsToken,
        ENVIRONMENT_FILE: `-${settingsFile}`,
      },
    });
    await eventually(() => expect(listening()).toBe(processes), { timeoutMs: 60_000 });
  });
  afterAll(async () => {
    await group.stop();
    await single.close();
    rmSync(folder, { recursive: true });
  });

  const listening = () => group.output().split('"event":"listening"').length - 1;
  const childPids = (of = group.pid) => childrenOf(of);

  /** On a connection of its own, so that the system may choose another process. */
  async function ask(): Promise<number> {
    const response = await fetch(`${group.url}/v1/chat/completions`, {
      method: "POST",
      headers: {
        authorization: `Bearer ${key}`,
        "content-type": "application/json",
        connection: "close",
      },
      body: JSON.stringify(chatBody({ max_tokens: 12 })),
    });
    await response.text();
    return response.status;
  }

  async function callsCountedBy(number: number): Promise<number> {
    const reply = await fetch(`http://127.0.0.1:${metricsPort + number}/metrics`);
    return readPrometheusText(await reply.text()).sum("tollgate_calls_total");
  }

  test("share the calls, each is charged and counted once, and one that dies is replaced", async () => {
    const before = await single.settled();
    const statuses = await Promise.all(Array.from({ length: 150 }, ask));
    expect(statuses).toEqual(statuses.map(() => 200));
    expect(await single.settled()).toMatchObject({
      charged: before.charged + 150 * defaultCharge,
      rows: before.rows + 150,
      held: 0,
    });
    const used = await single.rows<{ node: number }>(
      `select distinct (id / ${idsPerNode}) % ${nodes} as node from logs where type = 2`,
    );
    expect(used.length).toBe(processes);

    await eventually(async () => {
      const counted = await Promise.all(
        Array.from({ length: processes }, (_, number) => callsCountedBy(number)),
      );
      expect(counted.every((count) => count > 0)).toBe(true);
      expect(counted.reduce((all, count) => all + count)).toBe(150);
    });
    const headers = { authorization: `Bearer ${metricsToken}` };
    expect((await fetch(`${group.url}/metrics`, { headers })).status).toBe(404);

    const [victim = 0] = childPids();
    process.kill(victim, "SIGKILL");
    await eventually(() => expect(listening()).toBe(processes + 1), { timeoutMs: 60_000 });
    expect(group.output()).toContain('"event":"process_ended"');
    expect(childPids()).not.toContain(victim);
    expect(childPids()).toHaveLength(processes);
    expect(await Promise.all(Array.from({ length: 30 }, ask))).toEqual(
      Array.from({ length: 30 }, () => 200),
    );
  });

  test("one that cannot be started again at once, as while Node.js is replaced, is started later", {
    timeout: 120_000,
  }, async () => {
    const folder = mkdtempSync(join(tmpdir(), "tollgate-node-"));
    const [node, elsewhere] = [join(folder, "node"), join(folder, "node.new")];
    copyFileSync(process.execPath, node);
    const { args, env } = gatewayProgram();
    const program = startProgram({
      file: node,
      args: [...args, "serve", "--processes", "2"],
      env: {
        ...env,
        HOST: "127.0.0.1",
        PORT: String(await freePort()),
        DATA_DIR: single.dataDir,
        DATABASE_URL: single.databaseUrl,
      },
    });
    const started = () => program.output().split('"event":"listening"').length - 1;
    try {
      await eventually(() => expect(started()).toBe(2), { timeoutMs: 60_000 });
      renameSync(node, elsewhere);
      process.kill(childPids(program.pid)[0] ?? 0, "SIGKILL");
      await eventually(() => expect(program.output()).toContain('"code":"ENOENT"'));
      renameSync(elsewhere, node);
      await eventually(() => expect(started()).toBe(3), { timeoutMs: 60_000 });
      program.kill("SIGTERM");
      expect(await program.exited).toEqual({ code: 0, signal: null });
    } finally {
      await program.stop();
      rmSync(folder, { recursive: true });
    }
  });

  test("each of them tells where the metrics of all are", async () => {
    const { cookie } = await single.root();
    const root = createApiSession(sendTo(group.url), { cookie });
    const { metrics } = (await root.call(getTelemetry)).data;
    const targets = Array.from(
      { length: processes },
      (_, number) => `127.0.0.1:${metricsPort + number}`,
    );
    expect(metrics.served.map(({ url }) => url)).toEqual(
      targets.map((target) => `http://${target}/metrics`),
    );
    for (const target of targets) expect(metrics.scrape_configuration).toContain(`"${target}"`);
  });

  interface ReloadLine {
    event: string;
    process: number;
    changed: string[];
  }
  const reloads = (): ReloadLine[] =>
    group
      .output()
      .split("\n")
      .filter((line) => line.includes('"event":"reloaded"'))
      .map((line) => JSON.parse(line) as ReloadLine);
  /** The numbers of the processes that said so since there were `before` lines. */
  const reloadedSince = (before: number, changed: string[]): number[] =>
    reloads()
      .slice(before)
      .filter((line) => String(line.changed) === String(changed))
      .map((line) => line.process)
      .sort((one, other) => one - other);

  test("a reload of the parent reaches each, also one that is being started", async () => {
    const all = Array.from({ length: processes }, (_, number) => number);
    writeFileSync(settingsFile, "READ_ONLY=true\n");
    group.kill("SIGHUP");
    await eventually(() => expect(reloadedSince(0, ["READ_ONLY"])).toEqual(all));
    const { cookie } = await single.root();
    const root = createApiSession(sendTo(group.url), { cookie });
    for (let call = 0; call < 12; call += 1) {
      const reply = await root.request("POST", "/api/token/", { name: "new" });
      expect(reply.status).toBe(503);
    }

    const [before, started] = [reloads().length, listening()];
    writeFileSync(settingsFile, "");
    const [victim = 0] = childPids();
    process.kill(victim, "SIGKILL");
    // Before the new one can listen to signals.
    await eventually(() =>
      expect(childPids().filter((pid) => pid !== victim)).toHaveLength(processes),
    );
    group.kill("SIGHUP");
    await eventually(() => expect(reloads().length - before).toBe(processes), {
      timeoutMs: 60_000,
    });
    expect(listening()).toBe(started + 1);
    // The one that was started read the file as it was then.
    expect(reloadedSince(before, ["READ_ONLY"])).toHaveLength(processes - 1);
    await root.data("POST", "/api/token/", { name: "new" });
  });

  test("stop together, as one does", async () => {
    const pids = childPids();
    group.kill("SIGTERM");
    expect(await group.exited).toMatchObject({ code: 0 });
    for (const pid of pids) expect(() => process.kill(pid, 0)).toThrow("ESRCH");
    expect(group.output().split('"event":"stopped","finished":true').length - 1).toBe(processes);
  });
});

test("a terminal that closes ends all of them", { timeout: 120_000 }, async () => {
  const world = await startTestGateway({ store: "postgres" });
  const { args, env } = gatewayProgram();
  const words = ["exec", process.execPath, ...args, "serve", "--processes", "2"];
  const terminal = startProgram({
    file: "script",
    args: ["--quiet", "--return", "--command", words.join(" "), "/dev/null"],
    env: {
      ...env,
      PATH: process.env.PATH,
      HOST: "127.0.0.1",
      PORT: String(await freePort()),
      DATA_DIR: world.dataDir,
      DATABASE_URL: world.databaseUrl,
    },
    hasOpenInput: true,
  });
  try {
    const started = () => terminal.output().split('"event":"listening"').length - 1;
    await eventually(() => expect(started()).toBe(2), { timeoutMs: 60_000 });
    const [parent = 0] = childrenOf(terminal.pid);
    const pids = [parent, ...childrenOf(parent)];
    expect(pids).toHaveLength(3);
    terminal.kill("SIGKILL");
    await eventually(() => {
      for (const pid of pids) expect(() => process.kill(pid, 0)).toThrow("ESRCH");
    });
  } finally {
    await terminal.stop();
    await world.close();
  }
});

test("SQLite belongs to one process, which the start says", async () => {
  await expect(startGatewayProcess({ args: ["--processes", "2"] })).rejects.toThrow(
    "several processes need PostgreSQL",
  );
});
