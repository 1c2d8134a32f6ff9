/** The real gateway as a child process, started as an operator starts it. */
import { existsSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { readSqliteFile } from "@tollgate/gateway/storage/open-database.ts";
import { gatewayCommand } from "../../../scripts/gateway-node-options.ts";
import { type ProcessExit, startProgram } from "./child-process.ts";
import { putMasterKey } from "./database-templates.ts";
import { gatewayProgram } from "./gateway-program.ts";
import { repositoryDir } from "./repository-dir.ts";

export type GatewayProcessOptions = {
  /** Wins over everything the harness sets. */
  env?: Record<string, string>;
  /** A folder to start from; without one the gateway gets a fresh folder that goes away with it. */
  dataDir?: string;
  /** `databaseUrl` comes without one the gateway keeps its data in SQLite. */
  databaseUrl?: string;
  /** Addresses of simulators that it may call although they are private. */
  upstreams?: readonly string[];
  /**
   * `openFiles` says how many descriptors it may have open, where that is not what the machine
   * gives. Needs Linux.
   */
  openFiles?: number;
  /** False leaves a folder as it is; otherwise, a database that a test made gets its master key. */
  hasKey?: boolean;
  /** `args` are those of the subcommand `serve`. */
  args?: readonly string[];
  /** Another program in the gateway's place, for tests of this file. */
  main?: string;
};

export type GatewayProcess = {
  url: string;
  dataDir: string;
  pid: number;
  /** INITIAL_ROOT_PASSWORD, or the password that the first start printed; empty without either. */
  readonly rootPassword: string;
  exited: Promise<ProcessExit>;
  kill(signal: NodeJS.Signals): void;
  /** SIGTERM, waits for the end, and removes a data folder that was made for it. */
  stop(): Promise<ProcessExit>;
  output(): string;
};

/** Two seconds on a machine with nothing else to do. */
const readyTimeoutMs = 60_000;
/** No other variable may reach the program under test: a developer's DATABASE_URL least of all. */
const inheritedVariables = ["PATH", "HOME", "TMPDIR", "TZ", "LANG", "SystemRoot"];

export async function startGatewayProcess(
  options: GatewayProcessOptions = {},
): Promise<GatewayProcess> {
  const { env = {}, databaseUrl, upstreams = [], openFiles } = options;
  const dataDir = options.dataDir ?? (await mkdtemp(join(tmpdir(), "tollgate-data-")));
  const removeOwnData = async () => {
    if (options.dataDir === undefined) await rm(dataDir, { recursive: true, force: true });
  };
  const hasDatabase = databaseUrl !== undefined || existsSync(readSqliteFile(dataDir));
  if (hasDatabase && options.hasKey !== false && env.MASTER_KEY === undefined)
    putMasterKey(dataDir);
  const node = options.main === undefined ? gatewayProgram() : gatewayCommand(options.main);
  const command = [process.execPath, ...node.args, "serve", ...(options.args ?? [])];
  // Node raises its own limit as far as it may, so both are set, and before it starts.
  if (openFiles) command.unshift("prlimit", `--nofile=${openFiles}:${openFiles}`);
  const [file = "", ...args] = command;
  const program = startProgram({
    file,
    args,
    cwd: repositoryDir,
    env: {
      ...Object.fromEntries(inheritedVariables.map((name) => [name, process.env[name]])),
      ...node.env,
      HOST: "127.0.0.1",
      PORT: "0",
      DATA_DIR: dataDir,
      // Tests act as many users from one address.
      API_RATE_LIMIT: "0",
      ...(databaseUrl && { DATABASE_URL: databaseUrl }),
      ...(upstreams.length > 0 && {
        UPSTREAM_PRIVATE_HOSTS: upstreams.map((url) => new URL(url).host).join(","),
      }),
      ...env,
    },
  });

  try {
    const url = await program.waitForLine(readAddress, readyTimeoutMs);
    return {
      url,
      dataDir,
      pid: program.pid,
      get rootPassword() {
        return env.INITIAL_ROOT_PASSWORD ?? readRootPassword(program.output());
      },
      exited: program.exited,
      kill: program.kill,
      output: program.output,
      async stop() {
        const exit = await program.stop();
        await removeOwnData();
        return exit;
      },
    };
  } catch (cause) {
    await program.stop(0);
    await removeOwnData();
    throw cause;
  }
}

function readAddress(line: string): string | undefined {
  if (!line.includes('"event":"listening"')) return undefined;
  const { url } = JSON.parse(line);
  return typeof url === "string" ? url.replace(/\/$/, "") : undefined;
}

function readRootPassword(output: string): string {
  return /Root password: *(\S+)/.exec(output)?.[1] ?? "";
}
