/**
 * Runs a program as a child process: its output, when it is ready, and that it never outlives the
 * tests.
 */
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { Socket } from "node:net";

export type ChildProgramOptions = {
  file: string;
  args: readonly string[];
  env?: NodeJS.ProcessEnv;
  cwd?: string;
  /**
   * Its input is a pipe that stays open for as long as this process lives; otherwise it is empty.
   */
  hasOpenInput?: boolean;
};

export type ChildProgram = {
  pid: number;
  /**
   * Everything printed so far on both streams, the oldest dropped beyond four million characters.
   */
  output(): string;
  /** Answers what `read` makes of the first line of stdout that it accepts. */
  waitForLine<T>(read: (line: string) => T | undefined, timeoutMs: number): Promise<T>;
  kill(signal: NodeJS.Signals): void;
  exited: Promise<ProcessExit>;
  /** SIGTERM, and SIGKILL for a program that does not follow. */
  stop(graceMs?: number): Promise<ProcessExit>;
  /** This process may end although the program still runs, and ends it then. */
  unref(): void;
};

export type ProcessExit = { code: number | null; signal: NodeJS.Signals | null };

const maxOutputChars = 4_000_000;
const defaultGraceMs = 20_000;

/**
 * `running` is one listener ends all of them: a worker with a dozen programs would have a dozen.
 */
const running = new Set<ChildProcess>();
function killRunning(): void {
  for (const child of running) child.kill("SIGKILL");
}

export function startProgram({
  file,
  args,
  env,
  cwd,
  hasOpenInput,
}: ChildProgramOptions): ChildProgram {
  const child = hasOpenInput
    ? spawn(file, args, { env, cwd, stdio: ["pipe", "pipe", "pipe"] })
    : spawn(file, args, { env, cwd, stdio: ["ignore", "pipe", "pipe"] });
  const { pid } = child;
  if (pid === undefined) throw new Error(`${file} cannot be started`);
  running.add(child);
  if (running.size === 1) process.once("exit", killRunning);
  const exited = exitOf(child).finally(() => {
    running.delete(child);
    if (running.size === 0) process.off("exit", killRunning);
  });

  // In chunks: a program that runs for hours prints far more than is kept, and slicing one long
  // text is slow.
  let pieces: string[] = [];
  let length = 0;
  const output = () => pieces.join("").slice(-maxOutputChars);
  const lineReaders = new Set<(line: string) => void>();
  const keep = (text: string) => {
    pieces.push(text);
    length += text.length;
    if (length < 2 * maxOutputChars) return;
    pieces = [output()];
    length = maxOutputChars;
  };
  child.stderr.setEncoding("utf8").on("data", keep);
  let unfinished = "";
  child.stdout.setEncoding("utf8").on("data", (text: string) => {
    keep(text);
    const lines = (unfinished + text).split("\n");
    unfinished = lines.pop() ?? "";
    for (const line of lines) for (const read of lineReaders) read(line);
  });

  return {
    pid,
    exited,
    output,

    waitForLine(read, timeoutMs) {
      const what = [file, ...args].join(" ");
      return new Promise((resolve, reject) => {
        const fail = (reason: string) => {
          stopReading();
          reject(new Error(`${what}: ${reason}\n${output()}`));
        };
        const timer = setTimeout(() => fail(`not ready after ${timeoutMs} ms`), timeoutMs);
        const readLine = (line: string) => {
          const found = read(line);
          if (found === undefined) return;
          stopReading();
          resolve(found);
        };
        const stopReading = () => {
          clearTimeout(timer);
          lineReaders.delete(readLine);
        };
        lineReaders.add(readLine);
        exited.then(
          ({ code, signal }) => fail(`ended with ${signal ?? code} before it was ready`),
          reject,
        );
      });
    },

    kill(signal) {
      child.kill(signal);
    },

    unref() {
      child.unref();
      for (const pipe of child.stdio) if (pipe instanceof Socket) pipe.unref();
    },

    async stop(graceMs = defaultGraceMs) {
      child.kill("SIGTERM");
      const timer = setTimeout(() => child.kill("SIGKILL"), graceMs);
      return exited.finally(() => clearTimeout(timer));
    },
  };
}

/** "close" rather than "exit": by then everything it printed has been read. */
async function exitOf(child: ChildProcess): Promise<ProcessExit> {
  const [code, signal] = await once(child, "close");
  return { code, signal };
}
