/**
 * Runs the gateway as a child of this process. Neither outlives its parent: a gateway that is left
 * behind holds the database, and the next start fails.
 */
import { type ChildProcess, spawn } from "node:child_process";
import { readFileSync } from "node:fs";
import { constants } from "node:os";
import { gatewayCommand } from "./gateway-node-options.ts";

const stopSignals = ["SIGINT", "SIGTERM", "SIGHUP"] as const;
/**
 * Ctrl-C arrives twice, from the terminal and from npm; the gateway would take the second one for
 * "stop at once".
 */
const sameStopMs = 1_000;
/** Nothing tells a process that its parent has ended. */
const parentCheckMs = 1_000;

/** Resolves to the exit code of the gateway whose bundle is `main`. */
export function superviseGateway(main: string): Promise<number> {
  const { args, env } = gatewayCommand(main);
  return superviseProgram({
    node: process.execPath,
    args: [...args, "serve", ...process.argv.slice(2)],
    env,
  });
}

interface SupervisedProgram {
  /** The path of Node.js. */
  node: string;
  args: readonly string[];
  /** `env` is for variables that are not set. */
  env: Readonly<Record<string, string>>;
}

/** Resolves to the program's exit code. */
export async function superviseProgram({ node, args, env }: SupervisedProgram): Promise<number> {
  const child = spawn(node, args, {
    // The gateway stops when the channel closes, which it does however this process ends, also by
    // kill -9.
    stdio: ["inherit", "inherit", "inherit", "ipc"],
    env: {
      ...env,
      // A terminal shows the address and errors; collected output contains the whole log.
      ...(process.stdout.isTTY && { LOG_LEVEL: "warn" }),
      ...process.env,
    },
    // A process group of its own, so that each signal arrives once, from this process.
    detached: true,
  });
  passSignals(child);
  process.once("exit", () => child.kill("SIGKILL"));
  return await new Promise((resolve, reject) => {
    child.once("error", reject);
    child.once("exit", (code, signal) =>
      resolve(code ?? 128 + (signal ? constants.signals[signal] : 0)),
    );
  });
}

function passSignals(child: ChildProcess): void {
  let passedAt = Number.NEGATIVE_INFINITY;
  for (const signal of stopSignals) {
    process.on(signal, () => {
      if (performance.now() - passedAt < sameStopMs) return;
      passedAt = performance.now();
      child.kill(signal === "SIGHUP" ? "SIGTERM" : signal);
    });
  }
  // npm passes signals on, but kill -9 leaves it no time to. A gateway that stops already keeps its
  // grace.
  onNpmEnd(() => {
    if (passedAt === Number.NEGATIVE_INFINITY) child.kill("SIGTERM");
  });
}

/**
 * Calls back once when the npm that runs this script has ended. Without npm, a parent may end:
 * `nohup node … &`.
 */
export function onNpmEnd(act: () => void): void {
  if (process.env.npm_lifecycle_event === undefined) return;
  const before = npmProcesses().join();
  const timer = setInterval(() => {
    if (npmProcesses().join() === before) return;
    clearInterval(timer);
    act();
  }, parentCheckMs);
  timer.unref();
}

/**
 * The parent, and where that is the shell through which npm runs scripts, its parent too: shells
 * outlive npm.
 */
function npmProcesses(): number[] {
  const { ppid } = process;
  const parent = linuxProcess(ppid);
  return parent && /^(?:ba|da|a|z|k)?sh$/.test(parent.name) ? [ppid, parent.ppid] : [ppid];
}

/**
 * From `/proc`: `pid (name) state ppid …`. Undefined on other systems, where only the parent is
 * watched.
 */
function linuxProcess(pid: number): { name: string; ppid: number } | undefined {
  try {
    const [, name = "", ppid] =
      /\((.*)\) \S (\d+)/.exec(readFileSync(`/proc/${pid}/stat`, "utf8")) ?? [];
    return { name, ppid: Number(ppid) };
  } catch {
    return undefined;
  }
}
