import { spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import OpenAI from "openai";
import { afterAll, beforeAll, expect, test } from "vitest";
import { repositoryDir } from "./repository-dir.ts";
import { type SimulatorProcess, startSimulatorProcess } from "./simulator-process.ts";

let simulator: SimulatorProcess;
beforeAll(async () => {
  simulator = await startSimulatorProcess();
});
afterAll(() => simulator.stop());

const messages = [{ role: "user" as const, content: "please use tool" }];
const tools = [
  {
    type: "function" as const,
    function: { name: "find", parameters: { properties: { query: { type: "string" } } } },
  },
];
const client = (apiKey: string) =>
  new OpenAI({ apiKey, baseURL: `${simulator.url}/v1`, maxRetries: 0 });

test("OpenAI's own client reads whole answers, streams, tool calls and models", async () => {
  const openai = client("sim-ok");
  const whole = await openai.chat.completions.create({ model: "small", messages });
  expect(whole.usage?.total_tokens).toBe(18);

  const stream = openai.chat.completions.stream({
    model: "small",
    messages,
    stream_options: { include_usage: true },
  });
  const gathered = await stream.finalChatCompletion();
  expect(gathered.choices[0]?.message.content).toBe(whole.choices[0]?.message.content);
  expect(gathered.usage).toEqual(whole.usage);

  const calling = await openai.chat.completions
    .stream({ model: "small", messages, tools })
    .finalChatCompletion();
  expect(calling.choices[0]?.message.tool_calls?.[0]).toMatchObject({
    function: { name: "find", arguments: '{"query":"amber"}' },
  });

  expect((await openai.models.list()).data.map(({ id }) => id)).toContain("gpt-4o-mini");
});

test("OpenAI's own client recognises our failures", async () => {
  const asking = client("sim-fail-429-retry-2").chat.completions.create({
    model: "small",
    messages,
  });
  await expect(asking).rejects.toBeInstanceOf(OpenAI.RateLimitError);
  const refused = client("sim-401").models.list();
  await expect(refused).rejects.toBeInstanceOf(OpenAI.AuthenticationError);
});

test("keys are scripted and calls are read from outside", async () => {
  await simulator.clearCalls();
  await simulator.script("sk/any key", { text: "as told" });
  await expect(simulator.script("sk-2", { tonkens: 1 })).rejects.toThrow(/'tonkens'/);
  await client("sim-ok+as-seen").chat.completions.create({ model: "small", messages });
  expect(await simulator.calls()).toMatchObject([{ key: "sim-ok+as-seen", status: 200 }]);
  expect(await simulator.stats()).toMatchObject({ openStreams: 0 });
});

test("it stops when asked", async () => {
  const other = await startSimulatorProcess();
  expect(await other.stop()).toEqual({ code: 0, signal: null });
});

test("it ends with a parent that cannot stop it", async () => {
  const main = join(repositoryDir, "simulator/src/simulator-main.ts");
  const child = spawn(process.execPath, [main, "--with-parent"], {
    stdio: ["pipe", "pipe", "inherit"],
  });
  await once(child.stdout, "data");
  child.stdin.end();
  expect(await once(child, "close")).toEqual([0, null]);
});
