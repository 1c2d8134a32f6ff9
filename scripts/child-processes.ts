/** Several programs in one terminal: each line says whose it is, and all of them end together. */
import { type ChildProcess, spawn } from "node:child_process";
import { createInterface } from "node:readline";

export interface ChildProcessOptions {
  name: string;
  args: readonly string[];
  env?: NodeJS.ProcessEnv;
  cwd?: string;
  /** Lines that nobody needs to see. */
  isNoise?(line: string): boolean;
}

const graceMs = 5_000;

export function startChildProcesses() {
  const running = new Map<ChildProcess, string>();
  let onEnd: (reason: string) => void = () => undefined;
  /** Why the whole must end: a child ended by itself, or somebody asked. */
  const ended = new Promise<string>((resolve) => {
    onEnd = resolve;
  });
  for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) process.on(signal, () => onEnd(""));

  return {
    ended,
    /** Runs a script with our own Node. */
    start({ name, args, env = {}, cwd, isNoise = () => false }: ChildProcessOptions): void {
      const child = spawn(process.execPath, args, {
        cwd,
        env: { ...process.env, ...env },
        stdio: ["ignore", "pipe", "pipe"],
        // Out of the terminal's reach: Ctrl-C comes to us, and we end them in order.
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
    // The whole group: a watcher that is killed leaves its child behind.
    if (child.pid) process.kill(-child.pid, "SIGKILL");
  }, graceMs);
  await exited.finally(() => clearTimeout(timer));
}
