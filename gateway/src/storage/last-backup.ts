/**
 * The moment at which the command `backup` has made the last copy: the time of a file in DATA_DIR,
 * for the command must not write to a database in use.
 */
import { writeFileSync } from "node:fs";
import { stat } from "node:fs/promises";
import { join } from "node:path";

const readFile = (dataDir: string): string => join(dataDir, "last-backup");

/**
 * Does nothing where the folder cannot be written: the copy itself is made. Returns whether it was
 * noted.
 */
export function noteBackup(dataDir: string, target: string): boolean {
  try {
    writeFileSync(readFile(dataDir), `${target}\n`, { mode: 0o600 });
    return true;
  } catch {
    return false;
  }
}

/** Milliseconds; undefined where no backup was made since this is noted. */
export async function findLastBackup(dataDir: string): Promise<number | undefined> {
  try {
    return (await stat(readFile(dataDir))).mtimeMs;
  } catch {
    return undefined;
  }
}
