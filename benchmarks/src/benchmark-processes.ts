/** The child processes of a benchmark: started, measured and ended with it. */
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { ensureGatewayBuild } from "../../scripts/gateway-build.ts";
import { gatewayCommand } from "../../scripts/gateway-node-options.ts";

export interface StartedProcess {
  port: number;
  pid: number;
}

export const password = "benchmark-password";

export interface BenchmarkProcesses {
  /** Resolves when the process prints its port. */
  start(
    file: string,
    args?: readonly string[],
    env?: Record<string, string>,
  ): Promise<StartedProcess>;
  /**
   * A gateway with an empty database that may call this upstream; `main` is the bundle of another
   * commit.
   */
  startGateway(
    upstream: StartedProcess,
    env?: Record<string, string>,
    args?: readonly string[],
    main?: string,
  ): Promise<StartedProcess>;
  /** Resolves when the process has ended as asked. */
  stop(process: StartedProcess): Promise<void>;
}

/** Runs the benchmark and always ends the processes that it started. */
export async function withProcesses(
  benchmark: (processes: BenchmarkProcesses) => Promise<void>,
): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), "tollgate-bench-"));
  const children: ChildProcess[] = [];

  function start(
    file: string,
    args: readonly string[] = [],
    env: Record<string, string> = {},
  ): Promise<StartedProcess> {
    return startNode([resolve(import.meta.dirname, file), ...args], env);
  }

  function startNode(
    args: readonly string[],
    env: Record<string, string>,
  ): Promise<StartedProcess> {
    const child = spawn(process.execPath, args, {
      env: { PATH: process.env.PATH, ...env },
      stdio: ["ignore", "pipe", "inherit"],
    });
    children.push(child);
    return new Promise((begin, reject) => {
      let text = "";
      child.stdout.on("data", (part: Buffer) => {
        if (text.length < 100_000) text += part.toString();
        const port = /"port":(\d+)|127\.0\.0\.1:(\d+)"/.exec(text);
        if (port) begin({ port: Number(port[1] ?? port[2]), pid: child.pid ?? 0 });
      });
      child.once("exit", (code) =>
        reject(new Error(`${args.join(" ")} ended with ${code}: ${text}`)),
      );
    });
  }

  const startGateway: BenchmarkProcesses["startGateway"] = async (
    upstream,
    env = {},
    args = [],
    main,
  ) => {
    const program = gatewayCommand(
      main ?? (await ensureGatewayBuild(join(import.meta.dirname, "../.."))),
    );
    return startNode([...program.args, "serve", ...args], {
      ...program.env,
      PORT: "0",
      DATA_DIR: mkdtempSync(join(folder, "data-")),
      INITIAL_ROOT_PASSWORD: password,
      UPSTREAM_PRIVATE_HOSTS: `127.0.0.1:${upstream.port}`,
      LOG_LEVEL: "info",
      ...env,
    });
  };

  async function end(ending: readonly ChildProcess[]): Promise<void> {
    const running = ending.filter(
      ({ exitCode, signalCode }) => exitCode === null && signalCode === null,
    );
    const ended = running.map((child) => once(child, "exit"));
    for (const child of running) child.kill("SIGTERM");
    await Promise.all(ended);
  }

  try {
    await benchmark({
      start,
      startGateway,
      stop: ({ pid }) => end(children.filter((child) => child.pid === pid)),
    });
  } finally {
    await end(children);
    rmSync(folder, { recursive: true, force: true });
  }
}

export const urlOf = ({ port }: StartedProcess): string => `http://127.0.0.1:${port}`;
