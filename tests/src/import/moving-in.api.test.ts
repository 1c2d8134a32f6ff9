// A site of before, moved in by the command line: people and their programs must not notice.
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import {
  computeStep,
  computeTotpCode,
} from "@tollgate/gateway/accounts/identity/totp/totp-code.ts";
import { readSqliteFile } from "@tollgate/gateway/storage/open-database.ts";
import OpenAI from "openai";
import { afterAll, beforeAll, expect, test } from "vitest";
import { createApiSession, sendTo } from "../harness/api-session.ts";
import { type GatewayProcess, startGatewayProcess } from "../harness/gateway-process.ts";
import { type SimulatorProcess, startSimulatorProcess } from "../harness/simulator-process.ts";
import {
  awkwardRows,
  createFamilyDatabase,
  oldKey,
  oldPassword,
} from "../support/family-database.ts";
import { type CommandOutput, runCommand } from "../trust/gateway-command.ts";

const accessToken = "AbC+/dEfGhIjKlMnOpQrStUvWxYz0=";
/** RFC 6238's seed, of which `oldSeed` is the base 32. */
const seed = Buffer.from("12345678901234567890");

let folder: string;
let file: string;
let dataDir: string;
let simulator: SimulatorProcess;
let gateway: GatewayProcess;
let imported: CommandOutput;
const command = (...args: string[]) => runCommand({ dataDir, databaseUrl: undefined }, ...args);
const start = () => startGatewayProcess({ dataDir, upstreams: [simulator.url] });
const signIn = (body: Record<string, unknown>) =>
  createApiSession(sendTo(() => gateway.url)).request("POST", "/api/user/login", body);

beforeAll(async () => {
  simulator = await startSimulatorProcess();
  folder = mkdtempSync(join(tmpdir(), "tollgate-moving-"));
  [file, dataDir] = [join(folder, "one-api.db"), join(folder, "data")];
  createFamilyDatabase(file, "new-api", awkwardRows("new-api", simulator.url));
  imported = await command("import", file);
  gateway = await start();
});
afterAll(async () => {
  await gateway.stop();
  await simulator.stop();
  rmSync(folder, { recursive: true });
});

test("the command ends with 2 where something was not carried, and the books agree", () => {
  expect(imported.text).toContain("The books agree.");
  expect(imported.code).toBe(2);
});

test("a user signs in with the old password, whose hash is ours from then on", async () => {
  expect(await signIn({ username: "alice", password: "another password" })).toMatchObject({
    body: { success: false },
  });
  for (let times = 0; times < 2; times += 1)
    expect(await signIn({ username: "alice", password: oldPassword })).toMatchObject({
      body: { success: true },
    });
  const db = new DatabaseSync(readSqliteFile(dataDir), { readOnly: true });
  const { password_hash } = db
    .prepare("select password_hash from users where username = 'alice'")
    .get() as {
    password_hash: string;
  };
  db.close();
  expect(password_hash).toMatch(/^\$argon2id\$/);
});

test("a second factor of before is asked for and accepted", async () => {
  const credentials = { username: "guarded", password: oldPassword };
  expect(await signIn(credentials)).toMatchObject({
    body: { success: false, data: { totp_required: true } },
  });
  const totp_code = computeTotpCode(seed, computeStep(Date.now()));
  expect(await signIn({ ...credentials, totp_code })).toMatchObject({ body: { success: true } });
});

test("the former root is an administrator with the default password, and has to choose another one", async () => {
  const reply = await signIn({ username: "root-1", password: "123456" });
  expect(reply).toMatchObject({
    body: { success: true, data: { role: 10, must_change_password: true } },
  });
  const password = /Root account: root, password (\S+)/.exec(imported.text)?.[1];
  expect(await signIn({ username: "root", password })).toMatchObject({
    body: { success: true, data: { role: 100 } },
  });
});

test("an access token of before opens the management API", async () => {
  const self = await fetch(`${gateway.url}/api/user/self`, {
    headers: { authorization: `Bearer ${accessToken}` },
  });
  expect(await self.json()).toMatchObject({
    success: true,
    data: { username: "root-1", role: 10 },
  });
  const wrong = await fetch(`${gateway.url}/api/user/self`, {
    headers: { authorization: `Bearer ${accessToken}x` },
  });
  expect(wrong.status).toBe(401);
});

test("an old key calls through an old channel at the old price, by OpenAI's own library", async () => {
  const client = new OpenAI({ apiKey: oldKey, baseURL: `${gateway.url}/v1`, maxRetries: 0 });
  const answer = await client.chat.completions.create({
    model: "sim-model",
    messages: [{ role: "user", content: "one two, nine" }],
  });
  expect(answer.choices[0]?.message.content).not.toBe("");
  const wrong = new OpenAI({
    apiKey: `${oldKey.slice(0, -1)}x`,
    baseURL: `${gateway.url}/v1`,
    maxRetries: 0,
  });
  await expect(wrong.models.list()).rejects.toMatchObject({ status: 401 });
});

test("a plan and a comparison read the database beside the running gateway, and write nothing", async () => {
  const source = new DatabaseSync(file);
  const spend = (units: number) =>
    source.exec(
      `update users set quota = quota - ${units}, used_quota = used_quota + ${units} where id = 2`,
    );
  spend(50);
  const readBalances = () => {
    const db = new DatabaseSync(readSqliteFile(dataDir), { readOnly: true });
    const rows = db.prepare("select id, balance from wallets order by id").all();
    db.close();
    return rows;
  };
  const before = readBalances();
  const plan = await command("import", file, "--plan");
  expect(plan.text).toContain("user: 0 carried, 1 updated");
  expect(plan.text).toContain("Nothing was written: this is the plan.");
  expect((await command("import", "verify", file)).text).toMatch(/ [1-9]\d* differences\./);
  expect(readBalances()).toEqual(before);
  // A run that writes is refused all the same.
  const run = await command("import", file);
  expect([run.code, run.text]).toEqual([1, expect.stringContaining("another Tollgate is running")]);
  spend(-50);
  source.close();
});

test("a delta run after calls here leaves the books in agreement, and compares equal", async () => {
  await gateway.stop();
  try {
    const source = new DatabaseSync(file);
    source.exec("update users set quota = quota - 100, used_quota = used_quota + 100 where id = 2");
    source.close();
    const delta = await command("import", file);
    expect(delta.text).toContain("user: 0 carried, 1 updated");
    expect(delta.text).toContain("The books agree.");
    expect((await command("audit")).text).toMatch(/^Database: .*\nThe books agree\.$/);
    expect((await command("import", "verify", file)).text).toContain(" 0 differences.");
  } finally {
    gateway = await start();
  }
});

test("a gateway that is pointed at the other system's database changes nothing in it and names the command", async () => {
  const wrongDir = mkdtempSync(join(folder, "wrong-"));
  createFamilyDatabase(readSqliteFile(wrongDir), "one-api", {});
  const { code, text } = await runCommand({ dataDir: wrongDir, databaseUrl: undefined }, "serve");
  expect(code).toBe(1);
  expect(text).toContain("the command import (docs/import.md)");
  const db = new DatabaseSync(readSqliteFile(wrongDir), { readOnly: true });
  expect(db.prepare("select name from sqlite_schema where name = 'migrations'").all()).toEqual([]);
  db.close();
});
