// A private MariaDB server for tests: a folder under the system's temp, a socket in it, no
// passwords, and a port only for TLS.
import { execFile } from "node:child_process";
import { chownSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { createConnection } from "mysql2/promise";
import type { Availability } from "./availability.ts";
import { startProgram } from "./child-process.ts";
import { eventually } from "./eventually.ts";
import { findProgram } from "./find-program.ts";
import { freePort } from "./free-port.ts";

const run = promisify(execFile);
const besides = ["/usr/sbin", "/usr/local/sbin"];
const find = () => findProgram(["mariadbd"], besides);
const install = () => findProgram(["mariadb-install-db"], besides);

export function mariadbAvailable(): Availability {
  return find() && install()
    ? { available: true }
    : { available: false, reason: "MariaDB is not installed" };
}

export interface MariadbServer {
  socketPath: string;
  /**
   * `tls` come with TLS: its port on 127.0.0.1, and the file of the certificate, which is valid for
   * `localhost`.
   */
  tls: { port: number; certificateFile: string } | undefined;
  /** Creates a database and runs statements in it, each with its values. */
  createDatabase(
    name: string,
    statements: readonly (readonly [sql: string, values: readonly unknown[]])[],
  ): Promise<void>;
  stop(): Promise<void>;
}

/** Durability costs seconds and proves nothing here. */
const settings = [
  "--innodb-flush-log-at-trx-commit=0",
  "--innodb-buffer-pool-size=16M",
  "--skip-log-bin",
];

async function certificateIn(folder: string) {
  const [keyFile, certificateFile, port] = [
    join(folder, "key.pem"),
    join(folder, "certificate.pem"),
    await freePort(),
  ];
  const subject = [
    "-subj",
    "/CN=localhost",
    "-addext",
    "subjectAltName=DNS:localhost",
    "-days",
    "2",
  ];
  const key = ["-newkey", "rsa:2048", "-nodes", "-keyout", keyFile];
  await run("openssl", ["req", "-x509", ...key, "-out", certificateFile, ...subject]);
  const listens = ["--bind-address=127.0.0.1", `--port=${port}`];
  return {
    port,
    certificateFile,
    args: [...listens, `--ssl-cert=${certificateFile}`, `--ssl-key=${keyFile}`],
  };
}

export async function startMariadb({ hasTls = false } = {}): Promise<MariadbServer> {
  const [program, installer] = [find(), install()];
  if (!program || !installer) throw new Error("MariaDB is not installed");
  // A socket's path has a hundred characters at most.
  const folder = mkdtempSync(join(tmpdir(), "tollgate-mariadb-"));
  const socketPath = join(folder, "socket");
  const tls = hasTls ? await certificateIn(folder) : undefined;
  const isRoot = process.getuid?.() === 0;
  if (isRoot) await run("chown", ["-R", "mysql:", folder]);
  else chownSync(folder, process.getuid?.() ?? 0, process.getgid?.() ?? 0);
  const user = isRoot ? ["--user=mysql"] : [];
  const data = `--datadir=${join(folder, "data")}`;
  await run(installer, [
    "--no-defaults",
    data,
    ...user,
    "--auth-root-authentication-method=normal",
    "--skip-test-db",
  ]);
  const server = startProgram({
    file: program,
    args: [
      "--no-defaults",
      data,
      ...user,
      `--socket=${socketPath}`,
      ...(tls?.args ?? ["--skip-networking"]),
      ...settings,
    ],
  });
  const stop = async () => {
    await server.stop();
    rmSync(folder, { recursive: true, force: true });
  };
  const connect = () => createConnection({ socketPath, user: "root" });
  try {
    await eventually(async () => {
      const connection = await connect();
      await connection.end();
    });
  } catch (cause) {
    await stop();
    throw cause;
  }
  return {
    socketPath,
    tls,
    async createDatabase(name, statements) {
      const connection = await connect();
      try {
        await connection.query(`create database if not exists ${name} character set utf8mb4`);
        await connection.query(`use ${name}`);
        await connection.query("set session sql_mode = 'ANSI_QUOTES'");
        for (const [sql, values] of statements) await connection.query(sql, [...values]);
      } finally {
        await connection.end();
      }
    },
    stop,
  };
}
