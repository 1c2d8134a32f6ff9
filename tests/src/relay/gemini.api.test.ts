// Gemini's own interface, called according to Google's reference and answered by a channel that
// speaks it.
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { readReply } from "../harness/api-session.ts";
import { ruleDatabaseKinds } from "../harness/gateway-database.ts";
import {
  defaultCharge,
  question,
  readEvents,
  startTestGateway,
  type TestGateway,
} from "../harness/test-gateway.ts";

const model = "gemini-sim";
const gemini = 24;
const words = expect.stringMatching(/^(\S+ ){11}\S+$/);
const contents = [{ role: "user", parts: [{ text: question }] }];
const useTool = [{ role: "user", parts: [{ text: "Please use tool" }] }];
const parameters = { type: "object", properties: { city: { type: "string" } } };
const tools = [{ functionDeclarations: [{ name: "weather", parameters }] }];

interface GeminiTestReply {
  candidates?: { content: { parts: { text?: string }[] }; finishReason?: string }[];
  usageMetadata?: object;
  modelVersion?: string;
  error?: { code: number; message: string; status: string };
}

describe.each(ruleDatabaseKinds)("Gemini's interface on %s", (store) => {
  let gateway: TestGateway;
  let key: string;
  beforeAll(async () => {
    gateway = await startTestGateway({ store });
    const channel = (key: string, models: string, more: object = {}) =>
      gateway.given.channel({ type: gemini, key, models, ...more });
    await channel("sim-ok", model);
    await channel("sim-cached-4", "cached");
    await channel("sim-reasoning-30", "thinking");
    await channel("sim-as-mapped", "alias", { model_mapping: '{"alias":"gemini-sim"}' });
    await channel("sim-fail-503", "busy", { priority: 5 });
    await channel("sim-as-second", "busy");
    await channel("sim-cut-3+pace-60", "cut");
    await channel("sim-error-2+pace-60", "broken");
    await channel("sim-as-prompted", "prompted", { system_prompt: "Be brief." });
    key = (await gateway.given.token()).key;
  });
  afterAll(async () => {
    expect(await gateway.audit()).toBe("The books agree.");
    await gateway.close();
  });

  const post = (
    path: string,
    body: object,
    headers: Record<string, string> = { "x-goog-api-key": key },
  ) =>
    fetch(gateway.url + path, {
      method: "POST",
      headers: { "content-type": "application/json", ...headers },
      body: JSON.stringify(body),
    });
  const ask = async (name: string, more: object = {}, version = "v1beta") => {
    const reply = await readReply(
      await post(`/${version}/models/${name}:generateContent`, { contents, ...more }),
    );
    return { ...reply, body: reply.body as GeminiTestReply };
  };
  const stream = async (name: string, more: object = {}) => {
    const response = await post(`/v1beta/models/${name}:streamGenerateContent?alt=sse`, {
      contents,
      ...more,
    });
    const { events, raw } = readEvents(await response.text());
    const answers = events.map((event) => JSON.parse(event) as GeminiTestReply);
    return {
      raw,
      answers,
      text: answers.map((answer) => textOf(answer)).join(""),
      last: answers.at(-1),
    };
  };
  const textOf = ({ candidates }: GeminiTestReply) =>
    (candidates?.[0]?.content.parts ?? []).map(({ text }) => text ?? "").join("");
  const lastCall = async () => (await gateway.simulator.calls()).at(-1);

  test.each(["v1beta", "v1"])("is served below /%s", async (version) => {
    const { status, body } = await ask(model, {}, version);
    expect(status).toBe(200);
    expect(body).toMatchObject({ candidates: [{ finishReason: "STOP" }], modelVersion: model });
    expect(textOf(body)).toEqual(words);
    expect(await gateway.lastLog()).toMatchObject({
      quota: defaultCharge,
      prompt_tokens: 6,
      completion_tokens: 12,
    });
  });

  test("streams events with the same text at the same price", async () => {
    const { body } = await ask(model);
    const { text, last, answers } = await stream(model);
    expect(text).toBe(textOf(body));
    expect(answers.length).toBe(13);
    expect(last).toMatchObject({
      candidates: [{ finishReason: "STOP" }],
      usageMetadata: { promptTokenCount: 6 },
    });
    expect(await gateway.lastLog()).toMatchObject({
      quota: defaultCharge,
      is_stream: 1,
      outcome: "success",
    });
  });

  test("streams a list to those who ask for no events", async () => {
    const response = await post(`/v1beta/models/${model}:streamGenerateContent`, { contents });
    expect(response.headers.get("content-type")).toContain("application/json");
    const [answer, ...rest] = (await response.json()) as GeminiTestReply[];
    expect(rest).toEqual([]);
    expect(textOf(answer ?? {})).toEqual(words);
    expect(await gateway.lastLog()).toMatchObject({ quota: defaultCharge });
    const refused = await post("/v1beta/models/nobody-has-it:streamGenerateContent", { contents });
    expect(await refused.json()).toMatchObject([{ error: { code: 404, status: "NOT_FOUND" } }]);
  });

  test("calls tools, streamed and not", async () => {
    const asked = { contents: useTool, tools };
    const whole = (await ask(model, asked)).body;
    const [first] = (await stream(model, asked)).answers;
    for (const answer of [whole, first]) {
      const call = {
        functionCall: { name: "weather", args: { city: "amber" } },
        thoughtSignature: "c2lt",
      };
      expect(answer?.candidates?.[0]?.content.parts).toEqual([call]);
    }
  });

  test("charges what came from the cache as that, and thoughts as output", async () => {
    await stream("cached");
    expect(await gateway.lastLog()).toMatchObject({
      prompt_tokens: 6,
      cached_prompt_tokens: 4,
      completion_tokens: 12,
    });
    for (const asking of [ask, stream]) {
      await asking("thinking");
      expect(await gateway.lastLog()).toMatchObject({ quota: 6 + 4 * 42, completion_tokens: 42 });
    }
  });

  test("keeps the client's name of the model where the channel has another", async () => {
    expect((await ask("alias")).body.modelVersion).toBe("alias");
    const { answers } = await stream("alias");
    expect(new Set(answers.map(({ modelVersion }) => modelVersion))).toEqual(new Set(["alias"]));
    expect((await lastCall())?.path).toBe(
      "/v1beta/models/gemini-sim:streamGenerateContent?alt=sse",
    );
  });

  test("goes to another channel when one is overloaded, and is billed once", async () => {
    const before = await gateway.settled();
    expect((await ask("busy")).status).toBe(200);
    const after = await gateway.settled();
    expect(before.balance - after.balance).toBe(defaultCharge);
  });

  test("reports errors in Google's format", async () => {
    const error = async (response: Response) => ((await response.json()) as GeminiTestReply).error;
    const path = `/v1beta/models/${model}:generateContent`;
    expect(
      await error(await post(path, { contents }, { "x-goog-api-key": "sk-nobody" })),
    ).toMatchObject({
      code: 401,
      status: "UNAUTHENTICATED",
      message: expect.stringContaining("request id"),
    });
    expect(await error(await post(path, { contents: [] }))).toMatchObject({
      code: 400,
      status: "INVALID_ARGUMENT",
    });
    expect((await ask("nobody-has-it")).body.error).toMatchObject({
      code: 404,
      status: "NOT_FOUND",
    });
    expect(await error(await post(`/v1beta/models/${model}:paint`, {}))).toMatchObject({
      code: 404,
    });
  });

  test("that breaks off in the middle ends with an error, and costs what came", async () => {
    for (const [name, came, code] of [
      ["cut", 3, 502],
      ["broken", 2, 503],
    ] as const) {
      const { last, text } = await stream(name);
      expect(last?.error, name).toMatchObject({
        code,
        message: expect.stringContaining("request id"),
      });
      expect(text.split(" "), name).toHaveLength(came);
      expect(await gateway.lastLog(), name).toMatchObject({ outcome: "cut", quota: 6 + 4 * came });
    }
  });

  test("takes the key in the address, shows it nowhere and passes it on to no one", async () => {
    const path = `/v1beta/models/${model}:streamGenerateContent?key=${key}&alt=sse`;
    const response = await post(path, { contents }, {});
    expect(response.status).toBe(200);
    await response.text();
    const { id } = await gateway.lastLog();
    expect((await gateway.trace(id)).url).toBe(
      `/v1beta/models/${model}:streamGenerateContent?key=***&alt=sse`,
    );
    expect(JSON.stringify(await lastCall())).not.toContain(key);
    for (const refused of [
      `/v1/models/${model}:generateContent?key=${key}`,
      `/v1beta/models/${model}:generateContent?%6bey=${key}`,
    ]) {
      expect((await post(refused, { contents }, {})).status, refused).toBe(401);
    }
  });

  test("gets the channel's prompt, and never the client's key", async () => {
    await ask("prompted", { system_instruction: { parts: [{ text: "Be long." }] } });
    const { body, headers } = (await lastCall()) ?? {};
    expect(body).toMatchObject({
      system_instruction: { parts: [{ text: "Be brief." }] },
      contents,
    });
    expect(body).not.toHaveProperty("systemInstruction");
    expect(headers).toMatchObject({ "x-goog-api-key": "sim-as-prompted" });
    expect(JSON.stringify(headers)).not.toContain(key);
  });

  test("lists the models of a key", async () => {
    const read = async (path: string) =>
      readReply(await fetch(gateway.url + path, { headers: { "x-goog-api-key": key } }));
    const { body } = await read("/v1beta/models");
    expect(body).toMatchObject({
      models: expect.arrayContaining([expect.objectContaining({ name: `models/${model}` })]),
    });
    expect((await read(`/v1beta/models/${model}`)).body).toMatchObject({
      name: `models/${model}`,
      displayName: model,
    });
    expect(await read("/v1beta/models/nobody-has-it")).toMatchObject({
      status: 404,
      body: { error: { code: 404, status: "NOT_FOUND" } },
    });
  });

  test("shows whether a channel works", async () => {
    const [channel] = await gateway.rows<{ id: number }>(
      `select id from channels where models = '${model}'`,
    );
    // The model's own text; a failure would throw.
    await gateway.api("POST", `/api/channel/test/${channel?.id}`);
  });
});
