/**
 * Backs up the SQLite database while a gateway uses it; for PostgreSQL, the command that does so.
 */
import { closeSync, existsSync, fsyncSync, openSync, renameSync, rmSync, statSync } from "node:fs";
import { dirname, resolve } from "node:path";
import { DatabaseSync } from "node:sqlite";

/** The backup cannot be made; the message says what to do. */
export class BackupError extends Error {}

const lockWaitMs = 5_000;

/**
 * Copies the database as of one moment and returns the size in bytes. Only a complete, verified
 * copy gets the name `target`; an existing file is never overwritten. A running gateway continues
 * to write to its write-ahead log.
 */
export function backupSqlite(source: string, target: string): number {
  if (!existsSync(source)) throw new BackupError(`there is no database at ${source}; set DATA_DIR`);
  refuseToOverwrite(target);
  const unfinished = `${target}.${process.pid}.unfinished`;
  try {
    // Created empty and readable by its owner only, because it will hold everything but the master
    // key.
    closeSync(openSync(unfinished, "wx", 0o600));
    vacuumInto(source, unfinished);
    verifyIntegrity(unfinished);
    // SQLite does not sync what VACUUM wrote.
    syncToDisk(unfinished);
    refuseToOverwrite(target);
    renameSync(unfinished, target);
    syncToDisk(dirname(resolve(target)));
    return statSync(target).size;
  } catch (error) {
    rmSync(unfinished, { force: true });
    throw buildBackupError(error, target);
  }
}

/** A shell command without the password, which comes from ~/.pgpass, PGPASSWORD or the terminal. */
export function readPostgresDumpCommand(databaseUrl: string, target: string): string {
  const url = new URL(databaseUrl);
  url.password = "";
  url.searchParams.delete("password");
  return `pg_dump --format=custom --no-owner --file=${quoteForShell(target)} ${quoteForShell(url.href)}`;
}

const quoteForShell = (text: string): string => `'${text.replaceAll("'", `'\\''`)}'`;

function refuseToOverwrite(target: string): void {
  if (existsSync(target)) throw new BackupError(`${target} exists; name a file that does not`);
}

/** VACUUM INTO reads within one transaction and leaves deleted data in free pages behind. */
function vacuumInto(source: string, copy: string): void {
  const db = new DatabaseSync(source, { readOnly: true });
  try {
    db.exec(`pragma busy_timeout = ${lockWaitMs}`);
    db.prepare("vacuum into ?").run(copy);
  } finally {
    db.close();
  }
}

function verifyIntegrity(copy: string): void {
  const db = new DatabaseSync(copy, { readOnly: true });
  try {
    const problems = db
      .prepare("pragma integrity_check")
      .all()
      .map(({ integrity_check }) => integrity_check);
    if (problems.join() !== "ok")
      throw new BackupError(`the database is damaged: ${problems.slice(0, 3).join("; ")}`);
  } finally {
    db.close();
  }
}

function syncToDisk(path: string): void {
  const file = openSync(path, "r");
  try {
    fsyncSync(file);
  } finally {
    closeSync(file);
  }
}

function buildBackupError(error: unknown, target: string): unknown {
  const { code, message } = error as NodeJS.ErrnoException;
  if (code === "ENOENT") return new BackupError(`the folder of ${target} does not exist`);
  if (code === "EACCES" || code === "EROFS")
    return new BackupError(`${target} cannot be written here`);
  // Errors of SQLite itself: a full disk, a damaged page, a lock that is never released.
  return code === "ERR_SQLITE_ERROR" || code === "ENOSPC"
    ? new BackupError(`no copy was made: ${message}`)
    : error;
}
