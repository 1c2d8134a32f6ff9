// Bedrock through the gateway: a provider that checks every signature and answers according to
// Amazon's reference.
import Anthropic from "@anthropic-ai/sdk";
import OpenAI from "openai";
import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import { readReply } from "../harness/api-session.ts";
import {
  promptEstimate,
  question,
  readEvents,
  startTestGateway,
  type TestGateway,
} from "../harness/test-gateway.ts";
import {
  awsException,
  claudeAnswer,
  claudeEvents,
  claudeStream,
  converseAnswer,
  converseMessages,
  converseStream,
} from "../support/bedrock-fixture.ts";
import { compareSignatures } from "./aws-signature-check.ts";
import {
  type CannedProvider,
  type CannedRequest,
  startCannedProvider,
  whole,
} from "./canned-provider.ts";

const bedrock = 33;
const ak = "AKIDEXAMPLE";
const sk = "wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY";
/** Of the form in Amazon's user guide, "API keys"; not a real one. */
const apiKey = "ABSKQmVkcm9ja0FQSUtleS1leGFtcGxlLWF0LTEyMzQ1Njc4OTAxMjpleGFtcGxl";
const sessionToken = "IQoJb3JpZ2luX2VjEXAMPLETOKEN//////////wEaCXVzLWVhc3QtMSJHMEUCIQDEXAMPLE==";
const nova = "amazon.nova-pro-v1:0";
const claude = "anthropic.claude-sonnet-4-5-20250929-v1:0";
const arn = "arn:aws:bedrock:us-east-1:123456789012:application-inference-profile/r5utwq1k4abc";
const messages = [{ role: "user" as const, content: question }];
const tools = ["weather", "now"].map((name) => ({
  type: "function" as const,
  function: { name, parameters: { type: "object" } },
}));
/** 21 plain, 8 from and 4 into the cache, 17 written, at 1 unit each and 4 for what is written. */
const converseTokens = { prompt_tokens: 33, cached_prompt_tokens: 8, completion_tokens: 17 };

let upstream: CannedProvider;
let gateway: TestGateway;
let key: string;
let openai: OpenAI;
let anthropic: Anthropic;

const eventStream =
  (...pieces: Buffer[]): CannedProvider["answer"] =>
  (response) => {
    response.writeHead(200, { "content-type": "application/vnd.amazon.eventstream" });
    for (const piece of pieces) response.write(piece);
    response.end();
  };
const refused =
  (status: number, type: string, message: string, name = "message"): CannedProvider["answer"] =>
  (response) => {
    const headers = {
      "content-type": "application/json",
      "x-amzn-errortype": `${type}:http://internal.amazon.com/`,
    };
    response.writeHead(status, headers).end(JSON.stringify({ [name]: message }));
  };
const last = (): CannedRequest => {
  const arrived = upstream.requests.at(-1);
  if (!arrived) throw new Error("no request arrived");
  return arrived;
};
const lastBody = () => JSON.parse(last().body) as Record<string, unknown>;
const errorOf = (promise: Promise<unknown>) =>
  promise.then(
    () => undefined,
    (error: unknown) => error,
  );

beforeAll(async () => {
  upstream = await startCannedProvider();
  gateway = await startTestGateway({ upstreams: [upstream.url] });
  const channel = (models: string, more: object = {}) =>
    gateway.given.channel({
      type: bedrock,
      key: "label",
      base_url: upstream.url,
      config: JSON.stringify({ region: "us-east-1", ak, sk }),
      models,
      ...more,
    });
  await channel([nova, claude, "claude-profile", "amazon.titan-embed-text-v2:0"].join(","), {
    inference_profile_arn_map: JSON.stringify({ "claude-profile": arn }),
  });
  // The parts may stand in the key alone.
  await channel("nova-by-key", {
    key: `${ak}|${sk}|eu-west-1`,
    config: "",
    model_mapping: JSON.stringify({ "nova-by-key": nova }),
  });
  const renamed = (models: string) => ({
    models,
    model_mapping: JSON.stringify({ [models]: nova }),
  });
  await channel("nova-by-api-key", {
    key: `${apiKey}|eu-west-1`,
    config: "",
    ...renamed("nova-by-api-key"),
  });
  const temporary = { region: "us-east-1", ak, sk, session_token: sessionToken };
  await channel("nova-for-an-hour", {
    config: JSON.stringify(temporary),
    ...renamed("nova-for-an-hour"),
  });
  await channel("badly-keyed", {
    key: "only-a-label",
    config: JSON.stringify({ region: "us-east-1" }),
  });
  await channel("either", { priority: 5 });
  await gateway.given.channel({ key: "sim-as-either", models: "either" });
  key = (await gateway.given.token()).key;
  openai = new OpenAI({ baseURL: `${gateway.url}/v1`, apiKey: key, maxRetries: 0 });
  anthropic = new Anthropic({ baseURL: gateway.url, apiKey: key, maxRetries: 0 });
});
afterEach(() => {
  // Whatever a test was about, it was signed.
  for (const arrived of upstream.requests.splice(0)) {
    if (arrived.headers.authorization === `Bearer ${apiKey}`) continue;
    const { right, said } = compareSignatures(arrived, sk);
    expect(said, arrived.url).toBe(right);
  }
});
afterAll(async () => {
  expect(await gateway.audit()).toBe("The books agree.");
  await gateway.close();
  await upstream.close();
});

test("signatures are computed as in Amazon's test suite", () => {
  const authorization =
    "AWS4-HMAC-SHA256 Credential=AKIDEXAMPLE/20150830/us-east-1/service/aws4_request, SignedHeaders=host;x-amz-date, Signature=5fa00fa31553b73ebf1942676e86291e8372ff2a2260956d9b8aae1d763fbf31";
  const headers = {
    host: "example.amazonaws.com",
    "x-amz-date": "20150830T123600Z",
    authorization,
  };
  const vector = { method: "GET", url: "/", headers, body: "" };
  const { right, said } = compareSignatures(vector, "wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY");
  expect(right).toBe(said);
});

describe("chat completions from other models than Claude", () => {
  test("are requested and answered through Converse", async () => {
    upstream.answer = whole(converseAnswer);
    const answer = await openai.chat.completions.create({
      model: nova,
      messages,
      tools,
      max_tokens: 100,
    });
    expect(answer).toMatchObject({
      model: nova,
      object: "chat.completion",
      choices: [
        {
          message: {
            content: "I will look.",
            reasoning_content: "The user wants weather.",
            thinking_blocks: [{ type: "thinking", signature: "c2lnbmVk" }],
            tool_calls: [
              {
                id: "tooluse_kZJMlvQmRJ6eAyJE5GIl7Q",
                function: { name: "weather", arguments: '{"city":"Zürich"}' },
              },
              { id: "tooluse_bSd3LDHR", function: { name: "now", arguments: "{}" } },
            ],
          },
          finish_reason: "tool_calls",
        },
      ],
      usage: {
        prompt_tokens: 33,
        completion_tokens: 17,
        prompt_tokens_details: { cached_tokens: 8 },
      },
    });
    expect([last().method, last().url]).toEqual(["POST", "/model/amazon.nova-pro-v1%3A0/converse"]);
    expect(last().headers.authorization).toContain("/us-east-1/bedrock/aws4_request");
    expect(lastBody()).toEqual({
      messages: [{ role: "user", content: [{ text: question }] }],
      inferenceConfig: { maxTokens: 100 },
      toolConfig: {
        tools: tools.map(({ function: { name } }) => ({
          toolSpec: { name, inputSchema: { json: { type: "object" } } },
        })),
      },
    });
    const log = await gateway.lastLog();
    expect(log).toMatchObject({
      ...converseTokens,
      model_name: nova,
      outcome: "success",
      is_stream: 0,
    });
    expect(log.quota).toBe(21 + 8 + 4 + 17 * 4);
    expect((await gateway.trace(log.id)).attempts).toMatchObject([
      { status: 200, outcome: "success" },
    ]);
  });

  test("stream the same, for the same price", async () => {
    upstream.answer = whole(converseAnswer);
    await openai.chat.completions.create({ model: nova, messages, tools });
    const { quota } = await gateway.lastLog();
    // Cut where nothing ends.
    upstream.answer = eventStream(converseStream.subarray(0, 333), converseStream.subarray(333));
    const answer = await openai.chat.completions
      .stream({ model: nova, messages, tools })
      .finalChatCompletion();
    expect(answer.choices[0]).toMatchObject({
      message: {
        content: "I will look.",
        tool_calls: [
          { function: { arguments: '{"city":"Zürich"}' } },
          { function: { name: "now", arguments: "{}" } },
        ],
      },
      finish_reason: "tool_calls",
    });
    expect(last().url).toBe("/model/amazon.nova-pro-v1%3A0/converse-stream");
    expect(last().headers.accept).toBe("application/vnd.amazon.eventstream");
    expect(await gateway.lastLog()).toMatchObject({
      ...converseTokens,
      quota,
      outcome: "success",
      is_stream: 1,
    });
  });

  test("reach a region that stands in the key alone", async () => {
    upstream.answer = whole(converseAnswer);
    await openai.chat.completions.create({ model: "nova-by-key", messages });
    expect(last().headers.authorization).toContain("/eu-west-1/bedrock/");
    expect(last().url).toBe("/model/amazon.nova-pro-v1%3A0/converse");
  });

  test("prove themselves by an API key of Bedrock, which nothing repeats", async () => {
    upstream.answer = whole(converseAnswer);
    await openai.chat.completions.create({ model: "nova-by-api-key", messages });
    expect(last().headers.authorization).toBe(`Bearer ${apiKey}`);
    expect(last().headers["x-amz-date"]).toBeUndefined();
    upstream.answer = refused(403, "AccessDeniedException", `Bearer Token ${apiKey} has expired`);
    const error = await errorOf(
      openai.chat.completions.create({ model: "nova-by-api-key", messages }),
    );
    const [attempt] = (await gateway.trace((await gateway.lastLog()).id)).attempts;
    expect(attempt?.error).toContain("has expired");
    expect(attempt?.error + String(error)).not.toContain(apiKey);
  });

  test("go by temporary keys with their session token, which is stored as a secret", async () => {
    upstream.answer = whole(converseAnswer);
    await openai.chat.completions.create({ model: "nova-for-an-hour", messages });
    expect(last().headers["x-amz-security-token"]).toBe(sessionToken);
    const [row] = await gateway.rows<{ config: string }>(
      "select config from channels where models = 'nova-for-an-hour'",
    );
    expect(JSON.parse(row?.config ?? "")).toEqual({ region: "us-east-1", ak });
  });

  test("are answers to every other interface, too", async () => {
    upstream.answer = whole(converseAnswer);
    const response = await openai.responses.create({ model: nova, input: question });
    expect(response.output_text).toBe("I will look.");
    expect(response.output.filter(({ type }) => type === "function_call")).toHaveLength(2);
    const message = await anthropic.messages.create({ model: nova, max_tokens: 100, messages });
    expect(message).toMatchObject({
      stop_reason: "tool_use",
      content: [
        { type: "thinking" },
        { type: "text", text: "I will look." },
        { name: "weather" },
        { name: "now", input: {} },
      ],
    });
    const contents = [{ role: "user", parts: [{ text: question }] }];
    const { body } = await readReply(
      await post(`/v1beta/models/${nova}:generateContent`, { contents }),
    );
    expect(body).toMatchObject({
      candidates: [{ finishReason: "STOP" }],
      usageMetadata: { totalTokenCount: 50 },
    });
    upstream.answer = eventStream(converseStream);
    const streamed = await anthropic.messages
      .stream({ model: nova, max_tokens: 100, messages })
      .finalMessage();
    expect(streamed.content.map(({ type }) => type)).toEqual([
      "thinking",
      "text",
      "tool_use",
      "tool_use",
    ]);
  });

  test("show whether the channel works", async () => {
    upstream.answer = whole(converseAnswer);
    const [channel] = await gateway.rows<{ id: number }>(
      "select id from channels where models = 'nova-by-key'",
    );
    // A failure would throw.
    await gateway.api("POST", `/api/channel/test/${channel?.id}`);
    expect(lastBody()).toMatchObject({ inferenceConfig: { maxTokens: 64 } });
  });
});

const post = (path: string, body: object, headers: Record<string, string> = {}) =>
  fetch(gateway.url + path, {
    method: "POST",
    headers: { "content-type": "application/json", authorization: `Bearer ${key}`, ...headers },
    body: JSON.stringify(body),
  });

describe("Claude", () => {
  test("gets Anthropic's own body, and its answer comes through as it is", async () => {
    upstream.answer = whole(claudeAnswer);
    const thinking = { type: "enabled" as const, budget_tokens: 1024 };
    const options = { headers: { "anthropic-beta": "interleaved-thinking-2025-05-14" } };
    const asked = { model: claude, max_tokens: 2000, thinking, messages };
    expect(await anthropic.messages.create(asked, options)).toMatchObject(claudeAnswer);
    expect(last().url).toBe("/model/anthropic.claude-sonnet-4-5-20250929-v1%3A0/invoke");
    expect(lastBody()).toEqual({
      anthropic_version: "bedrock-2023-05-31",
      anthropic_beta: ["interleaved-thinking-2025-05-14"],
      max_tokens: 2000,
      thinking,
      messages,
    });
    expect(last().headers).not.toHaveProperty("anthropic-beta");
    expect(await gateway.lastLog()).toMatchObject({
      prompt_tokens: 8,
      cached_prompt_tokens: 2,
      completion_tokens: 12,
    });
  });

  test("streams Anthropic's own events, thoughts and their signatures among them", async () => {
    upstream.answer = eventStream(claudeStream.subarray(0, 500), claudeStream.subarray(500));
    const response = await post("/v1/messages", {
      model: claude,
      max_tokens: 2000,
      messages,
      stream: true,
    });
    const { raw } = readEvents(await response.text());
    expect(raw).toBe(
      claudeEvents
        .map((data) => `event: ${String(data.type)}\ndata: ${JSON.stringify(data)}\n\n`)
        .join(""),
    );
    expect(last().url).toBe(
      "/model/anthropic.claude-sonnet-4-5-20250929-v1%3A0/invoke-with-response-stream",
    );
    expect(lastBody()).not.toHaveProperty("stream");
    const { quota } = await gateway.lastLog();
    upstream.answer = whole(claudeAnswer);
    await anthropic.messages.create({ model: claude, max_tokens: 2000, messages });
    expect(await gateway.lastLog()).toMatchObject({ quota, completion_tokens: 12 });
  });

  test("takes its reasoning back in the next turn, whichever client returns it", async () => {
    upstream.answer = eventStream(claudeStream);
    const first = await anthropic.messages
      .stream({ model: claude, max_tokens: 2000, messages })
      .finalMessage();
    const [thought] = first.content;
    const turns = [
      ...messages,
      { role: "assistant" as const, content: first.content },
      { role: "user" as const, content: "go on" },
    ];
    upstream.answer = whole(claudeAnswer);
    await anthropic.messages.create({ model: claude, max_tokens: 2000, messages: turns });
    expect(lastBody()).toMatchObject({
      messages: [{}, { content: [thought, { type: "text" }] }, {}],
    });
    const chat = await openai.chat.completions.create({ model: claude, messages });
    const message = chat.choices[0]?.message;
    expect(message).toMatchObject({ thinking_blocks: [thought] });
    await openai.chat.completions.create({
      model: claude,
      messages: [
        ...messages,
        message as OpenAI.ChatCompletionMessageParam,
        { role: "user", content: "go on" },
      ],
    });
    expect(lastBody()).toMatchObject({
      anthropic_version: "bedrock-2023-05-31",
      messages: [{}, { content: [thought, { type: "text" }] }, {}],
    });
  });

  test("is reached through an inference profile, whose name is signed as it is sent", async () => {
    upstream.answer = whole(claudeAnswer);
    await anthropic.messages.create({ model: "claude-profile", max_tokens: 20, messages });
    expect(last().url).toBe(`/model/${encodeURIComponent(arn)}/invoke`);
  });

  test("is not called for the length of a prompt: the gateway estimates it", async () => {
    const { input_tokens } = await anthropic.messages.countTokens({ model: claude, messages });
    expect(input_tokens).toBe(promptEstimate);
    expect(upstream.requests).toEqual([]);
  });
});

describe("a provider error", () => {
  test.each([
    [
      429,
      "ThrottlingException",
      { status: 429, code: "ThrottlingException", message: /rate limit is reached/ },
    ],
    [
      400,
      "ValidationException",
      { status: 400, code: "ValidationException", message: /Too many tokens/ },
    ],
    [403, "AccessDeniedException", { status: 502, code: "upstream_credentials" }],
    [403, "UnrecognizedClientException", { status: 502, code: "upstream_credentials" }],
    [424, "ModelErrorException", { status: 424, code: "ModelErrorException" }],
    [503, "ServiceUnavailableException", { status: 503, code: "ServiceUnavailableException" }],
  ])("is reported: %i %s", async (status, type, wanted) => {
    upstream.answer = refused(
      status,
      type,
      "Too many tokens, please wait before trying again.",
      status === 403 ? "Message" : "message",
    );
    const { message, ...rest } = wanted as { message?: RegExp };
    const error = (await errorOf(pinned(nova))) as { message: string };
    expect(error).toMatchObject(rest);
    if (message) expect(error.message).toMatch(message);
    const log = await gateway.lastLog();
    expect(log).toMatchObject({ outcome: "failed", quota: 0 });
    expect((await gateway.trace(log.id)).attempts).toMatchObject([{ status, outcome: "failed" }]);
  });

  test("is another channel's chance", async () => {
    upstream.answer = refused(503, "ServiceUnavailableException", "busy");
    expect(
      (await openai.chat.completions.create({ model: "either", messages })).choices,
    ).toHaveLength(1);
    expect(upstream.requests).toHaveLength(1);
  });

  test("before the first token of a stream is a failure", async () => {
    upstream.answer = eventStream(awsException("throttlingException", "Too many requests"));
    expect(await errorOf(pinned(nova, true))).toMatchObject({
      status: 429,
      type: "rate_limit_error",
      code: "throttlingException",
    });
    expect(await gateway.lastLog()).toMatchObject({ outcome: "failed", quota: 0 });
  });

  test.each([
    [
      "an exception",
      awsException("modelStreamErrorException", "The model failed"),
      "The provider failed",
    ],
    ["damage", Buffer.alloc(40, 7), "cut the stream"],
    ["its end", Buffer.alloc(0), "cut the stream"],
  ])(
    "in the middle of a stream ends it with an error, and what was relayed is charged: %s",
    async (_name, bytes, said) => {
      const words = (text: string) =>
        ["contentBlockDelta", { contentBlockIndex: 0, delta: { text } }] as const;
      const begun = converseMessages(
        ["messageStart", { role: "assistant" }],
        words("one"),
        words(" two"),
      );
      const slowly: CannedProvider["answer"] = async (response) => {
        response.writeHead(200, { "content-type": "application/vnd.amazon.eventstream" });
        response.write(begun);
        await new Promise((resolve) => setTimeout(resolve, 100));
        response.end(bytes);
      };
      upstream.answer = slowly;
      const { text, errors } = await gateway.stream(pinnedKey(), { model: nova, messages });
      expect(text).toBe("one two");
      expect(errors).toMatchObject([{ message: expect.stringContaining(said) }]);
      expect(await gateway.lastLog()).toMatchObject({
        outcome: "cut",
        quota: promptEstimate + 2 * 4,
      });
    },
  );

  test("about a key of another format is shown to operators alone", async () => {
    expect(
      await errorOf(openai.chat.completions.create({ model: "badly-keyed", messages })),
    ).toMatchObject({
      status: 502,
    });
    expect(upstream.requests).toEqual([]);
    const log = await gateway.lastLog();
    expect((await gateway.trace(log.id)).attempts).toMatchObject([
      { error: expect.stringContaining("ak|sk|region") },
    ]);
  });
});

/** A pinned channel is called even when it has just failed. */
const pinnedKey = () => `${key}-1`;
async function pinned(model: string, stream = false): Promise<unknown> {
  const asking = new OpenAI({ baseURL: `${gateway.url}/v1`, apiKey: pinnedKey(), maxRetries: 0 });
  return await asking.chat.completions.create({ model, messages, stream });
}

test("embeddings come from Titan", async () => {
  upstream.answer = whole({ embedding: [0.5, 1], inputTextTokenCount: 3 });
  const { data, usage } = await openai.embeddings.create({
    model: "amazon.titan-embed-text-v2:0",
    input: question,
    encoding_format: "float",
  });
  expect(data).toMatchObject([{ embedding: [0.5, 1] }]);
  expect(usage).toEqual({ prompt_tokens: 3, total_tokens: 3 });
  expect([last().url, lastBody()]).toEqual([
    "/model/amazon.titan-embed-text-v2%3A0/invoke",
    { inputText: question },
  ]);
  expect(await gateway.lastLog()).toMatchObject({ quota: 3 });
});
