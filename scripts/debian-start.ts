/**
 * Starts a program with the settings of the service: `debian-start FILE PROGRAM ARGUMENTS…`. As
 * systemd does, variables of the file win, and a file that is not there is none.
 */
import { readFileSync } from "node:fs";
import { readEnvironmentFile } from "@tollgate/gateway/config/environment-file.ts";

const [file = "", program = "", ...args] = process.argv.slice(2);
const { variables, ignored } = readEnvironmentFile(readSettingsFile(file));
for (const name of ignored)
  console.error(
    `tollgate: ${file} sets ${JSON.stringify(name)}, which is no variable: the service ignores it too`,
  );
process.execve?.(program, [program, ...args], { ...process.env, ...variables });

function readSettingsFile(path: string): string {
  try {
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(readFileSync(path));
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return "";
    console.error(`tollgate: ${path} cannot be read: ${(error as Error).message}`);
    process.exit(1);
  }
}
