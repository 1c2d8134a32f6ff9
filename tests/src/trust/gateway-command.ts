// One of the program's own commands, as an operator types it.
import { join } from "node:path";
import type { StorageConfig } from "@tollgate/gateway/storage/open-database.ts";
import { gatewayEnvironment, gatewayFlags } from "../../../scripts/gateway-node-options.ts";
import { type ChildProgram, startProgram } from "../harness/child-process.ts";
import { repositoryDir } from "../harness/repository-dir.ts";

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
  return startProgram({
    file: process.execPath,
    args: [...gatewayFlags, join(repositoryDir, "gateway/src/main.ts"), ...args],
    env: {
      PATH: process.env.PATH,
      HOME: process.env.HOME,
      ...gatewayEnvironment,
      DATA_DIR: dataDir,
      ...(databaseUrl && { DATABASE_URL: databaseUrl }),
      ...env,
    },
  });
}
