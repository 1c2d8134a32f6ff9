// One of the program's own commands, as an operator types it.
import type { StorageConfig } from "@tollgate/gateway/storage/open-database.ts";
import { type ChildProgram, startProgram } from "../harness/child-process.ts";
import { gatewayProgram } from "../harness/gateway-program.ts";

export interface CommandOutput {
  code: number | null;
  text: string;
}

export async function runCommand(config: StorageConfig, ...args: string[]): Promise<CommandOutput> {
  const program = startCommand(config, args);
  const { code } = await program.exited;
  return { code, text: program.output().trim() };
}

export function startCommand(
  { dataDir, databaseUrl }: StorageConfig,
  args: readonly string[],
  env: Record<string, string> = {},
): ChildProgram {
  const program = gatewayProgram();
  return startProgram({
    file: process.execPath,
    args: [...program.args, ...args],
    env: {
      PATH: process.env.PATH,
      HOME: process.env.HOME,
      ...program.env,
      DATA_DIR: dataDir,
      ...(databaseUrl && { DATABASE_URL: databaseUrl }),
      ...env,
    },
  });
}
