import { createVerify, generateKeyPairSync } from "node:crypto";
import {
  cozeCardStream,
  cozeCutStream,
  cozeFailedStream,
  cozeStream,
  cozeToken,
  cozeUnauthorized,
} from "@tollgate/tests/support/coze-fixture.ts";
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
import { collectEvents, cozeChat } from "../formats/coze-chat.ts";
import { buildChargedUsage } from "../formats/usage/reported-usage.ts";
import { chatToCoze } from "../translations/chat-to-coze.ts";
import type { JsonRecord } from "../wire/json-parts.ts";
import { coze } from "./coze.ts";

const to: AdapterTarget = {
  provider: coze,
  translation: chatToCoze,
  settings: settingsOf(34, undefined, { user_id: "the-operator" }),
  model: "bot-7379462189365198898",
  secret: "pat_secret",
};
const asJson = (body: Buffer): JsonRecord => JSON.parse(body.toString("utf8")) as JsonRecord;
const collected = (stream: string): JsonRecord => asJson(collectEvents(Buffer.from(stream)));

describe("a chat for Coze", () => {
  test("names the bot, its user and the author of each message", async () => {
    const messages = [
      { role: "system", content: "Be kind." },
      { role: "user", content: [{ type: "text", text: "first" }] },
      { role: "assistant", content: "yes" },
      { role: "user", content: "second" },
    ];
    const request = await writeRequest({ messages }, to);
    expect(String(request.url)).toBe("https://api.coze.com/v3/chat");
    expect(headersOf(request).authorization).toBe("Bearer pat_secret");
    const asked = (content: string) => ({
      role: "user",
      type: "question",
      content_type: "text",
      content,
    });
    expect(bodyOf(request)).toEqual({
      bot_id: "7379462189365198898",
      user_id: "the-operator",
      stream: true,
      auto_save_history: false,
      additional_messages: [
        asked("Be kind."),
        asked("first"),
        { role: "assistant", type: "answer", content_type: "text", content: "yes" },
        asked("second"),
      ],
    });
  });

  test.each([
    [{ user: "the-caller" }, { user_id: "the-operator" }, "the-caller"],
    [{ user: "" }, { user_id: "the-operator" }, "the-operator"],
    [{}, {}, "tollgate"],
  ])("%j with the channel's %j is by the user %s", async (json, config, user_id) => {
    const settings = settingsOf(34, undefined, config);
    expect(bodyOf(await writeRequest(json, { ...to, settings })).user_id).toBe(user_id);
  });

  test("puts the channel's prompt in front", () => {
    const call = callOf(question, {
      body: Buffer.from(JSON.stringify({ additional_messages: [{ content: "hi" }] })),
    });
    expect(asJson(cozeChat.writeBody(call, "m", "Be brief."))).toMatchObject({
      additional_messages: [{ role: "user", content: "Be brief." }, { content: "hi" }],
    });
  });

  test("collects a stream for a caller who wants it whole, and for no other", async () => {
    expect((await writeRequest({}, to)).readPoll).toBeTypeOf("function");
    expect((await writeRequest({}, to, { isStream: true })).readPoll).toBeUndefined();
  });

  test("names what it loses", () => {
    const json = {
      ...question,
      user: "u",
      temperature: 1,
      max_tokens: 9,
      tools: [{ type: "function" }],
    };
    expect(droppedFields(chatToCoze, json, "m")).toEqual(["max_tokens", "temperature", "tools"]);
  });
});

describe("Coze's answer", () => {
  test("streams the same wherever it is cut, without what the bot says to itself", () => {
    const { facts, output } = expectSameAtEveryCut(chatToCoze, cozeStream);
    expect(
      facts.filter(({ kind }) => kind === "content").map(({ textBytes }) => textBytes),
    ).toEqual([11, 3, 4]);
    expect(facts.slice(-2)).toMatchObject([
      { isLast: true, usage: { usage: { input: 6114, output: 19 } } },
      { kind: "done" },
    ]);
    const chunks = chunksIn(output);
    expect(chunks.map(({ choices }) => [choices[0]?.delta, choices[0]?.finish_reason])).toEqual([
      [{ role: "assistant", content: "" }, null],
      [{ reasoning_content: "Let me see." }, null],
      [{ content: "星期六" }, null],
      [{ content: "是晴天。" }, null],
      [{}, "stop"],
      [undefined, undefined],
    ]);
    expect(new Set(chunks.map(({ id }) => id))).toEqual(new Set(["chatcmpl-7382159487131697202"]));
    expect(chunks.at(-1)?.usage).toMatchObject({ prompt_tokens: 6114, completion_tokens: 19 });
  });

  test("is put together whole from its stream, and the same", () => {
    const json = collected(cozeStream);
    expect(chatToCoze.createReplyTranslator(callOf()).translateReply(json)).toMatchObject({
      id: "chatcmpl-7382159487131697202",
      choices: [
        {
          message: { content: "星期六是晴天。", reasoning_content: "Let me see." },
          finish_reason: "stop",
        },
      ],
      usage: { prompt_tokens: 6114, completion_tokens: 19, total_tokens: 6133 },
    });
    expect(cozeChat.readReply(json)?.usage).toEqual(
      playStream(chatToCoze, [Buffer.from(cozeStream)]).facts.at(-2)?.usage,
    );
    expect(cozeChat.errorIn?.(json)).toBeUndefined();
  });

  test("is charged as Coze counts it, although the bot's own prompt was never seen", () => {
    const usage = cozeChat.readReply(collected(cozeStream))?.usage;
    const estimate = { input: 8, cache_read: 0, cache_write_5m: 0, cache_write_1h: 0, output: 10 };
    expect(buildChargedUsage(usage, estimate)).toMatchObject({
      usage: { input: 6114, output: 19 },
      marks: [],
    });
  });

  test("shows a card, which comes as a whole alone", () => {
    const content = '{"card":1}';
    expect(
      chatToCoze.createReplyTranslator(callOf()).translateReply(collected(cozeCardStream)),
    ).toMatchObject({
      choices: [{ message: { content } }],
    });
    expect(
      chunksIn(expectSameAtEveryCut(chatToCoze, cozeCardStream).output)[1]?.choices[0]?.delta,
    ).toEqual({
      content,
    });
  });

  test("that was cut is none", () => {
    expect(cozeChat.readReply(collected(cozeCutStream))).toBeUndefined();
    expect(collectEvents(Buffer.from("")).toString()).toBe('{"events":[]}');
  });

  test("that failed says so, in a stream, collected, and in place of a stream", () => {
    const failure = { status: 500, message: "event interval error", code: 5000 };
    expect(expectSameAtEveryCut(chatToCoze, cozeFailedStream).facts.at(-1)).toMatchObject({
      kind: "error",
      error: failure,
    });
    expect(cozeChat.errorIn?.(collected(cozeFailedStream))).toEqual(failure);
    const refused = { status: 401, message: "authentication is invalid", code: 4100 };
    expect(cozeChat.errorIn?.(collected(JSON.stringify(cozeUnauthorized)))).toEqual(refused);
    expect(cozeChat.createEventReader(callOf())("event:error\ndata:{}\n\n")).toMatchObject({
      kind: "error",
      error: { message: "no reason given" },
    });
    expect(
      cozeChat.createEventReader(callOf())("event: conversation.chat.requires_action\ndata: {}\n\n")
        .kind,
    ).toBe("error");
  });

  test.each(oddValues)("with %j wherever it can stand is no fault of ours", (odd) => {
    for (const json of [
      { events: odd },
      { events: [{ event: odd, data: odd }] },
      { code: odd, msg: odd },
    ]) {
      expect(() => [cozeChat.readReply(json), cozeChat.errorIn?.(json)]).not.toThrow();
      expect(chatToCoze.createReplyTranslator(callOf()).translateReply(json)).toBeTypeOf("object");
    }
    for (const name of [
      "conversation.message.delta",
      "conversation.chat.completed",
      "conversation.chat.failed",
      "error",
    ]) {
      for (const data of [
        odd,
        { type: "answer", id: odd, content: odd, usage: odd, last_error: odd },
      ]) {
        const event = Buffer.from(`event:${name}\ndata:${JSON.stringify(data)}\n\n`);
        expect(playStream(chatToCoze, [event]).output).toBeTypeOf("string");
        expect(() => collectEvents(event)).not.toThrow();
      }
    }
    expect(translatedBody(chatToCoze, { messages: odd, user: odd }, "m")).toBeTypeOf("object");
  });
});

describe("an OAuth app", () => {
  const { privateKey, publicKey } = generateKeyPairSync("rsa", { modulusLength: 2048 });
  const app = {
    client_type: "jwt",
    client_id: "1121322213",
    coze_www_base: "https://www.coze.cn",
    coze_api_base: "https://api.coze.cn/",
    public_key_id: "the-public-key-id",
    private_key: privateKey.export({ type: "pkcs8", format: "pem" }),
  };
  const settings = settingsOf(34, undefined, { auth_type: "oauth_jwt" });
  const now = 1_795_219_200_000;

  test("signs in where its channel says that the key is one", () => {
    expect(coze.tokenExchange?.isUsedBy?.(settings)).toBe(true);
    expect(
      coze.tokenExchange?.isUsedBy?.(
        settingsOf(34, undefined, { auth_type: "personal_access_token" }),
      ),
    ).toBe(false);
    expect(coze.tokenExchange?.isUsedBy?.(settingsOf(34))).toBe(false);
  });

  test("proves itself by a signed claim for the host that is asked", () => {
    const request = coze.tokenExchange?.request(JSON.stringify(app), settings, now);
    expect(String(request?.url)).toBe("https://api.coze.cn/api/permission/oauth2/token");
    expect(request && bodyOf(request)).toEqual({
      grant_type: "urn:ietf:params:oauth:grant-type:jwt-bearer",
      duration_seconds: 3600,
    });
    const [header = "", claim = "", signature = ""] =
      (request && headersOf(request).authorization?.replace("Bearer ", "").split(".")) ?? [];
    const opened = (part: string) =>
      JSON.parse(Buffer.from(part, "base64url").toString()) as JsonRecord;
    expect(opened(header)).toEqual({ alg: "RS256", typ: "JWT", kid: "the-public-key-id" });
    expect(opened(claim)).toMatchObject({
      iss: "1121322213",
      aud: "api.coze.cn",
      iat: now / 1000,
      exp: now / 1000 + 600,
    });
    expect(
      createVerify("RSA-SHA256")
        .update(`${header}.${claim}`)
        .verify(publicKey, signature, "base64url"),
    ).toBe(true);
  });

  test("gets a token until a moment, or for a while", () => {
    expect(coze.tokenExchange?.read(cozeToken, now)).toEqual({
      secret: "czs_access-token-of-coze",
      livesMs: 3_600_000,
    });
    expect(coze.tokenExchange?.read({ ...cozeToken, expires_in: 900 }, now)?.livesMs).toBe(900_000);
    expect(
      coze.tokenExchange?.read({ error_code: "invalid_request", error_message: "bad" }, now),
    ).toBeUndefined();
  });

  test.each([
    ["", "the JSON that Coze gives"],
    ["pat_secret", "the JSON that Coze gives"],
    [JSON.stringify({ ...app, client_id: "" }), "the JSON that Coze gives"],
    [JSON.stringify({ ...app, private_key: "none" }), "private_key"],
    [JSON.stringify({ ...app, coze_api_base: "nowhere" }), "coze_api_base"],
  ])("with a key that cannot be used is refused in words", (key, words) => {
    expect(() => coze.tokenExchange?.request(key, settings, now)).toThrow(words);
  });
});
