// The npm package as an operator installs it: from an empty folder to the first logged call.
import { execFile } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { promisify } from "node:util";
import { createChannel } from "@tollgate/contract/channels.ts";
import { listLogs } from "@tollgate/contract/logs.ts";
import { updateSelf } from "@tollgate/contract/sessions.ts";
import { createToken } from "@tollgate/contract/tokens.ts";
import OpenAI from "openai";
import { afterAll, beforeAll, expect, test } from "vitest";
import { buildNpmPackage } from "../../../scripts/build-npm-package.ts";
import { ensureConsoleBuild } from "../../../scripts/console-build.ts";
import { sendTo, signInSession } from "../harness/api-session.ts";
import { type ChildProgram, startProgram } from "../harness/child-process.ts";
import { eventually } from "../harness/eventually.ts";
import { repositoryDir } from "../harness/repository-dir.ts";
import { type SimulatorProcess, startSimulatorProcess } from "../harness/simulator-process.ts";

const readyTimeoutMs = 60_000;

let folder: string;
let simulator: SimulatorProcess;
let program: ChildProgram;
let url: string;

const addressIn = (line: string): string | undefined => /"event":"listening","url":"([^"]+)"/.exec(line)?.[1];
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
    ["install", "--prefer-offline", "--ignore-scripts", "--no-audit", "--no-fund", `./${basename(archive)}`],
    { cwd: folder },
  );
  simulator = await startSimulatorProcess();
  program = start();
  url = await program.waitForLine(addressIn, readyTimeoutMs);
});
afterAll(async () => {
  await program.stop();
  await simulator.stop();
  rmSync(folder, { recursive: true });
});

test("the printed password, a channel and a key lead to the first logged call", async () => {
  const printed = await eventually(() => {
    const [, password] = /Root password: *(\S+)/.exec(program.output()) ?? [];
    if (!password) throw new Error("no password is printed yet");
    return password;
  });
  const password = "a password of the newcomer";
  const first = await signInSession(sendTo(url), "root", printed);
  await first.call(updateSelf, { body: { password } });
  const root = await signInSession(sendTo(url), "root", password);
  const body = { name: "first", type: 50, key: "sim-ok+as-newcomer", base_url: simulator.url, models: "sim-model" };
  await root.call(createChannel, { body });
  const { data } = await root.call(createToken, { body: { name: "first", unlimited_quota: true } });
  const client = new OpenAI({ apiKey: data.key, baseURL: `${url}/v1`, maxRetries: 0 });
  const messages = [{ role: "user" as const, content: "one two, nine" }];
  const answer = await client.chat.completions.create({ model: "sim-model", messages });
  expect(answer.choices[0]?.message.content).not.toBe("");
  await eventually(async () => {
    const logs = await root.call(listLogs, { query: { model_name: "sim-model" } });
    expect(logs.data).toHaveLength(1);
  });
});

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
