/**
 * A private PostgreSQL server for tests: a folder under the system's temp, a free port on
 * 127.0.0.1, no passwords. It ends with the process that started it, however that process ends.
 */
import { execFile, execFileSync, spawn } from "node:child_process";
import { randomBytes } from "node:crypto";
import { once } from "node:events";
import {
  chownSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
} from "node:fs";
import { connect, Socket } from "node:net";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";
import { promisify } from "node:util";
import type { Availability } from "./availability.ts";
import { freePort } from "./free-port.ts";

export type PostgresCluster = {
  /** The administrator's, to the database `postgres`. */
  url: string;
  port: number;
  dataDir: string;
  createDatabase(fromTemplate?: string): Promise<string>;
  /** As if its machine had lost power for a moment; connections break. */
  restart(): Promise<void>;
  stop(): Promise<void>;
};

/** A standby that follows a test server as its log arrives. */
export type PostgresStandby = PostgresCluster & {
  /** The log still arrives and is no longer applied, until `resume`. */
  pause(): Promise<void>;
  resume(): Promise<void>;
};

export type PostgresClusterOptions = {
  /** Survives `kill -9` of the whole machine: only for tests of exactly that. */
  fsync?: boolean;
  /**
   * Made where it is missing, and kept after the server's end. By default the folder is a new one
   * that ends with it.
   */
  folder?: string;
  /** Settings of the server beside those that every test has. */
  settings?: Readonly<Record<string, string>>;
};

type UnixUser = { uid: number; gid: number };

const run = promisify(execFile);
const debianFolder = "/usr/lib/postgresql";
const folderPrefix = "tollgate-postgres-";
const startAttempts = 3;
/** A younger folder may belong to a server that is about to start. */
const startingUpMs = 10 * 60_000;

export function postgresAvailable(): Availability {
  if (!findPostgresBin("initdb"))
    return {
      available: false,
      reason: "PostgreSQL's programs (initdb, postgres) are not installed",
    };
  if (isRoot() && !unprivilegedUser()) {
    return {
      available: false,
      reason: "PostgreSQL refuses to run as root and there is no user postgres or nobody",
    };
  }
  return { available: true };
}

export async function startPostgresCluster({
  fsync = false,
  folder,
  settings = {},
}: PostgresClusterOptions = {}): Promise<PostgresCluster> {
  const possible = postgresAvailable();
  const bin = findPostgresBin("initdb");
  if (!possible.available || !bin) throw new Error(possible.available ? "" : possible.reason);
  const user = isRoot() ? unprivilegedUser() : undefined;
  if (folder !== undefined) mkdirSync(folder, { recursive: true });
  const dataDir = folder ?? mkdtempSync(join(tmpdir(), folderPrefix));
  if (user) chownSync(dataDir, user.uid, user.gid);

  try {
    const initdb = [
      "-D",
      dataDir,
      "-U",
      "postgres",
      "-A",
      "trust",
      "-E",
      "UTF8",
      "--locale=C",
      "--no-sync",
    ];
    if (!existsSync(join(dataDir, "PG_VERSION")))
      await run(join(bin, "initdb"), initdb, { ...user, cwd: dataDir });
    // Another program may take the free port before PostgreSQL does.
    for (let attempt = 1; ; attempt++) {
      try {
        return await startServer({
          bin,
          dataDir,
          user,
          fsync,
          settings,
          isKept: folder !== undefined,
        });
      } catch (cause) {
        if (attempt === startAttempts) throw cause;
      }
    }
  } catch (cause) {
    if (folder === undefined) rmSync(dataDir, { recursive: true, force: true });
    throw cause;
  }
}

export async function startStandby({
  port,
}: Pick<PostgresCluster, "port">): Promise<PostgresStandby> {
  const bin = findPostgresBin("pg_basebackup");
  if (!bin) throw new Error("PostgreSQL's program pg_basebackup is not installed");
  const user = isRoot() ? unprivilegedUser() : undefined;
  const dataDir = mkdtempSync(join(tmpdir(), folderPrefix));
  if (user) chownSync(dataDir, user.uid, user.gid);
  try {
    const copy = [
      "-D",
      dataDir,
      "-h",
      "127.0.0.1",
      "-p",
      String(port),
      "-U",
      "postgres",
      "--no-sync",
    ];
    await run(join(bin, "pg_basebackup"), [...copy, "--checkpoint=fast", "--write-recovery-conf"], {
      ...user,
      cwd: dataDir,
    });
    const server = await startServer({ bin, dataDir, user, fsync: false });
    return {
      ...server,
      pause: async () => void (await runSql(server.url, "select pg_wal_replay_pause()")),
      resume: async () => void (await runSql(server.url, "select pg_wal_replay_resume()")),
    };
  } catch (cause) {
    rmSync(dataDir, { recursive: true, force: true });
    throw cause;
  }
}

/** A new database on the test server of this run; a template must have no open connections. */
export async function createDatabase(
  fromTemplate?: string,
  serverUrl = process.env.TEST_POSTGRES_URL,
): Promise<string> {
  if (!serverUrl) throw new Error("There is no test server: TEST_POSTGRES_URL is not set.");
  const name = `test_${randomBytes(8).toString("hex")}`;
  const template = fromTemplate && new URL(fromTemplate).pathname.slice(1);
  await runSql(serverUrl, `create database ${name}${template ? ` template "${template}"` : ""}`);
  const url = new URL(serverUrl);
  url.pathname = `/${name}`;
  return url.href;
}

export async function dropDatabase(
  databaseUrl: string,
  serverUrl = process.env.TEST_POSTGRES_URL,
): Promise<void> {
  if (!serverUrl) throw new Error("There is no test server: TEST_POSTGRES_URL is not set.");
  await runSql(serverUrl, `drop database "${new URL(databaseUrl).pathname.slice(1)}" with (force)`);
}

/**
 * `runSql` gives one statement, answered as text: for tests that look where the gateway does not.
 */
export async function runSql(databaseUrl: string, statement: string): Promise<string> {
  const psql = join(findPostgresBin("psql") ?? "", "psql");
  const flags = ["--no-psqlrc", "--quiet", "--tuples-only", "--no-align", "--set=ON_ERROR_STOP=1"];
  const { stdout } = await run(psql, [...flags, `--command=${statement}`, databaseUrl]);
  return stdout.trimEnd();
}

type PostgresServerOptions = {
  bin: string;
  dataDir: string;
  user: UnixUser | undefined;
  fsync: boolean;
  settings?: Readonly<Record<string, string>>;
  isKept?: boolean;
};

/**
 * A shell stands between us and the server. It waits for its input to end, which happens when we
 * close it or when we die, even by SIGKILL; then it stops the server and removes the folder that
 * nobody keeps. So a crashed run leaves nothing behind.
 */
const guard = `
"$1/pg_ctl" --pgdata="$2" --log="$2/log" --wait --timeout=60 --options="$3" start </dev/null >/dev/null || { cat "$2/log" >&2; exit 1; }
echo ready
read -r line
[ "$4" = kept ] && exec "$1/pg_ctl" --pgdata="$2" --mode=fast --wait --timeout=600 stop </dev/null >/dev/null
"$1/pg_ctl" --pgdata="$2" --mode=immediate --wait stop </dev/null >/dev/null
rm -rf "$2"
`;

async function startServer({
  bin,
  dataDir,
  user,
  fsync,
  settings: ownSettings,
  isKept,
}: PostgresServerOptions): Promise<PostgresCluster> {
  const port = await freePort();
  const settings = {
    listen_addresses: "127.0.0.1",
    unix_socket_directories: "",
    // Test files run in parallel, and some open fifty nodes with a pool each.
    max_connections: "1000",
    shared_buffers: "64MB",
    timezone: "UTC",
    ...(fsync ? {} : { fsync: "off", full_page_writes: "off" }),
    ...ownSettings,
  };
  const options = Object.entries(settings).map(([name, value]) => `-c ${name}='${value}'`);
  const args = [bin, dataDir, `-p ${port} ${options.join(" ")}`, isKept ? "kept" : "removed"];
  const child = spawn("/bin/sh", ["-c", guard, "guard", ...args], {
    ...user,
    cwd: dataDir,
    // Its own process group, so that Ctrl-C reaches us and the server outlives us just long enough
    // to be stopped.
    detached: true,
  });
  const ended = once(child, "close");
  let errorOutput = "";
  child.stderr.setEncoding("utf8").on("data", (text: string) => {
    errorOutput += text;
  });
  const isReady = await Promise.race([
    once(child.stdout, "data").then(() => true),
    ended.then(() => false),
  ]);
  if (!isReady) throw new Error(`PostgreSQL did not start:\n${errorOutput}`);
  // A test run that forgets to stop its server must still be able to end.
  child.unref();
  for (const pipe of [child.stdin, child.stdout, child.stderr])
    if (pipe instanceof Socket) pipe.unref();

  const url = `postgres://postgres@127.0.0.1:${port}/postgres`;
  return {
    url,
    port,
    dataDir,
    createDatabase: (fromTemplate) => createDatabase(fromTemplate, url),
    async restart() {
      const args = [
        `--pgdata=${dataDir}`,
        `--log=${dataDir}/log`,
        "--mode=immediate",
        "--wait",
        "restart",
      ];
      await run(join(bin, "pg_ctl"), args, { ...user, cwd: dataDir });
    },
    async stop() {
      child.ref();
      child.stdin.end();
      await ended;
    },
  };
}

/**
 * `removeAbandonedClusters` gives what a power cut or the killing of everything leaves behind:
 * folders whose server no longer answers. A server that answers is in use, so no process is ever
 * ended here.
 */
export async function removeAbandonedClusters(): Promise<void> {
  for (const name of readdirSync(tmpdir()).filter((entry) => entry.startsWith(folderPrefix))) {
    const folder = join(tmpdir(), name);
    try {
      if (Date.now() - statSync(folder).mtimeMs < startingUpMs || (await isAnswering(folder)))
        continue;
      rmSync(folder, { recursive: true, force: true });
    } catch {
      // Another user's folder, or one that was removed meanwhile.
    }
  }
}

/** The fourth line of postmaster.pid is the port. */
async function isAnswering(folder: string): Promise<boolean> {
  const file = join(folder, "postmaster.pid");
  if (!existsSync(file)) return false;
  const socket = connect(Number(readFileSync(file, "utf8").split("\n")[3]), "127.0.0.1");
  return once(socket, "connect")
    .then(
      () => true,
      () => false,
    )
    .finally(() => socket.destroy());
}

/**
 * The folder with the newest PostgreSQL where Debian keeps it (outside PATH), or the folder on
 * PATH.
 */
export function findPostgresBin(program: string): string | undefined {
  const versions = existsSync(debianFolder) ? readdirSync(debianFolder) : [];
  const newestFirst = versions
    .sort((a, b) => Number(b) - Number(a))
    .map((version) => join(debianFolder, version, "bin"));
  const folders = [...newestFirst, ...(process.env.PATH ?? "").split(delimiter)];
  return folders.find((folder) => existsSync(join(folder, program)));
}

const isRoot = () => process.getuid?.() === 0;

function unprivilegedUser(): UnixUser | undefined {
  for (const name of ["postgres", "nobody"]) {
    try {
      const id = (flag: string) =>
        Number(execFileSync("id", [flag, name], { encoding: "utf8", stdio: "pipe" }));
      return { uid: id("-u"), gid: id("-g") };
    } catch {
      // No such user here.
    }
  }
  return undefined;
}
