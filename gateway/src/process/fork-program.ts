/** Starts another program of the gateway as a child process with a message channel. */
import { type ChildProcess, type ForkOptions, fork } from "node:child_process";
import { isSea } from "node:sea";

/**
 * `file` is one of the gateway's own. A single executable takes options of Node.js from its
 * environment alone.
 */
export function forkProgram(
  file: string,
  args: readonly string[],
  { execArgv = [], ...options }: ForkOptions & { execArgv?: readonly string[] },
): ChildProcess {
  if (!isSea()) return fork(file, args, { ...options, execArgv: [...execArgv] });
  const env = { ...(options.env ?? process.env), NODE_OPTIONS: execArgv.join(" ") };
  return fork(file, args, { ...options, execArgv: [], env });
}
