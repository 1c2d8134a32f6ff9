import { describe, expect, test } from "vitest";
import { chatCompletions, readChatEvent } from "./chat-completions.ts";

const event = (data: unknown): string =>
  `data: ${typeof data === "string" ? data : JSON.stringify(data)}\n\n`;

const factsOf = (text: string, wantsUsage = false) => readChatEvent(text, wantsUsage);

test("a deferred answer is refused, because it cannot be billed", { tags: ["S2-07"] }, () => {
  const json = { model: "m", messages: [{ role: "user", content: "hi" }] };
  expect(() => chatCompletions.parseRequest({ ...json, deferred: true }, false)).toThrow(
    /deferred/,
  );
  expect(chatCompletions.parseRequest({ ...json, deferred: false }, false).model).toBe("m");
});

test.each<[unknown, number | undefined]>([
  [{ message: "no", code: 429 }, 429],
  [{ message: "no" }, 502],
  [{ code: 503 }, 503],
  [null, undefined],
  [{}, undefined],
  [{ message: "", code: 0 }, undefined],
])("an answer beside the error %j fails with the status %s", (error, status) => {
  const choices = [{ index: 0, message: { content: "Hm." }, finish_reason: "stop" }];
  expect(chatCompletions.upstream.errorIn?.({ choices, error })?.status).toBe(status);
});

test.each<[unknown, boolean]>([
  [[], false],
  [[{}], false],
  [[null], false],
  [[{ message: null, finish_reason: null }], false],
  [[{ index: 0, finish_reason: "stop" }], false],
  [[{ message: { role: "assistant", content: "", tool_calls: [] } }], false],
  [[{ message: { role: "assistant", content: null }, finish_reason: "stop" }], true],
  [[{ message: { content: "Hm." } }], true],
  [[{ message: { tool_calls: [{ id: "a", function: { name: "look" } }] } }], true],
  [[{ message: { tool_calls: [{ id: "a", custom: { name: "look" } }] } }], true],
  [[{ message: { tool_calls: [{ id: "a", function: { name: "" } }] } }], false],
  [[{ message: { content: "a word", tool_calls: [{ id: "a" }] } }], true],
  [[{}, { message: { refusal: "no" } }], true],
])("a reply with the choices %j is an answer: %s", (choices, isOne) =>
  expect(chatCompletions.upstream.readReply({ choices }) !== undefined).toBe(isOne),
);

describe("an event", () => {
  test.each([
    ["a role alone", { choices: [{ delta: { role: "assistant", content: "" } }] }, "other", 0],
    ["a word", { choices: [{ delta: { content: "word" } }] }, "content", 4],
    ["escaped text", { choices: [{ delta: { content: 'a"\n' } }] }, "content", 3],
    ["reasoning", { choices: [{ delta: { reasoning_content: "hm" } }] }, "content", 2],
    [
      "tool arguments",
      { choices: [{ delta: { tool_calls: [{ function: { arguments: '{"a"' } }] } }] },
      "content",
      4,
    ],
    [
      "a finish reason",
      { choices: [{ delta: {}, finish_reason: "stop" }], usage: null },
      "other",
      0,
    ],
  ])("with %s is read correctly", (_name, data, kind, textBytes) => {
    expect(factsOf(event(data))).toMatchObject({ kind, textBytes });
  });
  test("with usage alone is for clients that asked for it", () => {
    const alone = event({ choices: [], usage: { prompt_tokens: 3 } });
    expect(factsOf(alone)).toMatchObject({
      usage: { usage: { input: 3 } },
      isHidden: true,
      isLast: true,
    });
    expect(factsOf(alone, true)).toMatchObject({ usage: { usage: { input: 3 } }, isHidden: false });
  });
  test("with usage beside content keeps the content", () => {
    const facts = factsOf(
      event({ choices: [{ delta: { content: "ab" } }], usage: { prompt_tokens: 3 } }),
    );
    expect(facts).toMatchObject({
      kind: "content",
      textBytes: 2,
      usage: { usage: { input: 3 } },
      isHidden: false,
    });
  });
  test("with spaces after its colons is read as well", () => {
    const facts = factsOf('data: {"choices": [], "usage": {"prompt_tokens": 3}}\n\n');
    expect(facts).toMatchObject({ usage: { usage: { input: 3 } } });
  });
  test("with a finish reason is the last", () => {
    expect(factsOf(event({ choices: [{ delta: {}, finish_reason: "stop" }] }))).toMatchObject({
      isLast: true,
    });
    expect(
      factsOf(event({ choices: [{ delta: {}, finish_reason: null }] })).isLast,
    ).toBeUndefined();
    const wordAndReason = { choices: [{ delta: { content: "." }, finish_reason: "stop" }] };
    expect(factsOf(event(wordAndReason))).toMatchObject({
      kind: "content",
      textBytes: 1,
      isLast: true,
    });
  });
  test("behind more than one blank is read as well", () => {
    const word = JSON.stringify({ choices: [{ delta: { content: "ab" } }] });
    for (const blanks of ["", " ", "  ", " \t "]) {
      expect(factsOf(`data:${blanks}${word}\n\n`)).toMatchObject({ kind: "content", textBytes: 2 });
    }
  });
  test("with an error is an error, and error: null is none", () => {
    expect(factsOf(event({ error: { message: "no" } }))).toMatchObject({
      kind: "error",
      error: { message: "no" },
    });
    expect(factsOf(event({ error: null, choices: [{ delta: { content: "a" } }] }))).toMatchObject({
      kind: "content",
    });
  });
  test.each(["[DONE]", " [DONE]"])("%j ends the stream", (data) => {
    expect(factsOf(event(data)).kind).toBe("done");
  });
  test.each([":\n\n", "data:\n\n", "data: \n\n", "event: x\n\n"])("%j has no content", (text) => {
    expect(factsOf(text).kind).toBe("other");
  });
  test.each([
    'data: {"usage":{ broken\n\n',
    'data: {"usage":{ broken}\n\n',
    "data: \0\n\n",
    "data: <html>\n\n",
    "data: not[DONE]\n\n",
  ])("%j is malformed", (text) => {
    expect(factsOf(text).kind).toBe("malformed");
  });
});

test("the usage that a provider puts into the choice that ends is counted", () => {
  const usage = { prompt_tokens: 777, completion_tokens: 9, total_tokens: 786 };
  const choices = [{ index: 0, delta: {}, finish_reason: "stop", usage }];
  const facts = readChatEvent(`data: ${JSON.stringify({ id: "c", choices })}\n\n`, true);
  expect(facts).toMatchObject({ isLast: true, usage: { usage: { input: 777, output: 9 } } });
});
