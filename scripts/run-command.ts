/** Runs one program to its end and keeps what it prints. */
import { spawn } from "node:child_process";

export interface CommandResult {
  /** Null for a program that a signal ended, 1 for one that cannot be started. */
  code: number | null;
  /** Standard output and error, as they came. */
  output: string;
}

export function runCommand(
  program: string,
  args: readonly string[],
  options: { cwd: string; env: NodeJS.ProcessEnv },
): Promise<CommandResult> {
  const child = spawn(program, args, { ...options, stdio: ["ignore", "pipe", "pipe"] });
  let output = "";
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding("utf8").on("data", (text: string) => {
      output += text;
    });
  }
  return new Promise((resolve) => {
    child.once("error", (cause) =>
      resolve({ code: 1, output: `${program} cannot be started: ${cause.message}` }),
    );
    child.once("close", (code) => resolve({ code, output }));
  });
}
