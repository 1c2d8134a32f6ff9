/** The folder of a full log: filled once, and opened again as it is where it was kept. */
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Database } from "@tollgate/gateway/storage/database.ts";
import { openDatabase } from "@tollgate/gateway/storage/open-database.ts";
import { startPostgresCluster } from "../../tests/src/harness/postgres-cluster.ts";

/**
 * `serverSettings` are what a machine with a log of this size gives its server, and a fill that
 * writes nothing twice.
 */
const serverSettings = {
  shared_buffers: "1GB",
  max_wal_size: "8GB",
  checkpoint_timeout: "1h",
  wal_level: "minimal",
  max_wal_senders: "0",
};

/** `FilledLog` is what a kept folder holds. */
interface FilledLog {
  rows: number;
  dialect: string;
  /** The time at which the log ends. */
  now: number;
  /** The database of the server; empty on SQLite. */
  database: string;
}

export interface LogFolder {
  dataDir: string;
  databaseUrl: string | undefined;
  /** The time at which the log ends, where the folder is filled. */
  filledAt: number | undefined;
  open(): Promise<Database>;
  /** From now on the folder counts as filled. */
  markFilled(now: number): void;
  close(): Promise<void>;
}

/** Without a path, the folder is a new one that ends with the run. */
export async function openLogFolder(
  path: string | undefined,
  dialect: string,
  rows: number,
): Promise<LogFolder> {
  const dataDir = path ?? mkdtempSync(join(tmpdir(), "tollgate-bench-logs-"));
  mkdirSync(dataDir, { recursive: true });
  const note = join(dataDir, "filled.json");
  const filled = existsSync(note)
    ? (JSON.parse(readFileSync(note, "utf8")) as FilledLog)
    : undefined;
  if (filled && (filled.rows !== rows || filled.dialect !== dialect))
    throw new Error(`${dataDir} holds ${filled.rows} rows on ${filled.dialect}.`);

  if (!filled && readdirSync(dataDir).length > 0)
    throw new Error(`${dataDir} is neither empty nor filled.`);

  const isSqlite = dialect === "sqlite";
  const cluster = isSqlite
    ? undefined
    : await startPostgresCluster({
        ...(path !== undefined && { folder: join(path, "postgres") }),
        settings: serverSettings,
      });
  const databaseUrl =
    filled && cluster ? databaseAt(cluster.url, filled.database) : await cluster?.createDatabase();
  return {
    dataDir,
    databaseUrl,
    filledAt: filled?.now,
    open: () =>
      openDatabase(
        { dataDir, databaseUrl },
        {
          onError: (error) => console.error(error.message),
          onFatal: (error) => {
            throw error;
          },
        },
      ),
    markFilled(now) {
      const database = databaseUrl === undefined ? "" : new URL(databaseUrl).pathname;
      writeFileSync(note, JSON.stringify({ rows, dialect, now, database } satisfies FilledLog));
    },
    async close() {
      await cluster?.stop();
      if (path === undefined) rmSync(dataDir, { recursive: true, force: true });
    },
  };
}

function databaseAt(serverUrl: string, pathname: string): string {
  const url = new URL(serverUrl);
  url.pathname = pathname;
  return url.href;
}
