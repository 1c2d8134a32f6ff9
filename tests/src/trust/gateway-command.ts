// One of the program's own commands, as an operator types it.
import { join } from "node:path";
import type { StorageConfig } from "@tollgate/gateway/storage/open-database.ts";
import { gatewayEnvironment, gatewayFlags } from "../../../scripts/gateway-node.ts";
import { type Program, startProgram } from "../harness/child-process.ts";
import { repositoryDir } from "../harness/places.ts";

export interface Said {
  code: number | null;
  text: string;
}

export async function runCommand(config: StorageConfig, ...args: string[]): Promise<Said> {
  const program = startCommand(config, args);
  const { code } = await program.exited;
  return { code, text: program.output().trim() };
}

export function startCommand(
  { dataDir, databaseUrl }: StorageConfig,
  args: readonly string[],
  env: Record<string, string> = {},
): Program {
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
