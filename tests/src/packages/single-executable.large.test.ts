// The single executable, in an empty environment: to the first logged call, and what differs from a
// program in files.
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { consoleHeader } from "@tollgate/contract/api/envelope.ts";
import {
  beginSiteImport,
  getSiteImport,
  planSiteImport,
  uploadSiteImport,
} from "@tollgate/contract/commands/site-imports.ts";
import { afterAll, afterEach, beforeAll, expect, test } from "vitest";
import { buildNpmPackage } from "../../../scripts/build-npm-package.ts";
import { ensureConsoleBuild } from "../../../scripts/console-build.ts";
import { thisArchitecture } from "../../../scripts/node-runtime.ts";
import { buildExecutable } from "../../../scripts/single-executable.ts";
import { sendTo, signInSession } from "../harness/api-session.ts";
import { type ChildProgram, startProgram } from "../harness/child-process.ts";
import { createMigratedDatabase } from "../harness/database-templates.ts";
import { eventually } from "../harness/eventually.ts";
import { freePort } from "../harness/free-port.ts";
import { databaseKinds } from "../harness/gateway-database.ts";
import { dropDatabase } from "../harness/postgres-cluster.ts";
import { repositoryDir } from "../harness/repository-dir.ts";
import { type SimulatorProcess, startSimulatorProcess } from "../harness/simulator-process.ts";
import { awkwardRows, createFamilyDatabase } from "../support/family-database.ts";
import {
  listeningAddress,
  makeFirstCall,
  newcomerPassword,
  readyTimeoutMs,
} from "./first-logged-call.ts";

let folder: string;
let file: string;
let simulator: SimulatorProcess;
let program: ChildProgram | undefined;

const build = () =>
  buildExecutable(
    { root: repositoryDir, packageDir: join(folder, "npm"), version: "0.0.1" },
    thisArchitecture,
    folder,
  );

beforeAll(async () => {
  await ensureConsoleBuild(repositoryDir, () => undefined);
  folder = mkdtempSync(join(tmpdir(), "tollgate-executable-"));
  await buildNpmPackage(repositoryDir, folder);
  file = await build();
  simulator = await startSimulatorProcess();
});
afterEach(async () => {
  await program?.stop();
  program = undefined;
});
afterAll(async () => {
  await simulator.stop();
  rmSync(folder, { recursive: true });
});

const start = (args: readonly string[] = [], env: Record<string, string> = {}): ChildProgram => {
  program = startProgram({
    file,
    args: [...args],
    cwd: folder,
    env: {
      XDG_CACHE_HOME: join(folder, "cache"),
      XDG_DATA_HOME: join(folder, "share"),
      HOST: "127.0.0.1",
      PORT: "0",
      UPSTREAM_PRIVATE_HOSTS: new URL(simulator.url).host,
      ...env,
    },
  });
  return program;
};

test("the printed password, a channel and a key lead to the first logged call, and the console is served", async () => {
  const started = start();
  const url = await started.waitForLine(listeningAddress, readyTimeoutMs);
  await makeFirstCall(started, url, simulator.url);
  expect(await (await fetch(url)).text()).toContain("<title>");
});

test("another system's file is read by a process of its own, from the same executable", async () => {
  const url = await start().waitForLine(listeningAddress, readyTimeoutMs);
  const root = await signInSession(sendTo(url), "root", newcomerPassword);
  const source = join(folder, "one-api.db");
  createFamilyDatabase(source, "new-api", awkwardRows("new-api", "https://api.example.com"));
  await root.call(beginSiteImport, { body: { kind: "file" } });
  const uploaded = await fetch(`${url}${uploadSiteImport.path}?offset=0`, {
    method: "PUT",
    headers: { cookie: root.cookie, [consoleHeader.name]: consoleHeader.value },
    body: readFileSync(source),
  });
  expect(await uploaded.json()).toMatchObject({ success: true });
  await root.call(planSiteImport);
  await eventually(
    async () => {
      const { data } = await root.call(getSiteImport);
      expect(data.latest).toMatchObject({
        state: "done",
        failure: "",
        system: expect.stringContaining("new-api"),
      });
    },
    { timeoutMs: 60_000 },
  );
});

test("files are unpacked once, and what a killed start left is not run", async () => {
  const cache = join(folder, "cache/tollgate");
  mkdirSync(join(cache, "unfinished-1/gateway"), { recursive: true });
  const programs = () => readdirSync(cache).filter((name) => name.startsWith("0.0.1-"));
  expect(programs()).toHaveLength(1);
  const audit = start(["audit"]);
  expect(await audit.exited).toEqual({ code: 0, signal: null });
  expect(audit.output()).toContain("The books agree.");
  expect(programs()).toHaveLength(1);
});

test("arguments that Node.js knows are the gateway's", async () => {
  const asked = start(["--version"]);
  await asked.exited;
  expect(asked.output()).not.toContain(process.version);
});

test.skipIf(!databaseKinds.includes("postgres"))(
  "several processes are started from the one file",
  async () => {
    const databaseUrl = await createMigratedDatabase();
    const started = start(["serve", "--processes", "2"], {
      DATABASE_URL: databaseUrl,
      MASTER_KEY: Buffer.alloc(32, 5).toString("base64"),
      PORT: String(await freePort()),
    });
    const isListening = (line: string) =>
      line.includes('"process":1') ? listeningAddress(line) : undefined;
    const url = await started.waitForLine(isListening, readyTimeoutMs);
    await eventually(async () => expect((await fetch(`${url}/readyz`)).status).toBe(200));
    await started.stop();
    await dropDatabase(databaseUrl);
  },
);

test("the same sources make the same bytes", async () => {
  const before = readFileSync(file);
  expect(readFileSync(await build()).equals(before)).toBe(true);
});
