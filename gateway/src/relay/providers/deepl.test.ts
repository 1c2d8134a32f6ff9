// Replies are modelled on DeepL's reference of `/v2/translate`
// (developers.deepl.com/api-reference/translate), not captured.

import {
  type AdapterTarget,
  bodyOf,
  callOf,
  chunksIn,
  headersOf,
  oddValues,
  playStream,
  question,
  settingsOf,
  writeRequest,
} from "@tollgate/tests/support/provider-adapter.ts";
import { droppedFields, translatedBody } from "@tollgate/tests/support/translate-request.ts";
import { describe, expect, test } from "vitest";
import { deeplTranslation } from "../formats/deepl-translation.ts";
import { wholeReply } from "../formats/reply-facts.ts";
import { chatToDeepl } from "../translations/chat-to-deepl.ts";
import { deepl } from "./deepl.ts";

const to: AdapterTarget = {
  provider: deepl,
  translation: chatToDeepl,
  settings: settingsOf(38),
  model: "deepl-de",
  secret: "279a2e9d-83b3-c416-7e2d-f721593e42a0:fx",
};
const answer = { translations: [{ detected_source_language: "EN", text: "Hallo, Welt!" }] };

describe("a text for DeepL", () => {
  test("is the user's last message", async () => {
    const messages = [
      { role: "system", content: "Be kind." },
      { role: "user", content: "first" },
      { role: "assistant", content: "yes" },
      { role: "user", content: [{ type: "text", text: "Hello, world!" }] },
    ];
    const request = await writeRequest({ messages }, to);
    expect(bodyOf(request)).toEqual({ text: ["Hello, world!"], target_lang: "DE" });
    expect(headersOf(request).authorization).toBe(
      "DeepL-Auth-Key 279a2e9d-83b3-c416-7e2d-f721593e42a0:fx",
    );
  });

  test.each([
    ["deepl-zh", "ZH"],
    ["deepl-ZH-HANS", "ZH-HANS"],
    ["deepl-es-419", "ES-419"],
    ["pt-br", "PT-BR"],
    ["FR", "FR"],
  ])("for %s is wanted in %s", async (model, target_lang) => {
    expect(bodyOf(await writeRequest({}, { ...to, model })).target_lang).toBe(target_lang);
  });

  test.each(["deepl", "deepl-", "gpt-4o-mini", "deepl-de-de-de", ""])(
    "cannot be had from a model called %j",
    (model) => {
      expect(deepl.endpoints(settingsOf(38), model)).toEqual({});
    },
  );

  test.each([
    [undefined, "key:fx", "https://api-free.deepl.com/v2/translate"],
    [undefined, "key", "https://api.deepl.com/v2/translate"],
    ["https://api.deepl.com", "key:fx", "https://api-free.deepl.com/v2/translate"],
    ["https://mirror.example/deepl/", "key", "https://mirror.example/deepl/v2/translate"],
  ])("at %s with the key %s goes to %s", async (base, secret, url) => {
    expect(
      String((await writeRequest({}, { ...to, settings: settingsOf(38, base), secret })).url),
    ).toBe(url);
  });

  test("names what it loses", () => {
    expect(droppedFields(chatToDeepl, { ...question, temperature: 1, max_tokens: 9 }, "m")).toEqual(
      ["max_tokens", "temperature"],
    );
  });
});

describe("DeepL's answer", () => {
  test("is whole or one event, with the estimate that is charged", () => {
    const usage = { prompt_tokens: callOf().promptEstimate, completion_tokens: 3 };
    expect(chatToDeepl.createReplyTranslator(callOf()).translateReply(answer)).toMatchObject({
      choices: [{ message: { role: "assistant", content: "Hallo, Welt!" }, finish_reason: "stop" }],
      usage,
    });
    expect(deeplTranslation.replies).toBe(wholeReply);
    expect(deeplTranslation.readReply(answer)).toEqual({ usage: undefined, text: "Hallo, Welt!" });
    const chunks = chunksIn(
      playStream(chatToDeepl, [Buffer.from(`data: ${JSON.stringify(answer)}\n\n`)]).output,
    );
    expect(chunks[1]?.choices[0]).toMatchObject({
      delta: { content: "Hallo, Welt!" },
      finish_reason: "stop",
    });
    expect(chunks.at(-1)?.usage).toMatchObject(usage);
  });

  test.each(oddValues)("with %j wherever it can stand is no fault of ours", (odd) => {
    for (const json of [{ translations: odd }, { translations: [{ text: odd }] }]) {
      expect(() => deeplTranslation.readReply(json)).not.toThrow();
      expect(chatToDeepl.createReplyTranslator(callOf()).translateReply(json)).toBeTypeOf("object");
    }
    expect(translatedBody(chatToDeepl, { messages: odd }, "deepl-de")).toBeTypeOf("object");
    expect(
      translatedBody(chatToDeepl, { messages: [{ role: "user", content: odd }] }, "deepl-de"),
    ).toBeTypeOf("object");
  });
});
