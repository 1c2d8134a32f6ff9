// PgBouncer in transaction mode in front of a test database, on a free port of 127.0.0.1.
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Availability } from "./availability.ts";
import { startProgram } from "./child-process.ts";
import { eventually } from "./eventually.ts";
import { findProgram } from "./find-program.ts";
import { freePort } from "./free-port.ts";
import { runSql } from "./postgres-cluster.ts";

/** Debian keeps it where only root's path leads. */
const find = (): string | undefined => findProgram(["pgbouncer"], ["/usr/sbin", "/usr/local/sbin"]);

export function pgbouncerAvailable(): Availability {
  return find() ? { available: true } : { available: false, reason: "PgBouncer is not installed" };
}

export interface PgbouncerServer {
  /** `url` is the same database through the pooler. */
  url: string;
  stop(): Promise<void>;
}

/**
 * `ignored` are settings of a session that it takes and drops; it refuses clients that send others.
 */
export async function startPgbouncer(
  databaseUrl: string,
  ignored: readonly string[] = [],
): Promise<PgbouncerServer> {
  const program = find();
  if (!program) throw new Error("PgBouncer is not installed");
  const target = new URL(databaseUrl);
  const folder = mkdtempSync(join(tmpdir(), "tollgate-pgbouncer-"));
  // It refuses to run as root, and reads its file as the user that it becomes.
  chmodSync(folder, 0o755);
  const port = await freePort();
  const file = join(folder, "pgbouncer.ini");
  writeFileSync(
    file,
    `[databases]
* = host=${target.hostname} port=${target.port} user=postgres
[pgbouncer]
${process.getuid?.() === 0 ? "user = nobody" : ""}
listen_addr = 127.0.0.1
listen_port = ${port}
unix_socket_dir =
auth_type = any
pool_mode = transaction
default_pool_size = 4
max_client_conn = 200
ignore_startup_parameters = ${["extra_float_digits", ...ignored].join(",")}
`,
  );
  const server = startProgram({ file: program, args: [file] });
  const url = new URL(databaseUrl);
  url.port = String(port);
  const stop = async () => {
    await server.stop();
    rmSync(folder, { recursive: true, force: true });
  };
  try {
    await eventually(() => runSql(url.href, "select 1"));
  } catch (cause) {
    await stop();
    throw new Error(`PgBouncer does not answer: ${server.output()}`, { cause });
  }
  return { url: url.href, stop };
}
