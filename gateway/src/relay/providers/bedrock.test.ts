import {
  awsException,
  awsMessage,
  claudeEvents,
  claudeStream,
  converseMessages,
  converseStream,
  invokeMessages,
} from "@tollgate/tests/support/bedrock-fixture.ts";
import {
  bodyOf,
  callOf,
  chunksIn,
  headersOf,
  settingsOf,
} from "@tollgate/tests/support/provider-adapter.ts";
import { translatedBody } from "@tollgate/tests/support/translate-request.ts";
import { describe, expect, test } from "vitest";
import { anthropicMessages } from "../formats/anthropic-messages.ts";
import type { RelayCall } from "../formats/api-format.ts";
import { bedrockConverse } from "../formats/bedrock-converse.ts";
import { chatToConverse } from "../translations/chat-to-converse.ts";
import { embeddingsToBedrock } from "../translations/embeddings-to-cloud.ts";
import type { JsonRecord } from "../wire/json-parts.ts";
import { MalformedStream } from "../wire/stream-splitter.ts";
import { bedrock } from "./bedrock.ts";
import { converseEvents, invokeEvents } from "./bedrock-events.ts";
import { buildUpstreamRequest } from "./upstream-request.ts";

const key = "AKIDEXAMPLE|wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY|us-east-1";
const settings = settingsOf(33, "", { region: "us-east-1" });
const runtime = "https://bedrock-runtime.us-east-1.amazonaws.com";
const arn = "arn:aws:bedrock:us-east-1:123456789012:application-inference-profile/r5utwq1k4abc";
const now = Date.UTC(2026, 10, 21, 12, 0, 0);

const urls = (model: string, more: object = {}) =>
  Object.fromEntries(
    Object.entries(bedrock.endpoints({ ...settings, ...more }, model)).map(([entry, url]) => [
      entry,
      String(url),
    ]),
  );

describe("the address of a model", () => {
  test.each([
    ["amazon.nova-pro-v1:0", "bedrock_converse", "amazon.nova-pro-v1%3A0/converse"],
    [
      "us.meta.llama3-3-70b-instruct-v1:0",
      "bedrock_converse",
      "us.meta.llama3-3-70b-instruct-v1%3A0/converse",
    ],
    [
      "anthropic.claude-3-haiku-20240307-v1:0",
      "claude_messages",
      "anthropic.claude-3-haiku-20240307-v1%3A0/invoke",
    ],
    ["eu.anthropic.claude-sonnet-4-6", "claude_messages", "eu.anthropic.claude-sonnet-4-6/invoke"],
    [
      "claude-3-5-sonnet-20241022",
      "claude_messages",
      "anthropic.claude-3-5-sonnet-20241022-v2%3A0/invoke",
    ],
    ["claude-opus-4-6", "claude_messages", "anthropic.claude-opus-4-6-v1/invoke"],
    ["claude-opus-4-7", "claude_messages", "anthropic.claude-opus-4-7/invoke"],
    [
      "claude-haiku-4-5-20251001",
      "claude_messages",
      "anthropic.claude-haiku-4-5-20251001-v1%3A0/invoke",
    ],
    ["cohere.embed-multilingual-v3", "bedrock_embeddings", "cohere.embed-multilingual-v3/invoke"],
    ["amazon.titan-embed-text-v2:0", "bedrock_embeddings", "amazon.titan-embed-text-v2%3A0/invoke"],
  ])("%s is by %s at %s", (model, entry, path) => {
    expect(urls(model)).toEqual({ [entry]: `${runtime}/model/${path}` });
  });

  test("is an inference profile where the channel names one", () => {
    const profiles = new Map([["claude-sonnet", arn]]);
    const path =
      "arn%3Aaws%3Abedrock%3Aus-east-1%3A123456789012%3Aapplication-inference-profile%2Fr5utwq1k4abc";
    expect(urls("claude-sonnet", { profiles })).toEqual({
      claude_messages: `${runtime}/model/${path}/invoke`,
    });
    const opaque = new Map([["mine", "us.anthropic.claude-opus-4-1-20250805-v1:0"]]);
    expect(urls("mine", { profiles: opaque })).toHaveProperty("claude_messages");
  });

  test("follows the region or the channel's own address, and is nowhere without either", () => {
    expect(urls("m", { config: { region: "eu-central-1" } }).bedrock_converse).toBe(
      "https://bedrock-runtime.eu-central-1.amazonaws.com/model/m/converse",
    );
    const base = "https://vpce.example/bedrock";
    expect(urls("m", { base })).toEqual({ bedrock_converse: `${base}/model/m/converse` });
    expect(urls("m", { config: {} })).toEqual({});
    expect(urls("m", { config: { region: "x.evil.example/#" } })).toEqual({});
  });
});

const channel = (more: object = {}) =>
  ({
    id: 1,
    provider: bedrock,
    settings: { ...settings, ...more },
    urlsFor: (model: string) => bedrock.endpoints({ ...settings, ...more }, model),
    systemPrompt: null,
    key,
  }) as unknown as Parameters<typeof buildUpstreamRequest>[1];
/** `claudeBody` comes with a number that parsing would change. */
const claudeBody =
  '{"model":"claude","max_tokens":9,"stream":true,"messages":[{"role":"user","content":"hi"}],"seed":12345678901234567890}';
const claudeCall = (more: Partial<RelayCall> = {}): RelayCall =>
  callOf(
    {},
    {
      client: anthropicMessages,
      upstream: anthropicMessages.upstream,
      body: Buffer.from(claudeBody),
      model: "claude",
      ...more,
    },
  );
const converseCall = (more: Partial<RelayCall> = {}): RelayCall =>
  callOf({}, { upstream: bedrockConverse, body: Buffer.from('{"messages":[]}'), ...more });
const sent = (call: RelayCall, model: string) =>
  buildUpstreamRequest(call, channel(), model, key, now);

describe("a request", () => {
  test("to Claude is Anthropic's body without model and stream, with the flags of the headers", async () => {
    const headers = [
      "anthropic-version",
      "2023-06-01",
      "anthropic-beta",
      "oauth-2025-04-20,a-2025-01-01, b-2025-01-02,claude-code-20250219",
    ];
    const request = await sent(
      claudeCall({ headers, isStream: true }),
      "anthropic.claude-sonnet-4-5-20250929-v1:0",
    );
    expect(String(request.url)).toBe(
      `${runtime}/model/anthropic.claude-sonnet-4-5-20250929-v1%3A0/invoke-with-response-stream`,
    );
    expect(request.body.toString()).toBe(
      '{"anthropic_version":"bedrock-2023-05-31","anthropic_beta":["a-2025-01-01","b-2025-01-02"],' +
        '"max_tokens":9,"messages":[{"role":"user","content":"hi"}],"seed":12345678901234567890}',
    );
    expect(Object.keys(headersOf(request)).filter((name) => name.startsWith("anthropic"))).toEqual(
      [],
    );
    expect(request.framing).toBe(invokeEvents);
  });

  test("that is not a stream goes to invoke or converse, and is answered by JSON", async () => {
    const whole = await sent(claudeCall(), "claude-3-haiku-20240307");
    expect(String(whole.url)).toBe(
      `${runtime}/model/anthropic.claude-3-haiku-20240307-v1%3A0/invoke`,
    );
    expect(bodyOf(whole)).not.toHaveProperty("anthropic_beta");
    const other = await sent(converseCall(), "amazon.nova-lite-v1:0");
    expect(String(other.url)).toBe(`${runtime}/model/amazon.nova-lite-v1%3A0/converse`);
    expect([whole.framing, other.framing]).toEqual([undefined, undefined]);
    expect(headersOf(other).accept).toBe("application/json");
  });

  test("for a stream of Converse asks for Amazon's events", async () => {
    const request = await sent(converseCall({ isStream: true }), "amazon.nova-lite-v1:0");
    expect(String(request.url)).toBe(`${runtime}/model/amazon.nova-lite-v1%3A0/converse-stream`);
    expect(headersOf(request).accept).toBe("application/vnd.amazon.eventstream");
    expect(request.framing).toBe(converseEvents);
  });

  test("is signed for its service, region and day, and does not contain the secret", async () => {
    const request = await sent(converseCall(), "amazon.nova-lite-v1:0");
    const headers = headersOf(request);
    expect(headers.authorization).toMatch(
      /^AWS4-HMAC-SHA256 Credential=AKIDEXAMPLE\/20261121\/us-east-1\/bedrock\/aws4_request, SignedHeaders=content-type;host;x-amz-content-sha256;x-amz-date, Signature=[0-9a-f]{64}$/,
    );
    expect(headers["x-amz-date"]).toBe("20261121T120000Z");
    expect(JSON.stringify(request.headers)).not.toContain("wJalrXUtnFEMI");
    const other = await buildUpstreamRequest(
      converseCall(),
      channel(),
      "amazon.nova-lite-v1:0",
      key,
      now + 1000,
    );
    expect(headersOf(other).authorization).not.toBe(headers.authorization);
  });

  test("with temporary keys is signed with their session token", async () => {
    const token = "IQoJb3JpZ2luX2VjEXAMPLE//////////wEaCXVzLWVhc3QtMSJH==";
    const request = await buildUpstreamRequest(
      converseCall(),
      channel(),
      "m",
      `${key}|${token}`,
      now,
    );
    const headers = headersOf(request);
    expect(headers["x-amz-security-token"]).toBe(token);
    expect(headers.authorization).toMatch(
      /SignedHeaders=content-type;host;x-amz-content-sha256;x-amz-date;x-amz-security-token,/,
    );
  });

  test.each([
    ["ABSKQmVkcm9ja0FQSUtleS1leGFtcGxlOmFiYw==", "ABSKQmVkcm9ja0FQSUtleS1leGFtcGxlOmFiYw=="],
    ["ABSKQmVkcm9ja0FQSUtleQ==|us-east-1", "ABSKQmVkcm9ja0FQSUtleQ=="],
    [
      "|bedrock-api-key-YmVkcm9jay5hbWF6b25hd3M=|us-east-1",
      "bedrock-api-key-YmVkcm9jay5hbWF6b25hd3M=",
    ],
  ])("with an API key (%s) carries it and no signature", async (own, sentKey) => {
    for (const isStream of [false, true]) {
      const request = await buildUpstreamRequest(
        converseCall({ isStream }),
        channel(),
        "m",
        own,
        now,
      );
      const headers = headersOf(request);
      expect(headers.authorization).toBe(`Bearer ${sentKey}`);
      expect(Object.keys(headers).filter((name) => name.startsWith("x-amz"))).toEqual([]);
      expect(request.framing).toBe(isStream ? converseEvents : undefined);
    }
  });

  test("is signed for the region that its address has, whatever region is in the key", async () => {
    const own = channel({ config: { region: "eu-central-1" } });
    const request = await buildUpstreamRequest(converseCall(), own, "m", key, now);
    expect(request.url.host).toBe("bedrock-runtime.eu-central-1.amazonaws.com");
    expect(headersOf(request).authorization).toContain("/eu-central-1/bedrock/");
  });

  test.each([
    "",
    "label",
    "ak",
    "a k|sk|us-east-1",
    "ak|sk|us east",
    "ak|sk",
    "ak||us-east-1",
    "ak|sk|",
    "|sk|us-east-1",
    "ak|sk|us-east-1|",
    "ak|sk|us-east-1|to ken",
    "ak|sk|us-east-1|token|more",
    "bedrock-api-key-YmVkcm9jaw|us-east-1|token|more",
  ])("is not made with the key %j", async (bad) => {
    const own = channel({ base: "https://vpce.example", config: {} });
    await expect(buildUpstreamRequest(converseCall(), own, "m", bad, now)).rejects.toThrow(
      "ak|sk|region",
    );
  });
});

interface ReadInvocation {
  events: string[];
  facts: unknown[];
  told: string;
}

/** A stream that arrives in the given pieces, as a client of chat completions receives it. */
function readConverse(pieces: readonly Buffer[]): ReadInvocation {
  const splitter = converseEvents.splitter();
  const call = callOf({}, { wantsUsage: true });
  const read = bedrockConverse.createEventReader(call);
  const answers = chatToConverse.createReplyTranslator(call);
  const events = pieces.flatMap((piece) => textsIn(splitter.push(piece)));
  const facts = events.map((event) => read(event));
  return {
    events,
    facts,
    told: events.map((event) => answers.translateEvent(event)).join("") + answers.finish(),
  };
}

const textsIn = ({ bytes, ends }: { bytes: Buffer; ends: readonly number[] }): string[] =>
  ends.map((end, index) => bytes.toString("utf8", ends[index - 1] ?? 0, end));
const comparable = (told: string): string =>
  told.replaceAll(/"(created":\d+|id":"chatcmpl-\w+)/g, "");

describe("a stream of Converse", () => {
  const whole = readConverse([converseStream]);
  const deltas = chunksIn(whole.told).flatMap(({ choices }) => choices);

  test("becomes reasoning with its signature, text, and parallel tool calls", () => {
    const called = (index: number, id: string, name: string) => ({
      tool_calls: [{ index, id, type: "function", function: { name, arguments: "" } }],
    });
    const written = (index: number, said: string) => ({
      tool_calls: [{ index, function: { arguments: said } }],
    });
    expect(deltas.map(({ delta }) => delta)).toEqual([
      { role: "assistant", content: "" },
      { reasoning_content: "The user " },
      { reasoning_content: "wants weather." },
      {
        thinking_blocks: [
          {
            index: 0,
            type: "thinking",
            thinking: "The user wants weather.",
            signature: "c2lnbmVk",
          },
        ],
      },
      { content: "I will" },
      { content: " look." },
      called(0, "tooluse_kZJMlvQmRJ6eAyJE5GIl7Q", "weather"),
      written(0, '{"city":'),
      written(0, '"Zürich"}'),
      called(1, "tooluse_bSd3LDHR", "now"),
      written(1, "{}"),
      {},
    ]);
    expect(deltas.at(-1)?.finish_reason).toBe("tool_calls");
    expect(chunksIn(whole.told).at(-1)?.usage).toEqual({
      prompt_tokens: 33,
      completion_tokens: 17,
      total_tokens: 50,
      prompt_tokens_details: expect.objectContaining({ cached_tokens: 8 }),
    });
    expect(whole.told.endsWith("data: [DONE]\n\n")).toBe(true);
  });

  test("is the same wherever it is cut", () => {
    for (let at = 1; at < converseStream.length; at += 1) {
      const { events, facts, told } = readConverse([
        converseStream.subarray(0, at),
        converseStream.subarray(at),
      ]);
      expect([at, events, facts]).toEqual([at, whole.events, whole.facts]);
      expect([at, comparable(told)]).toEqual([at, comparable(whole.told)]);
    }
  });

  test("counts every letter that is written, and ends with its usage", () => {
    const written = "The user wants weather.I will look.".length + '{"city":"Zürich"}'.length;
    const facts = whole.facts as {
      textBytes: number;
      usage?: { usage: JsonRecord; hiddenOutput: number };
      kind: string;
    }[];
    expect(facts.reduce((sum, { textBytes }) => sum + textBytes, 0)).toBe(written);
    expect(facts.at(-1)).toMatchObject({
      kind: "done",
      isLast: true,
      usage: {
        usage: { input: 21, cache_read: 8, cache_write_5m: 4, output: 17 },
        hiddenOutput: 0,
      },
    });
  });

  test.each([
    ["throttlingException", "rate_limit_error"],
    ["serviceUnavailableException", "overloaded_error"],
    ["modelStreamErrorException", "api_error"],
  ])("tells %s as an error of type %s", (code, type) => {
    const { facts } = readConverse([awsException(code, "Too many tokens")]);
    expect(facts).toEqual([
      { kind: "error", textBytes: 0, error: { type, code, message: "Too many tokens" } },
    ]);
  });

  test("tells an error that is in headers alone", () => {
    const headers = {
      ":message-type": "error",
      ":error-code": "InternalFailure",
      ":error-message": "oh",
    };
    const { facts } = readConverse([awsMessage(headers, "")]);
    expect(facts).toMatchObject([
      { kind: "error", error: { code: "InternalFailure", message: "oh" } },
    ]);
  });

  test("accepts a count that includes hidden reasoning", () => {
    const usage = { inputTokens: 5, outputTokens: 9_000, totalTokens: 9_005 };
    const hidden = { reasoningContent: { text: "[REDACTED]" } };
    const { facts } = readConverse([
      converseMessages(
        ["contentBlockDelta", { contentBlockIndex: 0, delta: hidden }],
        ["metadata", { usage }],
      ),
    ]);
    expect(facts.at(-1)).toMatchObject({ usage: { hiddenOutput: 9_000 } });
  });

  test("with line breaks inside its JSON stays one event", () => {
    const type = { ":event-type": "contentBlockDelta", ":message-type": "event" };
    const { events, told } = readConverse([awsMessage(type, '{\n"delta":\r\n{"text":"a\\nb"}}')]);
    expect(events).toHaveLength(1);
    expect(chunksIn(told)[1]?.choices[0]?.delta).toEqual({ content: "a\nb" });
  });

  test("that is damaged is given up", () => {
    const bad = Buffer.from(converseStream);
    bad[40] = (bad[40] ?? 0) ^ 1;
    expect(() => readConverse([bad])).toThrow(MalformedStream);
  });
});

describe("a stream of Claude", () => {
  const eventsOf = (...pieces: Buffer[]): string[] => {
    const splitter = invokeEvents.splitter();
    return pieces.flatMap((piece) => textsIn(splitter.push(piece)));
  };

  test("is Anthropic's own, wherever it is cut", () => {
    const wanted = claudeEvents.map(
      (data) => `event: ${String(data.type)}\ndata: ${JSON.stringify(data)}\n\n`,
    );
    for (let at = 0; at <= claudeStream.length; at += 1) {
      expect([at, eventsOf(claudeStream.subarray(0, at), claudeStream.subarray(at))]).toEqual([
        at,
        wanted,
      ]);
    }
    const read = anthropicMessages.upstream.createEventReader(callOf());
    const facts = eventsOf(claudeStream).map((event) => read(event));
    expect(facts.findLast(({ usage }) => usage)).toMatchObject({
      usage: { usage: { input: 6, cache_read: 2, output: 12 } },
      isLast: true,
    });
    expect(facts.at(-1)?.kind).toBe("done");
  });

  test("tells an error in Anthropic's words", () => {
    expect(eventsOf(awsException("throttlingException", "Too many requests"))).toEqual([
      'event: error\ndata: {"type":"error","error":{"type":"rate_limit_error","code":"throttlingException","message":"Too many requests"}}\n\n',
    ]);
  });

  test("keeps its events however their members are ordered", () => {
    const odd = { index: 0, delta: { type: "text_delta", text: "a" }, type: "content_block_delta" };
    expect(eventsOf(invokeMessages(odd))).toEqual([
      `event: content_block_delta\ndata: ${JSON.stringify(odd)}\n\n`,
    ]);
  });

  test("has no events for messages without any", () => {
    expect(eventsOf(awsMessage({ ":event-type": "chunk" }, "{}"))).toEqual([]);
  });
});

describe("embeddings", () => {
  const body = (json: JsonRecord, model: string) =>
    translatedBody(embeddingsToBedrock, json, model);
  const answered = (json: JsonRecord, asked: JsonRecord = {}) =>
    embeddingsToBedrock
      .createReplyTranslator(callOf(asked, { promptEstimate: 3 }))
      .translateReply(json);

  test("are asked of Titan one by one, and of Cohere's models many at once", () => {
    expect(body({ input: "a", dimensions: 256 }, "amazon.titan-embed-text-v2:0")).toEqual({
      inputText: "a",
      dimensions: 256,
    });
    expect(body({ input: ["a"] }, "amazon.titan-embed-text-v2:0")).toEqual({ inputText: "a" });
    expect(body({ input: ["a", "b"] }, "cohere.embed-english-v3")).toEqual({
      texts: ["a", "b"],
      input_type: "search_document",
    });
  });

  test("come back as OpenAI lists them", () => {
    const titan = { embedding: [0.5, 1], inputTextTokenCount: 7 };
    expect(embeddingsToBedrock.target.readReply(titan)).toMatchObject({
      usage: { usage: { input: 7 } },
    });
    expect(answered(titan)).toMatchObject({
      data: [{ object: "embedding", index: 0, embedding: [0.5, 1] }],
      usage: { prompt_tokens: 7 },
    });
    const vectors = [[1], [2]];
    for (const embeddings of [vectors, { float: vectors }]) {
      expect(answered({ embeddings })).toMatchObject({
        data: [{ embedding: [1] }, { embedding: [2] }],
        usage: { prompt_tokens: 3 },
      });
    }
    expect(embeddingsToBedrock.target.readReply({ message: "no" })).toBeUndefined();
  });
});
