import {
  baiduAnswer,
  baiduExpired,
  baiduFunctionCall,
  baiduLimited,
  baiduRefused,
  baiduStream,
  baiduToken,
  baiduVectors,
} from "@tollgate/tests/support/baidu-fixture.ts";
import {
  type AdapterTarget,
  bodyOf,
  callOf,
  chunksIn,
  expectSameAtEveryCut,
  headersOf,
  oddValues,
  playStream,
  question,
  settingsOf,
  writeRequest,
} from "@tollgate/tests/support/provider-adapter.ts";
import { droppedFields, translatedBody } from "@tollgate/tests/support/translate-request.ts";
import { describe, expect, test } from "vitest";
import { baiduChat, baiduEmbeddings } from "../formats/baidu-chat.ts";
import { chatToBaidu } from "../translations/chat-to-baidu.ts";
import { embeddingsToBaidu } from "../translations/embeddings-to-baidu.ts";
import { baidu } from "./baidu.ts";

const settings = settingsOf(15);
const to: AdapterTarget = {
  provider: baidu,
  translation: chatToBaidu,
  settings,
  model: "ERNIE-4.0-8K",
  secret: "24.token&more",
};
const workshop = "https://aip.baidubce.com/rpc/2.0/ai_custom/v1/wenxinworkshop";
const user = (content: unknown) => ({ role: "user", content });

describe("signing in", () => {
  test("exchanges a key of two parts for an access token", () => {
    const request = baidu.tokenExchange?.request("the-id|the-secret", settings, 0);
    expect(String(request?.url)).toBe(
      "https://aip.baidubce.com/oauth/2.0/token?grant_type=client_credentials&client_id=the-id&client_secret=the-secret",
    );
    expect(baidu.tokenExchange?.read(baiduToken, 0)).toEqual({
      secret: "24.access-token-of-baidu",
      livesMs: 2_592_000_000,
    });
    expect(
      baidu.tokenExchange?.read(
        { error: "invalid_client", error_description: "unknown client id" },
        0,
      ),
    ).toBeUndefined();
  });

  test.each(["", "one", "one|", "|two", "one|two|three"])("refuses the key %j in words", (key) => {
    expect(() => baidu.tokenExchange?.request(key, settings, 0)).toThrow("APIKey|SecretKey");
  });
});

test.each([
  ["ERNIE-4.0-8K", "chat/completions_pro", undefined],
  ["ERNIE-Bot-turbo", "chat/eb-instant", undefined],
  ["Yi-34B-Chat", "chat/yi_34b_chat", undefined],
  ["Embedding-V1", undefined, "embeddings/embedding-v1"],
  ["bge-large-zh", undefined, "embeddings/bge_large_zh"],
  ["ERNIE-Speed-128K", "chat/ernie-speed-128k", "embeddings/ernie-speed-128k"],
])("%s is called at %s and %s", (model, chat, embeddings) => {
  const urls = baidu.endpoints(settings, model);
  expect(urls.baidu_chat && String(urls.baidu_chat)).toBe(chat && `${workshop}/${chat}`);
  expect(urls.baidu_embeddings && String(urls.baidu_embeddings)).toBe(
    embeddings && `${workshop}/${embeddings}`,
  );
});

describe("a chat for Baidu", () => {
  test("has the access token in the address alone, and leaves the address of the next call as it was", async () => {
    const request = await writeRequest({}, to);
    expect(String(request.url)).toBe(
      `${workshop}/chat/completions_pro?access_token=24.token%26more`,
    );
    expect(headersOf(request)).toEqual({ "content-type": "application/json" });
    expect(String(baidu.endpoints(settings, to.model).baidu_chat)).not.toContain("token");
  });

  test("has a separate system prompt, and alternating roles", async () => {
    const messages = [
      { role: "system", content: "Be kind." },
      user("first"),
      user([{ type: "text", text: "second" }]),
      { role: "assistant", content: "yes" },
      { role: "developer", content: "Be brief." },
      user("third"),
    ];
    expect(bodyOf(await writeRequest({ messages }, to))).toEqual({
      system: "Be kind.\n\nBe brief.",
      messages: [user("first\n\nsecond"), { role: "assistant", content: "yes" }, user("third")],
    });
  });

  test("calls functions and tells what they gave", async () => {
    const parameters = { type: "object", properties: { city: { type: "string" } } };
    const call = { id: "c1", type: "function", function: { name: "weather", arguments: "{}" } };
    const messages = [
      user("go"),
      { role: "assistant", content: null, tool_calls: [call] },
      { role: "tool", tool_call_id: "c1", content: '{"sun":true}' },
    ];
    const tools = [{ type: "function", function: { name: "weather", parameters } }];
    const tool_choice = { type: "function", function: { name: "weather" } };
    const written = bodyOf(await writeRequest({ messages, tools, tool_choice }, to));
    expect(written).toEqual({
      messages: [
        user("go"),
        { role: "assistant", content: "", function_call: { name: "weather", arguments: "{}" } },
        { role: "function", name: "weather", content: '{"sun":true}' },
      ],
      functions: [{ name: "weather", description: "weather", parameters }],
      tool_choice,
    });
    expect(
      bodyOf(await writeRequest({ tools, tool_choice: "none" }, to)).functions,
    ).toBeUndefined();
  });

  test("asks with limits that Baidu takes", async () => {
    const asked = {
      max_tokens: 9,
      temperature: 0,
      top_p: 0.5,
      stop: "END",
      user: "u",
      response_format: { type: "json_object" },
    };
    expect(bodyOf(await writeRequest(asked, to, { isStream: true }))).toMatchObject({
      max_output_tokens: 9,
      temperature: 0.01,
      top_p: 0.5,
      stop: ["END"],
      user_id: "u",
      response_format: "json_object",
      stream: true,
    });
    expect(bodyOf(await writeRequest({ temperature: 1.7 }, to)).temperature).toBe(1);
  });

  test("takes the channel's prompt in place of the caller's", () => {
    const call = callOf(question, {
      body: Buffer.from(JSON.stringify({ messages: [], system: "Be kind." })),
    });
    expect(JSON.parse(String(baiduChat.writeBody(call, "m", "Be brief.")))).toMatchObject({
      system: "Be brief.",
    });
  });

  test("names what it loses", () => {
    const json = {
      model: "m",
      messages: [user([{ type: "image_url", image_url: {} }])],
      seed: 7,
      n: 2,
      tool_choice: "required",
    };
    expect(droppedFields(chatToBaidu, json, "m")).toEqual([
      "messages.content.image_url",
      "n",
      "seed",
      "tool_choice",
    ]);
  });
});

describe("Baidu's answer", () => {
  test("is whole", () => {
    expect(chatToBaidu.createReplyTranslator(callOf()).translateReply(baiduAnswer)).toMatchObject({
      id: "chatcmpl-as-bcmt5ct4iy",
      object: "chat.completion",
      model: "m",
      choices: [
        { message: { role: "assistant", content: "您好，我是文心一言。" }, finish_reason: "stop" },
      ],
      usage: { prompt_tokens: 7, completion_tokens: 9, total_tokens: 16 },
    });
    expect(baiduChat.readReply(baiduAnswer)).toMatchObject({
      usage: { usage: { input: 7, output: 9 } },
      text: "您好，我是文心一言。",
    });
  });

  test("calls a function", () => {
    expect(
      chatToBaidu.createReplyTranslator(callOf()).translateReply(baiduFunctionCall),
    ).toMatchObject({
      choices: [
        {
          message: {
            content: null,
            tool_calls: [
              {
                id: expect.stringMatching(/^call_\w+$/),
                type: "function",
                function: { name: "weather", arguments: '{"city":"北京"}' },
              },
            ],
          },
          finish_reason: "tool_calls",
        },
      ],
    });
    const event = `data: ${JSON.stringify({ ...baiduFunctionCall, is_end: true })}\n\n`;
    const [, called] = chunksIn(playStream(chatToBaidu, [Buffer.from(event)]).output);
    expect(called?.choices[0]).toMatchObject({
      delta: { tool_calls: [{ index: 0, type: "function", function: { name: "weather" } }] },
      finish_reason: "tool_calls",
    });
  });

  test.each([
    [{ finish_reason: "length" }, "length"],
    [{ is_truncated: true }, "length"],
    [{ finish_reason: "content_filter" }, "content_filter"],
    [{ finish_reason: "stop" }, "stop"],
  ])("with %j ended by %s", (more, finish_reason) => {
    expect(
      chatToBaidu.createReplyTranslator(callOf()).translateReply({ ...baiduAnswer, ...more }),
    ).toMatchObject({
      choices: [{ finish_reason }],
    });
  });

  test("streams the same wherever it is cut, and is believed about its usage at its end", () => {
    const { facts, output } = expectSameAtEveryCut(chatToBaidu, baiduStream);
    expect(facts.map(({ kind, textBytes, isLast }) => [kind, textBytes, isLast])).toEqual([
      ["content", 5, false],
      ["content", 6, false],
      ["other", 0, true],
    ]);
    expect(facts.map(({ usage }) => usage?.usage.output)).toEqual([0, 0, 6]);
    expect(output.endsWith("data: [DONE]\n\n")).toBe(true);
    const chunks = chunksIn(output);
    expect(chunks.map(({ choices }) => [choices[0]?.delta, choices[0]?.finish_reason])).toEqual([
      [{ role: "assistant", content: "" }, null],
      [{ content: "当然可以，" }, null],
      [{ content: "以下是北京。" }, null],
      [{}, "stop"],
      [undefined, undefined],
    ]);
    expect(chunks.at(-1)?.usage).toMatchObject({ prompt_tokens: 5, completion_tokens: 6 });
  });

  test.each([
    [baiduExpired, 401],
    [baiduLimited, 429],
    [baiduRefused, 400],
    [{ error_code: 336100, error_msg: "try again" }, 503],
    [{ error_code: 1, error_msg: "Unknown error" }, 500],
  ])("%j means status %i, alone and inside a stream", (json, status) => {
    const failure = { status, message: json.error_msg, code: json.error_code };
    expect(baiduChat.errorIn?.(json)).toEqual(failure);
    expect(
      baiduChat.createEventReader(callOf())(`data: ${JSON.stringify(json)}\n\n`),
    ).toMatchObject({
      kind: "error",
      error: failure,
    });
    expect(baiduEmbeddings.errorIn?.(json)).toEqual(failure);
  });

  test.each(oddValues)("with %j wherever it can stand is no fault of ours", (odd) => {
    for (const json of [
      { result: odd },
      { ...baiduAnswer, id: odd, usage: odd, is_end: odd, function_call: odd },
      { error_code: odd },
    ]) {
      expect(() => baiduChat.readReply(json)).not.toThrow();
      expect(chatToBaidu.createReplyTranslator(callOf()).translateReply(json)).toBeTypeOf("object");
      expect(
        playStream(chatToBaidu, [Buffer.from(`data: ${JSON.stringify(json)}\n\n`)]).output,
      ).toBeTypeOf("string");
    }
    const message = { role: "assistant", content: odd, tool_calls: odd, tool_call_id: odd };
    expect(
      translatedBody(
        chatToBaidu,
        { messages: [message], tools: odd, tool_choice: odd, stop: odd },
        "m",
      ),
    ).toBeTypeOf("object");
  });
});

describe("embeddings", () => {
  test("are asked for many at once and listed as OpenAI does", () => {
    expect(translatedBody(embeddingsToBaidu, { model: "m", input: "one", user: "u" }, "m")).toEqual(
      {
        input: ["one"],
        user_id: "u",
      },
    );
    expect(baiduEmbeddings.readReply(baiduVectors)).toMatchObject({
      usage: { usage: { input: 12, output: 0 } },
    });
    const call = callOf({ input: ["one", "two"] });
    expect(embeddingsToBaidu.createReplyTranslator(call).translateReply(baiduVectors)).toEqual({
      object: "list",
      model: "m",
      data: [
        { object: "embedding", index: 0, embedding: [0.018314, 0.25] },
        { object: "embedding", index: 1, embedding: [-0.5, 1] },
      ],
      usage: { prompt_tokens: 12, total_tokens: 12 },
    });
    const asBase64 = embeddingsToBaidu
      .createReplyTranslator(callOf({ input: "x", encoding_format: "base64" }))
      .translateReply(baiduVectors);
    expect(asBase64).toMatchObject({
      data: [{}, { embedding: Buffer.from(new Float32Array([-0.5, 1]).buffer).toString("base64") }],
    });
  });
});
