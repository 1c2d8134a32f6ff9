// Replies are modelled on public programs that called `/api/library/ask` (2023), not captured; the
// provider's own reference is offline.

import {
  type AdapterTarget,
  bodyOf,
  callOf,
  headersOf,
  oddValues,
  question,
  settingsOf,
  writeRequest,
} from "@tollgate/tests/support/provider-adapter.ts";
import { droppedFields, translatedBody } from "@tollgate/tests/support/translate-request.ts";
import { expect, test } from "vitest";
import { aiProxyAnswer } from "../formats/ai-proxy-answer.ts";
import { chatToAiProxy } from "../translations/chat-to-ai-proxy.ts";
import { aiProxyLibrary } from "./ai-proxy-library.ts";

const to: AdapterTarget = {
  provider: aiProxyLibrary,
  translation: chatToAiProxy,
  settings: settingsOf(21, undefined, { library_id: "11242" }),
  model: "gpt-3.5-turbo",
  secret: "key",
};
const answer = {
  success: true,
  errorCode: 0,
  answer: "See [1].",
  documents: [{ title: "t", url: "u" }],
  totalElapsedMs: 9,
};

test("a question is the user's last message, to the channel's library", async () => {
  const request = await writeRequest(
    { messages: [...question.messages, { role: "user", content: "and?" }] },
    to,
  );
  expect(String(request.url)).toBe("https://api.aiproxy.io/api/library/ask");
  expect(headersOf(request).authorization).toBe("Bearer key");
  expect(bodyOf(request)).toEqual({
    model: "gpt-3.5-turbo",
    query: "and?",
    stream: false,
    libraryId: "11242",
  });
});

test("the library may stand in `other`, as it once did, and must stand somewhere", async () => {
  expect(
    bodyOf(await writeRequest({}, { ...to, settings: settingsOf(21, undefined, {}, " 7 ") }))
      .libraryId,
  ).toBe("7");
  expect(aiProxyLibrary.endpoints(settingsOf(21), "m")).toEqual({});
});

test("a reply is read whole, and an error in it is recognised", () => {
  expect(chatToAiProxy.createReplyTranslator(callOf()).translateReply(answer)).toMatchObject({
    choices: [{ message: { content: "See [1]." }, finish_reason: "stop" }],
    usage: { prompt_tokens: callOf().promptEstimate, completion_tokens: 2 },
  });
  expect(aiProxyAnswer.errorIn?.(answer)).toBeUndefined();
  expect(
    aiProxyAnswer.errorIn?.({ success: false, errorCode: 100, message: "no such library" }),
  ).toEqual({
    status: 502,
    message: "no such library",
    code: 100,
  });
  expect(droppedFields(chatToAiProxy, { ...question, temperature: 1 }, "m")).toEqual([
    "temperature",
  ]);
});

test.each(oddValues)("%j wherever it can stand is no fault of ours", (odd) => {
  const json = { success: odd, errorCode: odd, message: odd, answer: odd };
  expect(() => [
    aiProxyAnswer.readReply(json),
    aiProxyAnswer.errorIn?.({ ...json, success: false }),
  ]).not.toThrow();
  expect(translatedBody(chatToAiProxy, { messages: odd }, "m")).toBeTypeOf("object");
});
