import { createHash, createHmac } from "node:crypto";
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
import {
  tencentAnswer,
  tencentBrokenStream,
  tencentFailed,
  tencentStream,
  tencentToolCall,
  tencentToolStream,
  tencentVectors,
} from "@tollgate/tests/support/tencent-fixture.ts";
import { droppedFields, translatedBody } from "@tollgate/tests/support/translate-request.ts";
import { describe, expect, test } from "vitest";
import { tencentChat, tencentEmbeddings } from "../formats/tencent-chat.ts";
import { chatToTencent } from "../translations/chat-to-tencent.ts";
import { embeddingsToTencent } from "../translations/embeddings-to-tencent.ts";
import { tencent } from "./tencent.ts";
import { readTencentAuthorization } from "./tencent-signature.ts";

const to: AdapterTarget = {
  provider: tencent,
  translation: chatToTencent,
  settings: settingsOf(23),
  model: "hunyuan-turbo",
  secret: "1250000000|the-id|the-key",
  now: 1_718_955_357_900,
};
const user = (Content: string) => ({ Role: "user", Content });

describe("the signature", () => {
  // The worked example of Tencent's page "Signature v3"; the id is not part of what is signed.
  test("is that of Tencent's own example", () => {
    const signed = {
      secretId: "an-id",
      secretKey: "Gu5t9xGARNpq86cd98joQYCN3EXAMPLE",
      service: "cvm",
      host: "cvm.tencentcloudapi.com",
      contentType: "application/json; charset=utf-8",
      body: '{"Limit": 1, "Filters": [{"Values": ["\\u672a\\u547d\\u540d"], "Name": "instance-name"}]}',
      timestamp: 1_551_113_065,
    };
    expect(readTencentAuthorization(signed)).toBe(
      "TC3-HMAC-SHA256 Credential=an-id/2019-02-25/cvm/tc3_request, SignedHeaders=content-type;host, " +
        "Signature=72e494ea809ad7a8c8f7a4507b9bddcbaa8e581f516e8da2f66e2c5a96525168",
    );
  });

  test("is of the host, the type and the bytes that are sent", async () => {
    const request = await writeRequest({}, to);
    expect(String(request.url)).toBe("https://hunyuan.tencentcloudapi.com/");
    const headers = headersOf(request);
    expect(headers).toMatchObject({
      "x-tc-action": "ChatCompletions",
      "x-tc-version": "2023-09-01",
      "x-tc-timestamp": "1718955357",
    });
    const hash = (bytes: Buffer | string) => createHash("sha256").update(bytes).digest("hex");
    const hmac = (key: Buffer | string, bytes: string) =>
      createHmac("sha256", key).update(bytes).digest();
    const stated = [
      "POST",
      "/",
      "",
      "content-type:application/json",
      "host:hunyuan.tencentcloudapi.com",
      "",
      "content-type;host",
      hash(request.body),
    ].join("\n");
    const key = ["2024-06-21", "hunyuan", "tc3_request"].reduce(hmac, Buffer.from("TC3the-key"));
    const scope = "2024-06-21/hunyuan/tc3_request";
    const signature = hmac(key, `TC3-HMAC-SHA256\n1718955357\n${scope}\n${hash(stated)}`).toString(
      "hex",
    );
    expect(headers.authorization).toContain(`Credential=the-id/${scope}`);
    expect(headers.authorization).toContain(`Signature=${signature}`);
  });

  test.each(["", "one", "id|key", "app|id|", "app|id|key|more"])(
    "is not made with the key %j",
    async (secret) => {
      await expect(writeRequest({}, { ...to, secret })).rejects.toThrow("AppId|SecretId|SecretKey");
    },
  );
});

describe("a chat for Tencent", () => {
  test("has its system prompt in front, and alternating roles", async () => {
    const messages = [
      { role: "user", content: "first" },
      { role: "system", content: "Be kind." },
      { role: "user", content: "second" },
      { role: "assistant", content: "yes" },
      { role: "user", content: "third" },
    ];
    expect(
      bodyOf(
        await writeRequest({ messages, seed: 7, stop: "END", temperature: 0.2, top_p: 0.5 }, to),
      ),
    ).toEqual({
      Model: "hunyuan-turbo",
      Stream: false,
      Messages: [
        { Role: "system", Content: "Be kind." },
        user("first\n\nsecond"),
        { Role: "assistant", Content: "yes" },
        user("third"),
      ],
      Seed: 7,
      Stop: ["END"],
      Temperature: 0.2,
      TopP: 0.5,
    });
  });

  test("carries images, joined to the text around them", async () => {
    const picture = { type: "image_url", image_url: { url: "https://pictures.example/a.png" } };
    const messages = [
      { role: "user", content: "look" },
      { role: "user", content: [{ type: "text", text: "at this" }, picture] },
    ];
    const text = (Text: string) => ({ Type: "text", Text });
    expect(bodyOf(await writeRequest({ messages }, to)).Messages).toEqual([
      {
        Role: "user",
        Contents: [
          text("look"),
          text("at this"),
          { Type: "image_url", ImageUrl: { Url: "https://pictures.example/a.png" } },
        ],
      },
    ]);
  });

  test("offers tools, calls them and tells what they gave", async () => {
    const call = (id: string) => ({
      id,
      type: "function",
      function: { name: "weather", arguments: "{}" },
    });
    const messages = [
      { role: "user", content: "go" },
      { role: "assistant", content: null, tool_calls: [call("c1"), call("c2")] },
      { role: "tool", tool_call_id: "c1", content: "sun" },
      { role: "tool", tool_call_id: "c2", content: "rain" },
    ];
    const tools = [
      {
        type: "function",
        function: { name: "weather", description: "d", parameters: { type: "object" } },
      },
    ];
    const named = { type: "function", function: { name: "weather" } };
    const tool = {
      Type: "function",
      Function: { Name: "weather", Description: "d", Parameters: '{"type":"object"}' },
    };
    const ToolCalls = ["c1", "c2"].map((Id) => ({
      Id,
      Type: "function",
      Function: { Name: "weather", Arguments: "{}" },
    }));
    expect(bodyOf(await writeRequest({ messages, tools, tool_choice: named }, to))).toMatchObject({
      Messages: [
        user("go"),
        { Role: "assistant", Content: "", ToolCalls },
        { Role: "tool", Content: "sun", ToolCallId: "c1" },
        { Role: "tool", Content: "rain", ToolCallId: "c2" },
      ],
      Tools: [tool],
      ToolChoice: "custom",
      CustomTool: tool,
    });
    expect(bodyOf(await writeRequest({ tools, tool_choice: "none" }, to)).ToolChoice).toBe("none");
    expect(
      bodyOf(await writeRequest({ tools, tool_choice: "required" }, to)).ToolChoice,
    ).toBeUndefined();
  });

  test("takes the channel's prompt in place of the caller's", () => {
    const prompted = (Messages: object[]) => {
      const call = callOf(question, { body: Buffer.from(JSON.stringify({ Messages })) });
      return JSON.parse(String(tencentChat.writeBody(call, "m", "Be brief."))).Messages;
    };
    const system = { Role: "system", Content: "Be brief." };
    expect(prompted([user("hi")])).toEqual([system, user("hi")]);
    expect(prompted([{ Role: "system", Content: "Be kind." }, user("hi")])).toEqual([
      system,
      user("hi"),
    ]);
  });

  test("names what it loses", () => {
    const json = {
      ...question,
      max_tokens: 9,
      n: 1,
      response_format: { type: "json_object" },
      parallel_tool_calls: false,
    };
    expect(droppedFields(chatToTencent, json, "m")).toEqual([
      "max_tokens",
      "parallel_tool_calls",
      "response_format",
    ]);
  });
});

describe("Tencent's answer", () => {
  test("is whole, with what it used", () => {
    expect(
      chatToTencent.createReplyTranslator(callOf()).translateReply(tencentAnswer),
    ).toMatchObject({
      choices: [
        { message: { role: "assistant", content: "你好，我是混元。" }, finish_reason: "stop" },
      ],
      usage: { prompt_tokens: 4, completion_tokens: 8, total_tokens: 12 },
    });
    expect(tencentChat.readReply(tencentAnswer)).toMatchObject({
      usage: { usage: { input: 4, output: 8 } },
    });
  });

  test("calls tools, whole and in pieces whose name comes once", () => {
    const id = "call_cq1";
    expect(
      chatToTencent.createReplyTranslator(callOf()).translateReply(tencentToolCall),
    ).toMatchObject({
      choices: [
        {
          message: {
            tool_calls: [
              {
                id,
                type: "function",
                function: { name: "weather", arguments: '{"city":"Shenzhen"}' },
              },
            ],
          },
          finish_reason: "tool_calls",
        },
      ],
    });
    const chunks = chunksIn(expectSameAtEveryCut(chatToTencent, tencentToolStream).output);
    expect(
      chunks
        .map(({ choices }) => choices[0]?.delta.tool_calls)
        .filter((calls) => calls !== undefined),
    ).toEqual([
      [{ index: 0, id, type: "function", function: { name: "weather", arguments: '{"city":' } }],
      [{ index: 0, function: { arguments: '"Shenzhen"}' } }],
    ]);
    expect(chunks.at(-2)?.choices[0]?.finish_reason).toBe("tool_calls");
  });

  test("streams the same wherever it is cut", () => {
    const { facts, output } = expectSameAtEveryCut(chatToTencent, tencentStream);
    expect(facts.map(({ kind, isLast }) => [kind, isLast])).toEqual([
      ["other", false],
      ["content", false],
      ["content", false],
      ["other", true],
    ]);
    expect(facts.at(-1)?.usage?.usage).toMatchObject({ input: 4, output: 4 });
    const chunks = chunksIn(output);
    expect(chunks.map(({ choices }) => choices[0]?.delta.content ?? "").join("")).toBe(
      "你好，世界",
    );
    expect(chunks.at(-1)?.usage).toMatchObject({ prompt_tokens: 4, completion_tokens: 4 });
  });

  test.each([
    ["AuthFailure.SignatureFailure", 401],
    ["UnauthorizedOperation", 403],
    ["RequestLimitExceeded", 429],
    ["LimitExceeded", 429],
    ["FailedOperation.EngineServerLimitExceeded", 429],
    ["FailedOperation.ServiceStopArrears", 403],
    ["FailedOperation.EngineServerError", 500],
    ["InvalidParameterValue.Model", 400],
    ["InternalError", 500],
  ])("%s means status %i", (code, status) => {
    expect(tencentChat.errorIn?.(tencentFailed(code, "told"))).toEqual({
      status,
      message: "told",
      code,
    });
    expect(tencentChat.errorIn?.(tencentAnswer)).toBeUndefined();
  });

  test("that fails inside its stream says so", () => {
    const { facts } = expectSameAtEveryCut(chatToTencent, tencentBrokenStream);
    expect(facts.at(-1)).toMatchObject({
      kind: "error",
      error: { message: "model timeout", code: 4001 },
    });
  });

  test.each(oddValues)("with %j wherever it can stand is no fault of ours", (odd) => {
    for (const json of [
      { Response: odd },
      { Response: { Choices: odd, Error: odd, ErrorMsg: odd } },
      { Choices: [{ Delta: odd, FinishReason: odd }], Usage: odd, Id: odd },
      {
        Choices: [
          {
            Delta: {
              Content: odd,
              ReasoningContent: odd,
              ToolCalls: [{ Id: odd, Index: odd, Function: odd }],
            },
          },
        ],
      },
    ]) {
      expect(() => tencentChat.readReply(json)).not.toThrow();
      expect(chatToTencent.createReplyTranslator(callOf()).translateReply(json)).toBeTypeOf(
        "object",
      );
      expect(
        playStream(chatToTencent, [Buffer.from(`data: ${JSON.stringify(json)}\n\n`)]).output,
      ).toBeTypeOf("string");
    }
    const message = { role: "assistant", content: odd, tool_calls: odd, tool_call_id: odd };
    expect(
      translatedBody(
        chatToTencent,
        { messages: [message, message], tools: odd, tool_choice: odd },
        "m",
      ),
    ).toBeTypeOf("object");
  });
});

test("embeddings are asked for at once and listed as OpenAI does", async () => {
  expect(translatedBody(embeddingsToTencent, { model: "m", input: ["one", "two"] }, "m")).toEqual({
    InputList: ["one", "two"],
  });
  expect(
    headersOf(await writeRequest({}, { ...to, translation: embeddingsToTencent }))["x-tc-action"],
  ).toBe("GetEmbedding");
  expect(tencentEmbeddings.readReply(tencentVectors)).toMatchObject({
    usage: { usage: { input: 6, output: 0 } },
  });
  expect(
    embeddingsToTencent.createReplyTranslator(callOf()).translateReply(tencentVectors),
  ).toMatchObject({
    data: [{ embedding: [0.25, -0.5] }, { embedding: [1, 0] }],
    usage: { prompt_tokens: 6, total_tokens: 6 },
  });
  expect(
    droppedFields(embeddingsToTencent, { model: "m", input: "x", dimensions: 3 }, "m"),
  ).toEqual(["dimensions"]);
});
