/**
 * Runs several programs in one terminal: each line names its program, and all of them end together.
 */
import { type ChildProcess, spawn } from "node:child_process";
import { createInterface } from "node:readline";
import { onNpmEnd } from "./supervise-gateway.ts";

export interface ChildProcessOptions {
  name: string;
  args: readonly string[];
  env?: NodeJS.ProcessEnv;
  cwd?: string;
  /** Lines to hide. */
  isNoise?(line: string): boolean;
}

const graceMs = 5_000;

export function startChildProcesses() {
  const running = new Map<ChildProcess, string>();
  let onEnd: (reason: string) => void = () => undefined;
  /**
   * The reason to end all programs: one of them ended, a signal arrived, or npm ended (both empty).
   */
  const ended = new Promise<string>((resolve) => {
    onEnd = resolve;
  });
  for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const)
    process.on(signal, () => onEnd(""));
  onNpmEnd(() => onEnd(""));

  return {
    ended,
    /** Runs a script with the same Node. */
    start({ name, args, env = {}, cwd, isNoise = () => false }: ChildProcessOptions): void {
      const child = spawn(process.execPath, args, {
        cwd,
        env: { ...process.env, ...env },
        stdio: ["ignore", "pipe", "pipe"],
        // A process group of its own: Ctrl-C reaches only this process, which ends the others in
        // order.
        detached: true,
      });
      running.set(child, name);
      for (const stream of [child.stdout, child.stderr]) {
        createInterface({ input: stream }).on("line", (line) => {
          if (line.trim() !== "" && !isNoise(line)) console.log(`${name.padEnd(9)} │ ${line}`);
        });
      }
      child.once("error", (error) => onEnd(`${name} cannot be started: ${error.message}`));
      child.once("exit", (code, signal) => {
        running.delete(child);
        onEnd(`${name} ended with ${signal ?? code}`);
      });
    },
    async stop(): Promise<void> {
      await Promise.all([...running.keys()].map(stop));
    },
  };
}

async function stop(child: ChildProcess): Promise<void> {
  const exited = new Promise<void>((resolve) => {
    child.once("exit", () => resolve());
  });
  child.kill("SIGTERM");
  const timer = setTimeout(() => {
    // Kills the whole group: a killed watcher would leave its child behind.
    if (child.pid) process.kill(-child.pid, "SIGKILL");
  }, graceMs);
  await exited.finally(() => clearTimeout(timer));
}
