/** Runs `tollgate import` against a database of a test. */
import { readCommandLine } from "@tollgate/gateway/commands/command-line/read-command-line.ts";
import { readImportArguments } from "@tollgate/gateway/commands/import/import-arguments.ts";
import { importCommand } from "@tollgate/gateway/start/open-import.ts";
import type { Database } from "@tollgate/gateway/storage/database.ts";

export const importMasterKey = Buffer.alloc(32, 7);

interface ImportRunSettings {
  /** `source` is what `IMPORT_SOURCE` names. */
  source?: string | undefined;
  environment?: NodeJS.ProcessEnv;
  upstreamPrivateHosts?: readonly string[];
}

/** Returns the exit code and what the command prints. */
export async function runImport(
  db: Database,
  args: readonly string[],
  { source, environment = {}, upstreamPrivateHosts = [] }: ImportRunSettings = {},
): Promise<{ code: number; lines: string[] }> {
  const lines: string[] = [];
  const line = await readCommandLine(["import", ...args]);
  if (line.kind !== "command") throw new Error(`no import: ${JSON.stringify(line)}`);
  const code = await importCommand({
    args: readImportArguments(line.input, source),
    privateHosts: { upstream: new Set(upstreamPrivateHosts), proxy: new Set() },
    initialRootPassword: "the password of root",
    environment,
    withDatabase: (work) => work(db, importMasterKey),
    print: (line) => void lines.push(line),
  });
  return { code, lines };
}
