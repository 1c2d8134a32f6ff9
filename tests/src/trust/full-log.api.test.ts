// A log that cannot be written, as on a full disk.
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { type ChildProgram, startProgram } from "../harness/child-process.ts";
import {
  copySqliteTemplate,
  createMigratedDatabase,
  putMasterKey,
} from "../harness/database-templates.ts";
import { eventually } from "../harness/eventually.ts";
import { freePort } from "../harness/free-port.ts";
import { gatewayProgram } from "../harness/gateway-program.ts";
import { dropDatabase } from "../harness/postgres-cluster.ts";

let dataDir: string;
let gateway: ChildProgram | undefined;
beforeEach(() => {
  dataDir = mkdtempSync(join(tmpdir(), "tollgate-full-log-"));
});
afterEach(async () => {
  await gateway?.stop();
  rmSync(dataDir, { recursive: true });
});

/** Its standard output is a device without room. */
async function startWithFullLog(
  args: readonly string[],
  env: Record<string, string> = {},
): Promise<ChildProgram> {
  const port = await freePort();
  putMasterKey(dataDir);
  const node = gatewayProgram();
  const program = startProgram({
    file: "/bin/sh",
    args: ["-c", 'exec "$0" "$@" > /dev/full', process.execPath, ...node.args, "serve", ...args],
    env: {
      PATH: process.env.PATH,
      ...node.env,
      HOST: "127.0.0.1",
      PORT: String(port),
      DATA_DIR: dataDir,
      ...env,
    },
  });
  gateway = program;
  await waitFor(`http://127.0.0.1:${port}/readyz`);
  return program;
}

const waitFor = (url: string): Promise<void> =>
  eventually(async () => expect((await fetch(url)).status).toBe(200), { timeoutMs: 40_000 });

test("ends no process: it starts, serves and stops as always", async () => {
  copySqliteTemplate(dataDir, { hasRoot: true });
  const program = await startWithFullLog([]);
  program.kill("SIGTERM");
  expect(await program.exited).toEqual({ code: 0, signal: null });
  expect(program.output()).toBe("");
});

test.runIf(process.env.TEST_POSTGRES_URL)("ends none of several processes", async () => {
  const DATABASE_URL = await createMigratedDatabase({ hasRoot: true });
  try {
    const metricsPort = await freePort();
    const program = await startWithFullLog(["--processes", "2"], {
      DATABASE_URL,
      METRICS_PORT: String(metricsPort),
    });
    await waitFor(`http://127.0.0.1:${metricsPort + 1}/metrics`);
    program.kill("SIGTERM");
    expect(await program.exited).toEqual({ code: 0, signal: null });
  } finally {
    await dropDatabase(DATABASE_URL);
  }
});
