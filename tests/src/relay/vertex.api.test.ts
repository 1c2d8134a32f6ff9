// Vertex AI through the gateway: a provider that gives tokens for signed statements, takes no
// others, and answers as Google's and Anthropic's references say
// (cloud.google.com/vertex-ai/generative-ai/docs, docs.anthropic.com): modelled.
import { generateKeyPairSync, verify } from "node:crypto";
import Anthropic from "@anthropic-ai/sdk";
import OpenAI from "openai";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { readReply } from "../harness/api-session.ts";
import {
  question,
  readEvents,
  startTestGateway,
  type TestGateway,
} from "../harness/test-gateway.ts";
import { claudeAnswer, claudeEvents } from "../support/bedrock-fixture.ts";
import {
  type CannedProvider,
  type CannedRequest,
  event,
  startCannedProvider,
  streamed,
  whole,
} from "./canned-provider.ts";

const vertex = 42;
const gemini = "gemini-2.5-flash";
const claude = "claude-haiku-4-5-20251001";
const below = "/v1/projects/my-project/locations/europe-west1";
const messages = [{ role: "user" as const, content: question }];
const contents = [{ role: "user", parts: [{ text: question }] }];
const { privateKey, publicKey } = generateKeyPairSync("rsa", { modulusLength: 2048 });

const geminiAnswer = {
  candidates: [
    {
      content: {
        role: "model",
        parts: [
          { text: "I will look." },
          {
            functionCall: { name: "weather", args: { city: "Zürich" } },
            thoughtSignature: "c2lnbmVk",
          },
        ],
      },
      finishReason: "STOP",
      avgLogprobs: -0.12,
    },
  ],
  usageMetadata: {
    promptTokenCount: 6,
    candidatesTokenCount: 12,
    totalTokenCount: 18,
    trafficType: "ON_DEMAND",
    promptTokensDetails: [{ modality: "TEXT", tokenCount: 6 }],
    candidatesTokensDetails: [{ modality: "TEXT", tokenCount: 12 }],
  },
  modelVersion: gemini,
  createTime: "2026-11-21T12:00:00.000000Z",
  responseId: "Zk5YaPyFIuKTvdIPo7uqsQU",
};
const [answered] = geminiAnswer.candidates;
const geminiStream = [
  event({
    ...geminiAnswer,
    candidates: [{ content: { role: "model", parts: [{ text: "I will" }] } }],
    usageMetadata: {},
  }),
  event({
    ...geminiAnswer,
    candidates: [{ ...answered, content: { role: "model", parts: [{ text: " look." }] } }],
  }),
];
const claudeStream = claudeEvents.map(
  (data) => `event: ${String(data.type)}\ndata: ${JSON.stringify(data)}\n\n`,
);

let upstream: CannedProvider;
let gateway: TestGateway;
let key: string;
let openai: OpenAI;
let anthropic: Anthropic;
/** Every token that was given, and whether the next one is refused. */
const given: string[] = [];
let refusesSignIn = false;
/** `answer` gives what calls with a good token get. */
let answer: CannedProvider["answer"] = () => undefined;

beforeAll(async () => {
  upstream = await startCannedProvider();
  upstream.answer = async (response, request, body) => {
    if (request.url === "/token") return signIn(response, body);
    if (request.headers.authorization !== `Bearer ${given.at(-1)}`) {
      const error = {
        code: 401,
        message: "Request had invalid authentication credentials.",
        status: "UNAUTHENTICATED",
      };
      response
        .writeHead(401, { "content-type": "application/json" })
        .end(JSON.stringify({ error }));
      return;
    }
    await answer(response, request, body);
  };
  gateway = await startTestGateway({ upstreams: [upstream.url] });
  const account = {
    type: "service_account",
    project_id: "my-project",
    private_key_id: "key-1",
    private_key: privateKey.export({ type: "pkcs8", format: "pem" }),
    client_email: "gateway@my-project.iam.gserviceaccount.com",
    token_uri: `${upstream.url}/token`,
  };
  const configOf = (vertex_ai_adc: object) =>
    JSON.stringify({
      region: "europe-west1",
      vertex_ai_project_id: "my-project",
      vertex_ai_adc: JSON.stringify(vertex_ai_adc, null, 2),
    });
  const channel = (models: string, adc: object, more: object = {}) =>
    gateway.given.channel({
      type: vertex,
      key: "label",
      base_url: upstream.url,
      config: configOf(adc),
      models,
      ...more,
    });
  await channel([gemini, claude, "text-embedding-005"].join(","), account);
  await channel("stolen", { ...account, token_uri: "https://evil.example/token" });
  await channel(
    "either",
    { ...account, client_email: "other@my-project.iam.gserviceaccount.com" },
    { priority: 5 },
  );
  await gateway.given.channel({ key: "sim-as-either", models: "either" });
  key = (await gateway.given.token()).key;
  openai = new OpenAI({ baseURL: `${gateway.url}/v1`, apiKey: key, maxRetries: 0 });
  anthropic = new Anthropic({ baseURL: gateway.url, apiKey: key, maxRetries: 0 });
});
beforeEach(() => {
  upstream.requests.length = 0;
  refusesSignIn = false;
});
afterAll(async () => {
  expect(await gateway.audit()).toBe("The books agree.");
  await gateway.close();
  await upstream.close();
});

type VertexResponse = Parameters<CannedProvider["answer"]>[0];

function signIn(response: VertexResponse, body: string): void {
  const form = new URLSearchParams(body);
  const [header = "", claims = "", signature = ""] = (form.get("assertion") ?? "").split(".");
  const isOurs = verify(
    "RSA-SHA256",
    Buffer.from(`${header}.${claims}`),
    publicKey,
    Buffer.from(signature, "base64url"),
  );
  const { aud, exp } = JSON.parse(Buffer.from(claims, "base64url").toString()) as {
    aud: string;
    exp: number;
  };
  const isGood = isOurs && aud === `${upstream.url}/token` && exp * 1000 > Date.now();
  if (refusesSignIn || !isGood) {
    const refusal = {
      error: "invalid_grant",
      error_description: "Invalid grant: account not found",
    };
    response.writeHead(400, { "content-type": "application/json" }).end(JSON.stringify(refusal));
    return;
  }
  given.push(`ya29.c.${given.length}`);
  whole({ access_token: given.at(-1), expires_in: 3599, token_type: "Bearer" })(response);
}

const calls = (): CannedRequest[] => upstream.requests.filter(({ url }) => url !== "/token");
const signIns = (): number => upstream.requests.length - calls().length;
const lastBody = () => JSON.parse(calls().at(-1)?.body ?? "") as Record<string, unknown>;
const errorOf = (promise: Promise<unknown>) =>
  promise.then(
    () => undefined,
    (error: unknown) => error,
  );
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

describe("a service account", () => {
  test("signs in once for many calls at the same time, and again when its token is refused", async () => {
    answer = whole(geminiAnswer);
    const ask = () => openai.chat.completions.create({ model: gemini, messages });
    await Promise.all([ask(), ask(), ask(), ask()]);
    expect([signIns(), calls().length]).toEqual([1, 4]);
    await ask();
    expect(signIns()).toBe(1);
    given.push("withdrawn");
    expect(await errorOf(pinned(gemini))).toMatchObject({
      status: 502,
      code: "upstream_credentials",
    });
    await pinned(gemini);
    expect(signIns()).toBe(2);
    expect(JSON.stringify(upstream.requests)).not.toContain("BEGIN PRIVATE KEY");
  });

  test("that is unknown there is another channel's chance", async () => {
    refusesSignIn = true;
    expect(
      (await openai.chat.completions.create({ model: "either", messages })).choices,
    ).toHaveLength(1);
    const { id } = await gateway.lastLog();
    expect((await gateway.trace(id)).attempts).toMatchObject([
      { status: 400, outcome: "failed", error: expect.stringContaining("signing in: ") },
      { outcome: "success" },
    ]);
    expect(calls()).toEqual([]);
  });

  test("is sent only to Google and the channel's own host", async () => {
    expect(
      await errorOf(openai.chat.completions.create({ model: "stolen", messages })),
    ).toMatchObject({ status: 502 });
    const { id } = await gateway.lastLog();
    expect((await gateway.trace(id)).attempts).toMatchObject([
      { error: expect.stringContaining("no address of Google") },
    ]);
  });
});

describe("Gemini", () => {
  test("is called and answered in its own format", async () => {
    answer = whole(geminiAnswer);
    const { status, body } = await readReply(
      await post(`/v1beta/models/${gemini}:generateContent`, { contents }),
    );
    expect([status, body]).toEqual([200, geminiAnswer]);
    expect(calls().at(-1)?.url).toBe(`${below}/publishers/google/models/${gemini}:generateContent`);
    expect(lastBody()).toEqual({ contents });
    const log = await gateway.lastLog();
    expect(log).toMatchObject({
      quota: 6 + 12 * 4,
      prompt_tokens: 6,
      completion_tokens: 12,
      outcome: "success",
    });
    expect((await gateway.trace(log.id)).attempts).toMatchObject([
      { status: 200, outcome: "success" },
    ]);
  });

  test("streams the same for the same price", async () => {
    answer = streamed(...geminiStream);
    const response = await post(`/v1beta/models/${gemini}:streamGenerateContent?alt=sse`, {
      contents,
    });
    expect(readEvents(await response.text()).raw).toBe(geminiStream.join(""));
    expect(calls().at(-1)?.url).toBe(
      `${below}/publishers/google/models/${gemini}:streamGenerateContent?alt=sse`,
    );
    expect(await gateway.lastLog()).toMatchObject({ quota: 6 + 12 * 4, is_stream: 1 });
  });

  test("serves chat completions with tools, and keeps the signature for the next turn", async () => {
    answer = whole(geminiAnswer);
    const tools = [
      { type: "function" as const, function: { name: "weather", parameters: { type: "object" } } },
    ];
    const { choices } = await openai.chat.completions.create({ model: gemini, messages, tools });
    expect(choices[0]).toMatchObject({
      message: {
        content: "I will look.",
        tool_calls: [{ function: { name: "weather", arguments: '{"city":"Zürich"}' } }],
      },
      finish_reason: "tool_calls",
    });
    const message = choices[0]?.message as OpenAI.ChatCompletionMessageParam;
    const result = {
      role: "tool" as const,
      tool_call_id: choices[0]?.message.tool_calls?.[0]?.id ?? "",
      content: "sun",
    };
    await openai.chat.completions.create({
      model: gemini,
      messages: [...messages, message, result],
      tools,
    });
    expect(lastBody()).toMatchObject({
      contents: [
        {},
        { parts: [{}, { thoughtSignature: "c2lnbmVk" }] },
        { parts: [{ functionResponse: { name: "weather" } }] },
      ],
    });
    answer = streamed(...geminiStream);
    const { text } = await gateway.stream(key, { model: gemini, messages });
    expect(text).toBe("I will look.");
  });

  test("counts the tokens of a prompt", async () => {
    answer = whole({ totalTokens: 31, totalBillableCharacters: 96 });
    const generateContentRequest = { model: `models/${gemini}`, contents, safetySettings: [] };
    for (const asked of [{ contents }, { generateContentRequest }]) {
      const { body } = await readReply(await post(`/v1beta/models/${gemini}:countTokens`, asked));
      expect(body).toEqual({ totalTokens: 31 });
      expect(lastBody()).toEqual({ contents });
    }
  });

  test("refuses in Google's error format, and is not called again for an invalid request", async () => {
    answer = (response) => {
      const error = {
        code: 400,
        message: "Unable to submit request",
        status: "INVALID_ARGUMENT",
        details: [],
      };
      response
        .writeHead(400, { "content-type": "application/json" })
        .end(JSON.stringify({ error }));
    };
    const { status, body } = await readReply(
      await post(`/v1beta/models/${gemini}:generateContent`, { contents }),
    );
    expect(status).toBe(400);
    expect(body).toMatchObject({
      error: { code: 400, message: expect.stringContaining("Unable to submit request") },
    });
    expect(calls()).toHaveLength(1);
    expect(await gateway.lastLog()).toMatchObject({ outcome: "failed", quota: 0 });
  });
});

describe("Claude", () => {
  test("is called and answered in Anthropic's format", async () => {
    answer = whole(claudeAnswer);
    const thinking = { type: "enabled" as const, budget_tokens: 1024 };
    const options = { headers: { "anthropic-beta": "interleaved-thinking-2025-05-14" } };
    const asked = { model: claude, max_tokens: 2000, thinking, messages };
    expect(await anthropic.messages.create(asked, options)).toMatchObject(claudeAnswer);
    expect(calls().at(-1)).toMatchObject({
      url: `${below}/publishers/anthropic/models/claude-haiku-4-5@20251001:rawPredict`,
      headers: { "anthropic-beta": "interleaved-thinking-2025-05-14" },
    });
    expect(lastBody()).toEqual({
      anthropic_version: "vertex-2023-10-16",
      max_tokens: 2000,
      thinking,
      messages,
    });
    expect(await gateway.lastLog()).toMatchObject({
      prompt_tokens: 8,
      cached_prompt_tokens: 2,
      completion_tokens: 12,
    });
  });

  test("streams its own events, and takes its signed thoughts back", async () => {
    answer = streamed(...claudeStream);
    const asked = { model: claude, max_tokens: 2000, messages };
    const response = await post("/v1/messages", { ...asked, stream: true }, { "x-api-key": key });
    expect(readEvents(await response.text()).raw).toBe(claudeStream.join(""));
    expect(calls().at(-1)?.url).toContain(":streamRawPredict");
    const first = await anthropic.messages.stream(asked).finalMessage();
    expect(first.content).toEqual(claudeAnswer.content);
    answer = whole(claudeAnswer);
    const turns = [
      ...messages,
      { role: "assistant" as const, content: first.content },
      ...messages,
    ];
    await anthropic.messages.create({ ...asked, messages: turns });
    expect(lastBody()).toMatchObject({ messages: [{}, { content: claudeAnswer.content }, {}] });
  });

  test("serves chat completions", async () => {
    answer = whole(claudeAnswer);
    const { choices } = await openai.chat.completions.create({ model: claude, messages });
    expect(choices[0]?.message).toMatchObject({
      content: "one two three",
      reasoning_content: "Three words.",
    });
    expect(lastBody()).toMatchObject({ anthropic_version: "vertex-2023-10-16", max_tokens: 8192 });
    expect(lastBody()).not.toHaveProperty("model");
  });

  test("counts the tokens of a prompt", async () => {
    answer = whole({ input_tokens: 21 });
    expect(await anthropic.messages.countTokens({ model: claude, messages })).toEqual({
      input_tokens: 21,
    });
    expect(calls().at(-1)?.url).toBe(
      `${below}/publishers/anthropic/models/count-tokens:rawPredict`,
    );
    expect(lastBody()).toMatchObject({
      model: "claude-haiku-4-5@20251001",
      anthropic_version: "vertex-2023-10-16",
    });
  });

  test("that is overloaded answers in Anthropic's error format", async () => {
    answer = (response) => {
      const error = { type: "overloaded_error", message: "Overloaded" };
      response
        .writeHead(529, { "content-type": "application/json" })
        .end(JSON.stringify({ type: "error", error }));
    };
    expect(
      await errorOf(anthropic.messages.create({ model: claude, max_tokens: 9, messages })),
    ).toMatchObject({
      status: 529,
      error: { error: { type: "overloaded_error" } },
    });
  });
});

test("embeddings are predictions", async () => {
  const embeddings = { statistics: { truncated: false, token_count: 3 }, values: [0.5, 1] };
  answer = whole({
    predictions: [{ embeddings }, { embeddings }],
    metadata: { billableCharacterCount: 22 },
  });
  const asked = {
    model: "text-embedding-005",
    input: ["a", "b"],
    encoding_format: "float" as const,
  };
  const { data, usage } = await openai.embeddings.create(asked);
  expect(data.map(({ embedding }) => embedding)).toEqual([
    [0.5, 1],
    [0.5, 1],
  ]);
  expect(usage).toEqual({ prompt_tokens: 6, total_tokens: 6 });
  expect(calls().at(-1)?.url).toBe(`${below}/publishers/google/models/text-embedding-005:predict`);
  expect(lastBody()).toEqual({ instances: [{ content: "a" }, { content: "b" }], parameters: {} });
});

test("the console's test of a channel reaches it", async () => {
  answer = whole(geminiAnswer);
  const [channel] = await gateway.rows<{ id: number }>(
    `select id from channels where models like '${gemini}%'`,
  );
  // A failure would throw.
  await gateway.api("POST", `/api/channel/test/${channel?.id}`);
  expect(calls().at(-1)?.url).toContain(`${gemini}:generateContent`);
});

/** A pinned channel is called even when it has just failed. */
async function pinned(model: string): Promise<unknown> {
  const asking = new OpenAI({ baseURL: `${gateway.url}/v1`, apiKey: `${key}-1`, maxRetries: 0 });
  return await asking.chat.completions.create({ model, messages });
}
