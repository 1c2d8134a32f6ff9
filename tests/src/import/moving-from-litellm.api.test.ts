// A LiteLLM proxy of before, moved in from its PostgreSQL database by the command line: its users
// and keys must not notice.
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import Anthropic from "@anthropic-ai/sdk";
import OpenAI, { AzureOpenAI } from "openai";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { createApiSession, sendTo } from "../harness/api-session.ts";
import { type GatewayProcess, startGatewayProcess } from "../harness/gateway-process.ts";
import { dropDatabase } from "../harness/postgres-cluster.ts";
import { type SimulatorProcess, startSimulatorProcess } from "../harness/simulator-process.ts";
import {
  awkwardLitellmRows,
  createLitellmDatabase,
  litellmKeys,
  litellmPassword,
  litellmSalt,
} from "../support/litellm-database.ts";
import { startCommand } from "../trust/gateway-command.ts";

describe.skipIf(!process.env.TEST_POSTGRES_URL)("a site of LiteLLM", () => {
  let folder: string;
  let source: string;
  let simulator: SimulatorProcess;
  let gateway: GatewayProcess;
  const command = async (...args: string[]) => {
    const environment = {
      IMPORT_SOURCE: source,
      LITELLM_SALT_KEY: litellmSalt,
      LITELLM_MASTER_KEY: litellmKeys.master,
    };
    const program = startCommand({ dataDir: folder, databaseUrl: undefined }, args, environment);
    const { code } = await program.exited;
    return { code, text: program.output().trim() };
  };
  const clientOf = (apiKey: string) =>
    new OpenAI({ apiKey, baseURL: `${gateway.url}/v1`, maxRetries: 0 });
  const ask = (apiKey: string) =>
    clientOf(apiKey).chat.completions.create({
      model: "sim-model",
      messages: [{ role: "user", content: "one two" }],
    });

  beforeAll(async () => {
    simulator = await startSimulatorProcess();
    folder = mkdtempSync(join(tmpdir(), "tollgate-moving-"));
    source = await createLitellmDatabase(awkwardLitellmRows(simulator.url));
    const imported = await command("import");
    expect(imported).toMatchObject({ code: 2, text: expect.stringContaining("The books agree.") });
    gateway = await startGatewayProcess({ dataDir: folder, upstreams: [simulator.url] });
  });
  afterAll(async () => {
    await gateway.stop();
    await simulator.stop();
    await dropDatabase(source);
    rmSync(folder, { recursive: true });
  });

  test.each([litellmKeys.alice, litellmKeys.team, litellmKeys.master])(
    "its key %s calls by OpenAI's own library",
    async (key) => {
      expect((await ask(key)).choices[0]?.message.content).not.toBe("");
      await expect(ask(`${key.slice(0, -1)}x`)).rejects.toMatchObject({ status: 401 });
    },
  );

  test("clients keep the addresses that they have of it", async () => {
    const { url } = gateway;
    const messages = [{ role: "user" as const, content: "one two" }];
    const plain = new OpenAI({ apiKey: litellmKeys.alice, baseURL: url, maxRetries: 0 });
    const answer = await plain.chat.completions.create({ model: "sim-model", messages });
    expect(answer.choices[0]?.message.content).not.toBe("");
    expect((await plain.models.list()).data.map(({ id }) => id)).toContain("sim-model");

    const azure = {
      apiKey: litellmKeys.alice,
      endpoint: url,
      apiVersion: "2024-06-01",
      deployment: "sim-model",
    };
    const deployed = await new AzureOpenAI(azure).chat.completions.create({
      model: "another name",
      messages,
    });
    expect(deployed.choices[0]?.message.content).not.toBe("");

    const anthropic = new Anthropic({
      apiKey: litellmKeys.alice,
      baseURL: `${url}/anthropic`,
      maxRetries: 0,
    });
    const message = await anthropic.messages.create({
      model: "sim-model",
      max_tokens: 50,
      messages,
    });
    expect(message.content).not.toEqual([]);
  });

  test("a key is refused the models that its team has no more than itself", async () => {
    const names = (await clientOf(litellmKeys.team).models.list()).data.map(({ id }) => id);
    expect(names).toEqual(["sim-model"]);
  });

  test("a user signs in with the old password", async () => {
    const signIn = (password: string) =>
      createApiSession(sendTo(() => gateway.url)).request("POST", "/api/user/login", {
        username: "alice",
        password,
      });
    expect(await signIn("another password")).toMatchObject({ body: { success: false } });
    expect(await signIn(litellmPassword)).toMatchObject({ body: { success: true } });
  });

  test("after calls here the books agree, and nothing differs from the source", async () => {
    await gateway.stop();
    expect((await command("audit")).text).toMatch(/^Database: .*\nThe books agree\.$/);
    expect(await command("import", "verify")).toMatchObject({
      code: 0,
      text: expect.stringContaining(" 0 differences."),
    });
  });
});
