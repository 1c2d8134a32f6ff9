// Sites of several versions of each system, moved in by the command line, again, and with what
// changed since: their users sign in with the password of before and call with the key of before.
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import OpenAI from "openai";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { createApiSession, sendTo } from "../harness/api-session.ts";
import { type GatewayProcess, startGatewayProcess } from "../harness/gateway-process.ts";
import { dropDatabase } from "../harness/postgres-cluster.ts";
import { type SimulatorProcess, startSimulatorProcess } from "../harness/simulator-process.ts";
import { oldKey, oldPassword } from "../support/family-database.ts";
import {
  awkwardLitellmRows,
  createLitellmDatabase,
  hashOfLitellmKey,
  type LitellmRow,
  litellmEnvironment,
  litellmKeys,
  litellmPassword,
  litellmVersions,
  withLitellm,
} from "../support/litellm-database.ts";
import { createOlderFamilySite, olderFamilySites } from "../support/older-family-sites.ts";
import { startCommand } from "../trust/gateway-command.ts";

interface SiteOfBefore {
  environment: Record<string, string>;
  password: string;
  key: string;
  /** The user alice spends there. */
  spend(): Promise<unknown>;
  /** `compared` is what `import verify` ends with. */
  compared: RegExp;
}

/** 100 tokens at 2.5 and 5 at 10 millionths of a dollar. */
const calledByAlice: LitellmRow = {
  request_id: "one",
  call_type: "acompletion",
  api_key: hashOfLitellmKey(litellmKeys.alice),
  user: "11111111-aaaa-4bbb-8ccc-000000000001",
  startTime: "2026-03-04 05:06:07.125",
  endTime: "2026-03-04 05:06:09.125",
  model: "openai/sim-model",
  model_group: "sim-model",
  model_id: "m1",
  prompt_tokens: 100,
  completion_tokens: 5,
  total_tokens: 105,
  spend: 0.0003,
  status: "success",
};

let simulator: SimulatorProcess;
let folder: string;
let dataDir: string;
let gateway: GatewayProcess | undefined;

beforeAll(async () => {
  simulator = await startSimulatorProcess();
});
afterAll(() => simulator.stop());
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "tollgate-older-"));
  dataDir = join(folder, "data");
});
afterEach(async () => {
  await gateway?.stop();
  gateway = undefined;
  rmSync(folder, { recursive: true });
});

async function movesIn({
  environment,
  password,
  key,
  spend,
  compared,
}: SiteOfBefore): Promise<void> {
  const command = async (...args: string[]): Promise<string> => {
    const program = startCommand({ dataDir, databaseUrl: undefined }, args, environment);
    await program.exited;
    return program.output().trim();
  };
  expect(await command("import", "--logs")).toContain("The books agree.");
  expect(await command("import", "verify")).toMatch(compared);

  gateway = await startGatewayProcess({ dataDir, upstreams: [simulator.url] });
  const { url } = gateway;
  const signIn = (typed: string) =>
    createApiSession(sendTo(() => url)).request("POST", "/api/user/login", {
      username: "alice",
      password: typed,
    });
  expect(await signIn("another password")).toMatchObject({ body: { success: false } });
  expect(await signIn(password)).toMatchObject({ body: { success: true } });
  const call = (apiKey: string) =>
    new OpenAI({ apiKey, baseURL: `${url}/v1`, maxRetries: 0 }).chat.completions.create({
      model: "sim-model",
      messages: [{ role: "user", content: "one two, nine" }],
    });
  expect((await call(key)).choices[0]?.message.content).not.toBe("");
  await expect(call(`${key.slice(0, -1)}x`)).rejects.toMatchObject({ status: 401 });
  await gateway.stop();
  gateway = undefined;

  const again = (await command("import", "--logs"))
    .split("\n")
    .filter((line) => /^(user|token|channel|code|log):/.test(line));
  expect(again.length).toBeGreaterThan(2);
  expect(again.join()).not.toMatch(/[1-9]\d* (carried|updated)/);
  await spend();
  const delta = await command("import", "--logs");
  expect(delta).toContain("user: 0 carried, 1 updated");
  expect(delta).toContain("The books agree.");
  expect(await command("import", "verify")).toMatch(compared);
}

test.each(olderFamilySites)("$system $version: users and keys notice nothing", async (site) => {
  const file = join(folder, "one-api.db");
  createOlderFamilySite(file, site, simulator.url);
  await movesIn({
    environment: { IMPORT_SOURCE: file },
    password: oldPassword,
    key: oldKey,
    spend: async () => {
      const db = new DatabaseSync(file);
      db.exec("update users set quota = quota - 100, used_quota = used_quota + 100 where id = 2");
      db.close();
    },
    compared: / 0 differences\.$/,
  });
});

describe.skipIf(!process.env.TEST_POSTGRES_URL)("LiteLLM", () => {
  test.each(litellmVersions)("of %s: users and keys notice nothing", async (version) => {
    const rows = { ...awkwardLitellmRows(simulator.url), LiteLLM_SpendLogs: [calledByAlice] };
    const source = await createLitellmDatabase(rows, version);
    try {
      await movesIn({
        environment: { ...litellmEnvironment, IMPORT_SOURCE: source },
        password: litellmPassword,
        key: litellmKeys.alice,
        spend: () =>
          withLitellm(source, (client) =>
            client.query(
              `update "LiteLLM_UserTable" set spend = spend + 0.5 where user_email = 'alice@example.com'`,
            ),
          ),
        compared: / 1 of log\. 0 differences\.$/,
      });
    } finally {
      await dropDatabase(source);
    }
  });
});
