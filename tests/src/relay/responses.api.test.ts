// OpenAI's library asks for Responses; the channels speak chat completions or Anthropic's Messages
// alone.
import OpenAI from "openai";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import {
  defaultCharge,
  question,
  startTestGateway,
  type TestGateway,
} from "../harness/test-gateway.ts";

const anthropicType = 14;
const compatibleType = 50;
const words = expect.stringMatching(/^(\S+ ){11}\S+$/);
const parameters = {
  type: "object",
  properties: { city: { type: "string" } },
  required: ["city"],
  additionalProperties: false,
};
const tools = [{ type: "function" as const, name: "weather", parameters, strict: true }];
const useTool = { role: "user" as const, content: "Please use tool" };

let gateway: TestGateway;
let client: OpenAI;
beforeAll(async () => {
  gateway = await startTestGateway();
  for (const [type, name] of [
    [compatibleType, "gpt"],
    [anthropicType, "claude"],
  ] as const) {
    const channel = (key: string, models: string) =>
      gateway.given.channel({ type, key: `sim-as-${name}+${key}`, models });
    await channel("ok", name);
    await channel("cached-4", `${name}-cached`);
    await channel("cut-3+pace-60", `${name}-cut`);
    await channel("fail-400", `${name}-refuses`);
    await gateway.simulator.script(`${name}-structured`, { text: '{"city":"Oslo"}' });
    await gateway.given.channel({ type, key: `${name}-structured`, models: `${name}-structured` });
  }
  await gateway.given.channel({
    type: anthropicType,
    key: "sim-as-down+fail-503",
    models: "either",
    priority: 5,
  });
  await gateway.given.channel({ type: compatibleType, key: "sim-as-up", models: "either" });
  const { key } = await gateway.given.token();
  client = new OpenAI({ baseURL: `${gateway.url}/v1`, apiKey: key, maxRetries: 0 });
});
afterAll(async () => {
  expect(await gateway.audit()).toBe("The books agree.");
  await gateway.close();
});
const refused = (promise: Promise<unknown>) =>
  promise.then(
    () => undefined,
    (error: unknown) => error,
  );

describe.each(["gpt", "claude"])("responses from %s", (model) => {
  test("are answered", async () => {
    const answer = await client.responses.create({
      model,
      input: question,
      store: false,
      prompt_cache_key: "k",
    });
    expect(answer).toMatchObject({
      model,
      object: "response",
      status: "completed",
      output_text: words,
      usage: { input_tokens: 6, output_tokens: 12, total_tokens: 18 },
    });
    expect(await gateway.lastLog()).toMatchObject({
      quota: defaultCharge,
      model_name: model,
      outcome: "success",
    });
  });

  test("stream in a grammar that the library follows to its end", async () => {
    const kinds: string[] = [];
    const stream = client.responses.stream({ model, input: [{ role: "user", content: question }] });
    stream.on("event", ({ type }) => kinds.push(type.slice("response.".length)));
    const final = await stream.finalResponse();
    expect(final).toMatchObject({
      model,
      status: "completed",
      output_text: words,
      usage: { output_tokens: 12 },
    });
    expect(kinds).toEqual([
      ...["created", "in_progress", "output_item.added", "content_part.added"],
      ...Array.from({ length: 12 }, () => "output_text.delta"),
      ...["output_text.done", "content_part.done", "output_item.done", "completed"],
    ]);
    expect(await gateway.lastLog()).toMatchObject({
      quota: defaultCharge,
      is_stream: 1,
      outcome: "success",
    });
  });

  test("call tools, streamed and not, and take their results", async () => {
    const asked = { model, input: [useTool], tools };
    for (const ask of [
      () => client.responses.create(asked),
      () => client.responses.stream(asked).finalResponse(),
    ]) {
      const { output } = await ask();
      const [call] = output;
      if (call?.type !== "function_call")
        throw new Error(`there is no call in ${JSON.stringify(output)}`);
      expect(call).toMatchObject({
        name: "weather",
        arguments: '{"city":"amber"}',
        status: "completed",
      });
      expect(await gateway.lastLog()).toMatchObject({ quota: 6 + 10 * 4 });
      const result = {
        type: "function_call_output" as const,
        call_id: call.call_id,
        output: "sunny",
      };
      const after = await client.responses.create({ ...asked, input: [useTool, call, result] });
      expect(after.output_text).toEqual(words);
    }
  });

  test("have the requested structure", async () => {
    const format = {
      type: "json_schema" as const,
      name: "place",
      schema: parameters,
      strict: true,
    };
    const asked = { model: `${model}-structured`, input: question, text: { format } };
    const whole = await client.responses.parse(asked);
    const streamed = await client.responses.stream(asked).finalResponse();
    for (const { output_text } of [whole, streamed])
      expect(JSON.parse(output_text)).toEqual({ city: "Oslo" });
    const { body } = (await gateway.simulator.calls()).at(-1) ?? {};
    expect(JSON.stringify(body)).toContain(JSON.stringify(parameters));
  });

  test("count what came from the cache", async () => {
    const answer = await client.responses.create({ model: `${model}-cached`, input: question });
    expect(answer.usage).toMatchObject({
      input_tokens: 6,
      input_tokens_details: { cached_tokens: 4 },
    });
    expect(await gateway.lastLog()).toMatchObject({ prompt_tokens: 6, cached_prompt_tokens: 4 });
  });

  test("that reach their limit say so", async () => {
    const stream = client.responses.stream({ model, input: question, max_output_tokens: 5 });
    const kinds: string[] = [];
    stream.on("event", ({ type }) => kinds.push(type));
    const final = await stream.finalResponse();
    expect(kinds.at(-1)).toBe("response.incomplete");
    expect(final).toMatchObject({
      status: "incomplete",
      incomplete_details: { reason: "max_output_tokens" },
    });
    expect(await gateway.lastLog()).toMatchObject({ quota: 6 + 5 * 4, outcome: "success" });
  });

  test("that break off say so, and cost what came", async () => {
    const stream = client.responses.stream({ model: `${model}-cut`, input: question });
    await expect(stream.finalResponse()).rejects.toThrow(/cut the stream/);
    const log = await gateway.lastLog();
    expect(log).toMatchObject({ outcome: "cut" });
    expect(log.quota).toBeGreaterThan(0);
    expect(
      await refused(client.responses.create({ model: `${model}-refuses`, input: question })),
    ).toMatchObject({
      status: 400,
      type: "invalid_request_error",
    });
  });

  test("that follow one which is not stored are refused with advice, and cost nothing", async () => {
    const before = await gateway.settled();
    const asked = { model, input: question, previous_response_id: "resp_1" };
    expect(await refused(client.responses.create(asked))).toMatchObject({
      status: 400,
      param: "previous_response_id",
      message: expect.stringContaining("send the whole conversation in input"),
    });
    expect(await gateway.settled()).toEqual(before);
  });
});

test("a failover crosses the kinds of provider, and is billed once", async () => {
  const before = await gateway.settled();
  expect(await client.responses.create({ model: "either", input: question })).toMatchObject({
    output_text: words,
  });
  const after = await gateway.settled();
  expect(before.balance - after.balance).toBe(defaultCharge);
});
