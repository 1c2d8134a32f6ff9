/** The simulator as a child process, so that it takes no time on the thread of a test. */
import { join } from "node:path";
import type { ReceivedCall, SimulatorStats } from "@tollgate/simulator/call-log.ts";
import { gatewayEnvironment } from "../../../scripts/gateway-node-options.ts";
import { startProgram } from "./child-process.ts";
import { repositoryDir } from "./repository-dir.ts";

export type SimulatorProcess = Awaited<ReturnType<typeof startSimulatorProcess>>;

const readyTimeoutMs = 20_000;

export async function startSimulatorProcess({ port = 0 }: { port?: number } = {}) {
  const program = startProgram({
    file: process.execPath,
    args: [
      join(repositoryDir, "simulator/src/simulator-main.ts"),
      "--port",
      String(port),
      "--with-parent",
    ],
    hasOpenInput: true,
    env: { ...gatewayEnvironment, ...process.env },
  });
  const listening = await program.waitForLine(readPort, readyTimeoutMs);
  const url = `http://127.0.0.1:${listening}`;

  async function ask<T>(method: string, path: string, body?: unknown): Promise<T> {
    const response = await fetch(url + path, {
      method,
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });
    if (!response.ok)
      throw new Error(`${method} ${path}: ${response.status} ${await response.text()}`);
    return (await response.json()) as T;
  }

  return {
    url,
    port: listening,
    pid: program.pid,
    /** Gives a key a behaviour: words such as "pace-20+cut-5", an object, or a list of objects. */
    async script(key: string, script: unknown): Promise<void> {
      await ask("PUT", `/sim/keys/${encodeURIComponent(key)}`, script);
    },
    calls: () => ask<ReceivedCall[]>("GET", "/sim/calls"),
    async clearCalls(): Promise<void> {
      await ask("DELETE", "/sim/calls");
    },
    stats: () => ask<SimulatorStats>("GET", "/sim/stats"),
    /** Forgets every script, call and kept object. */
    async reset(): Promise<void> {
      await ask("DELETE", "/sim");
    },
    kill: program.kill,
    stop: program.stop,
    unref: program.unref,
    output: program.output,
  };
}

function readPort(line: string): number | undefined {
  return line.startsWith('{"port":') ? Number(JSON.parse(line).port) : undefined;
}
