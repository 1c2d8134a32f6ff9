/**
 * `serve --processes N`: several gateway processes on one port, among which the system spreads the
 * connections. Each is an ordinary node with a database lease of its own; this parent only starts,
 * restarts and stops them.
 */
import type { ChildProcess } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { nodesMax } from "../storage/time-ids.ts";
import { forkProgram } from "./fork-program.ts";

/**
 * More deaths than this within a minute are no accident: the supervisor above is told by the end of
 * all.
 */
const deathsMax = 5;
const deathWindowMs = 60_000;
/** Doubles with each death within the window. */
const backoffMs = 250;

/** The message of a process that accepts connections. */
export const listeningMessage = "listening";

const main = join(import.meta.dirname, "../start/main.ts");

export interface ProcessGroupOptions {
  count: number;
  /** Further options of `serve`, for each of them. */
  options: readonly string[];
  log: { info(fields: object): void; error(fields: object): void };
}

/** The number of processes as it was typed: from 1 to 16, or undefined. */
export function readProcessCount(text = "1"): number | undefined {
  const count = /^\d{1,2}$/.test(text) ? Number(text) : 0;
  return count >= 1 && count <= nodesMax ? count : undefined;
}

/**
 * Resolves to the exit code when all processes have ended: 0 if each of them stopped as asked. The
 * first process starts alone, because it upgrades the database; if it cannot start, neither can the
 * others.
 */
export async function runProcessGroup({
  count,
  options,
  log,
}: ProcessGroupOptions): Promise<number> {
  const running = new Map<number, ChildProcess>();
  /** One that does not listen yet would end by the signal of a reload. */
  const listening = new WeakSet<ChildProcess>();
  const awaitsReload = new WeakSet<ChildProcess>();
  const deaths: number[] = [];
  let isStopping = false;
  let exitCode = 0;

  function stopAll(signal: NodeJS.Signals): void {
    isStopping = true;
    for (const child of running.values()) child.kill(signal);
  }

  function reload(child: ChildProcess): void {
    if (listening.has(child)) child.kill("SIGHUP");
    else awaitsReload.add(child);
  }

  function start(number: number): ChildProcess {
    // A process group of its own: Ctrl-C reaches this process alone, which passes it on once.
    const { execArgv } = process;
    const child = forkProgram(
      main,
      ["serve", `--process=${number}`, `--processes=${count}`, ...options],
      {
        detached: true,
        execArgv,
      },
    );
    running.set(number, child);
    child.once("message", () => {
      listening.add(child);
      if (awaitsReload.has(child)) reload(child);
    });
    return child;
  }

  /** `endOf` gives one that cannot be started has ended too: with the code of the error. */
  async function endOf(number: number, started?: ChildProcess): Promise<unknown[]> {
    try {
      return await ended(started ?? start(number));
    } catch (error) {
      return [(error as NodeJS.ErrnoException).code, null];
    }
  }

  /** Runs one of the processes, again and again, until all are stopped. */
  async function keepRunning(number: number, first?: ChildProcess): Promise<void> {
    let child = first;
    for (;;) {
      const [code, signal] = await endOf(number, child);
      child = undefined;
      running.delete(number);
      if (isStopping) {
        exitCode ||= typeof code === "number" ? code : 1;
        return;
      }
      log.error({ event: "process_ended", process: number, code, signal });
      const now = Date.now();
      deaths.push(now);
      const recentDeaths = deaths.filter((at) => at > now - deathWindowMs).length;
      if (recentDeaths >= deathsMax) {
        log.error({ event: "processes_given_up", deaths: deathsMax, withinMs: deathWindowMs });
        exitCode = 1;
        return stopAll("SIGTERM");
      }
      await wait(backoffMs * 2 ** (recentDeaths - 1));
      if (isStopping) return;
    }
  }

  // A terminal that closes ends what runs in it, and is none any more when the signal comes.
  const { isTTY: runsInTerminal } = process.stdin;
  process.on("SIGHUP", () => {
    if (runsInTerminal) return stopAll("SIGTERM");
    for (const child of running.values()) reload(child);
  });
  for (const signal of ["SIGTERM", "SIGINT"] as const) process.on(signal, () => stopAll(signal));
  // The parent of this process has ended, also by kill -9.
  process.once("disconnect", () => stopAll("SIGTERM"));
  const first = start(0);
  const [reason] = await Promise.race([once(first, "message"), ended(first)]);
  if (reason !== listeningMessage) return typeof reason === "number" ? reason : 1;
  const others = Array.from({ length: count - 1 }, (_, index) => index + 1);
  log.info({ event: "processes", count });
  await Promise.all([
    keepRunning(0, first),
    ...others.map((number) => (isStopping ? undefined : keepRunning(number))),
  ]);
  return exitCode;
}

const ended = (child: ChildProcess): Promise<unknown[]> =>
  child.exitCode === null && child.signalCode === null
    ? once(child, "exit")
    : Promise.resolve([child.exitCode, child.signalCode]);
