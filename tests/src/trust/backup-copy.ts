// Creates and restores backups of a running gateway's database as docs/operations.md describes.
import { execFile } from "node:child_process";
import { copyFile, mkdir, mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";
import { promisify } from "node:util";
import { readSqliteFile, type StorageConfig } from "@tollgate/gateway/storage/open-database.ts";
import { createDatabase, dropDatabase, findPostgresBin } from "../harness/postgres-cluster.ts";
import { runCommand } from "./gateway-command.ts";

const run = promisify(execFile);

export interface BackupCopy {
  /** The file that `tollgate backup`, or the command that it names, has written. */
  file: string;
  remove(): Promise<void>;
}

export async function createBackup(config: StorageConfig): Promise<BackupCopy> {
  const folder = await mkdtemp(join(tmpdir(), "tollgate-copy-"));
  const file = join(folder, "copy");
  const output = await runCommand(config, "backup", file);
  if (config.databaseUrl) {
    if (output.code !== 1) throw new Error(`backup ended with ${output.code}: ${output.text}`);
    const [command = "false"] = /pg_dump .*/.exec(output.text) ?? [];
    await inShell(command);
  } else if (output.code !== 0) throw new Error(`backup ended with ${output.code}: ${output.text}`);
  return { file, remove: () => rm(folder, { recursive: true }) };
}

/** What is in a copy, as bytes that can be searched. */
export async function readBackup({ file }: BackupCopy, isOnPostgres: boolean): Promise<Buffer> {
  return isOnPostgres ? await inShell(`pg_restore --file=- '${file}'`) : await readFile(file);
}

export interface RestoredDatabase extends StorageConfig {
  remove(): Promise<void>;
}

/** Restores into a new folder, without the master key, which is not part of a backup. */
export async function restore(
  { file }: BackupCopy,
  isOnPostgres: boolean,
): Promise<RestoredDatabase> {
  const dataDir = await mkdtemp(join(tmpdir(), "tollgate-restored-"));
  const databaseUrl = isOnPostgres ? await createDatabase() : undefined;
  if (databaseUrl)
    await inShell(`pg_restore --no-owner --exit-on-error --dbname='${databaseUrl}' '${file}'`);
  else await copyFile(file, readSqliteFile(dataDir));
  return {
    dataDir,
    databaseUrl,
    async remove() {
      if (databaseUrl) await dropDatabase(databaseUrl);
      await rm(dataDir, { recursive: true });
    },
  };
}

export async function copyMasterKey(from: StorageConfig, to: StorageConfig): Promise<void> {
  await mkdir(to.dataDir, { recursive: true });
  await copyFile(join(from.dataDir, "master.key"), join(to.dataDir, "master.key"));
}

const outputMax = 256 * 1024 * 1024;

async function inShell(command: string): Promise<Buffer> {
  const path = [findPostgresBin("pg_dump") ?? "", process.env.PATH ?? ""].join(delimiter);
  const env = { ...process.env, PATH: path };
  const { stdout } = await run("/bin/sh", ["-c", command], {
    env,
    encoding: "buffer",
    maxBuffer: outputMax,
  });
  return stdout;
}
