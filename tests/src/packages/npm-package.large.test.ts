// The npm package as an operator installs it: from an empty folder to the first logged call.
import { execFile } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll, expect, test } from "vitest";
import { buildNpmPackage } from "../../../scripts/build-npm-package.ts";
import { ensureConsoleBuild } from "../../../scripts/console-build.ts";
import { type ChildProgram, startProgram } from "../harness/child-process.ts";
import { repositoryDir } from "../harness/repository-dir.ts";
import { type SimulatorProcess, startSimulatorProcess } from "../harness/simulator-process.ts";
import { listeningAddress, makeFirstCall, readyTimeoutMs } from "./first-logged-call.ts";

let folder: string;
let simulator: SimulatorProcess;
let program: ChildProgram;
let url: string;

const start = (...args: string[]): ChildProgram =>
  startProgram({
    file: process.execPath,
    args: [join(folder, "node_modules/tollgate/bin/tollgate.mjs"), ...args],
    cwd: folder,
    env: {
      PATH: process.env.PATH,
      HOME: join(folder, "home"),
      PORT: "0",
      UPSTREAM_PRIVATE_HOSTS: new URL(simulator.url).host,
    },
  });

beforeAll(async () => {
  await ensureConsoleBuild(repositoryDir, () => undefined);
  folder = mkdtempSync(join(tmpdir(), "tollgate-package-"));
  mkdirSync(join(folder, "home"));
  const archive = await buildNpmPackage(repositoryDir, folder);
  // Without scripts, the installation has no Node of its own: that of this run starts it.
  await promisify(execFile)(
    "npm",
    [
      "install",
      "--prefer-offline",
      "--ignore-scripts",
      "--no-audit",
      "--no-fund",
      `./${basename(archive)}`,
    ],
    { cwd: folder },
  );
  simulator = await startSimulatorProcess();
  program = start();
  url = await program.waitForLine(listeningAddress, readyTimeoutMs);
});
afterAll(async () => {
  await program.stop();
  await simulator.stop();
  rmSync(folder, { recursive: true });
});

test("the printed password, a channel and a key lead to the first logged call", () =>
  makeFirstCall(program, url, simulator.url));

test("the console is served with its policy, and its scripts arrive", async () => {
  const page = await fetch(url);
  const script = /<script[^>]+src="([^"]+)"/.exec(await page.text())?.[1] ?? "";
  expect(page.headers.get("content-security-policy")).toContain("default-src");
  expect((await fetch(new URL(script, url))).headers.get("content-type")).toContain("javascript");
});

test("the other commands run too, on the data in the user's own folder", async () => {
  await program.stop();
  const audit = start("audit");
  expect(await audit.exited).toEqual({ code: 0, signal: null });
  expect(audit.output()).toContain("The books agree.");
});
