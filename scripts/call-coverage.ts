// Which functions of the gateway run during one streamed chat call, by the engine's exact call
// counts.
import { mkdtempSync, rmSync } from "node:fs";
import { Session } from "node:inspector/promises";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { consoleHeader } from "@tollgate/contract/api/envelope.ts";
import { ensureRoot } from "@tollgate/gateway/accounts/identity/users/root-account.ts";
import { createUserStore } from "@tollgate/gateway/accounts/identity/users/user-store.ts";
import { readSettings } from "@tollgate/gateway/config/config.ts";
import { openApp } from "@tollgate/gateway/start/app.ts";
import { addMasterKey } from "@tollgate/gateway/start/site-master-key.ts";
import { openDatabase } from "@tollgate/gateway/storage/open-database.ts";
import { startSimulator } from "@tollgate/simulator/simulator.ts";
import { pino } from "pino";

const root = join(import.meta.dirname, "..");
const password = "a password for coverage";
const warmUpCalls = 20;

export interface TouchedCode {
  /** Paths from the root of the repository, in order. */
  files: string[];
  functions: number;
}

/**
 * Counts the gateway's and the contract's own files on the main thread; the simulator runs in the
 * same process.
 */
export async function touchedByStreamedCall(): Promise<TouchedCode> {
  const dataDir = mkdtempSync(join(tmpdir(), "tollgate-coverage-"));
  const simulator = await startSimulator();
  const config = await addMasterKey(
    readSettings({
      DATA_DIR: dataDir,
      PORT: "0",
      UPSTREAM_PRIVATE_HOSTS: new URL(simulator.url).host,
    }),
  );
  const fail = (error: Error): never => {
    throw error;
  };
  const db = await openDatabase(config, { onError: fail, onFatal: fail });
  const app = await openApp(config, db, pino({ level: "silent" }), join(dataDir, "no-console"));
  try {
    await ensureRoot(db, createUserStore(db), { initialPassword: password, now: Date.now() });
    await new Promise<void>((resolve) => app.server.listen(0, "127.0.0.1", resolve));
    const url = `http://127.0.0.1:${(app.server.address() as AddressInfo).port}`;
    const key = await createChannelAndToken(url, simulator.url);
    for (let call = 0; call < warmUpCalls; call += 1) await streamChat(url, key);
    return await coverageOf(() => streamChat(url, key));
  } finally {
    await app.stop(1_000);
    await simulator.close();
    rmSync(dataDir, { recursive: true, force: true });
  }
}

async function createChannelAndToken(url: string, upstream: string): Promise<string> {
  let cookie = "";
  const post = async <Data>(path: string, body: object): Promise<Data> => {
    const headers = {
      "content-type": "application/json",
      [consoleHeader.name]: consoleHeader.value,
      cookie,
    };
    const response = await fetch(url + path, {
      method: "POST",
      headers,
      body: JSON.stringify(body),
    });
    cookie ||= response.headers.getSetCookie()[0]?.split(";")[0] ?? "";
    const reply = (await response.json()) as { success: boolean; message: string; data: Data };
    if (!reply.success) throw new Error(`POST ${path}: ${reply.message}`);
    return reply.data;
  };
  await post("/api/user/login", { username: "root", password });
  const models = {
    models: "sim-model",
    model_configs: JSON.stringify({ "sim-model": { ratio: 1 } }),
  };
  await post("/api/channel/", {
    name: "c",
    type: 1,
    key: "sim-ok",
    base_url: upstream,
    group: "default",
    ...models,
  });
  const limits = { remain_quota: 0, unlimited_quota: true, expired_time: -1 };
  return (await post<{ key: string }>("/api/token/", { name: "t", ...limits })).key;
}

async function streamChat(url: string, key: string): Promise<void> {
  const response = await fetch(`${url}/v1/chat/completions`, {
    method: "POST",
    headers: { authorization: `Bearer ${key}`, "content-type": "application/json" },
    body: JSON.stringify({
      model: "sim-model",
      messages: [{ role: "user", content: "one two" }],
      stream: true,
    }),
  });
  const text = await response.text();
  if (!text.includes("[DONE]"))
    throw new Error(`the stream did not end: ${response.status} ${text.slice(0, 200)}`);
  // The settlement is written after the last byte.
  await new Promise((resolve) => setTimeout(resolve, 50));
}

async function coverageOf(run: () => Promise<void>): Promise<TouchedCode> {
  const session = new Session();
  session.connect();
  await session.post("Profiler.enable");
  await session.post("Profiler.startPreciseCoverage", { callCount: true, detailed: false });
  await run();
  const { result } = await session.post("Profiler.takePreciseCoverage");
  session.disconnect();
  const own = result
    .filter(({ url }) => /\/(gateway|contract)\/src\//.test(url))
    .map(({ url, functions }) => ({
      file: url.slice(url.indexOf(root) + root.length + 1),
      // The first function of a script is the module itself, which ran long before.
      ran: functions.filter(
        ({ functionName, ranges }) => functionName !== "" && (ranges[0]?.count ?? 0) > 0,
      ).length,
    }))
    .filter(({ ran }) => ran > 0);
  return {
    files: own.map(({ file }) => file).sort(),
    functions: own.reduce((total, { ran }) => total + ran, 0),
  };
}
