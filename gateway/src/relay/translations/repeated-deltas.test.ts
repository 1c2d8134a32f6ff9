import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { RelayCall } from "../formats/api-format.ts";
import { chatCompletions } from "../formats/chat-completions.ts";
import { responses } from "../formats/responses.ts";
import { buildEventJson } from "../wire/event-text.ts";
import type { JsonRecord } from "../wire/json-parts.ts";
import { messagesToChat } from "./messages-to-chat.ts";
import { RepeatedDeltas } from "./repeated-deltas.ts";
import { responsesToChat } from "./responses-to-chat.ts";

const chunk = (delta: JsonRecord, more: JsonRecord = {}, choiceMore: JsonRecord = {}): string =>
  `data: ${JSON.stringify({ id: "chatcmpl-1", model: "m", choices: [{ index: 0, delta, finish_reason: null, ...choiceMore }], ...more })}\n\n`;
const contentChunk = (content: string): string => chunk({ content });

function after(...events: string[]): RepeatedDeltas {
  const repeated = new RepeatedDeltas();
  for (const event of events) repeated.learn(event, buildEventJson(event));
  return repeated;
}

describe("an event that repeats the previous one with other text", () => {
  test("is recognized by its text", () => {
    const repeated = after(contentChunk("Hello"));
    expect(repeated.in(contentChunk(" world"))).toBe(" world");
    expect(repeated.in(contentChunk("你好 🎈"))).toBe("你好 🎈");
  });

  test.each([
    ["escapes", contentChunk('"quoted"\n')],
    ["no words", contentChunk("")],
    ["a reason to stop", chunk({ content: "x" }, {}, { finish_reason: "stop" })],
    ["usage", chunk({ content: "x" }, { usage: { prompt_tokens: 1, completion_tokens: 1 } })],
    ["a role besides", chunk({ role: "assistant", content: "x" })],
    ["another id", contentChunk("x").replace("chatcmpl-1", "chatcmpl-2")],
    ["the end", "data: [DONE]\n\n"],
  ])("with %s it must be parsed", (_, event) => {
    expect(after(contentChunk("Hello")).in(event)).toBeUndefined();
  });

  test.each([
    ["nothing", []],
    [
      "a tool call",
      [
        contentChunk("Hello"),
        chunk({ tool_calls: [{ index: 0, id: "c", function: { name: "f" } }] }),
      ],
    ],
    ["two answers at once", [`data: {"choices":[{"delta":{"content":"Hello"}},{"delta":{}}]}\n\n`]],
    ["words that stand twice", [chunk({ content: "m" })]],
    [
      "words that are written in escapes",
      [`data: {"id":"w","choices":[{"delta":{"content":"\\u0077"}}]}\n\n`],
    ],
    ["words with a reason to stop", [chunk({ content: "Hello" }, {}, { finish_reason: "stop" })]],
  ])("after %s no event is one", (_, events) => {
    expect(after(...events).in(contentChunk("Hello"))).toBeUndefined();
  });

  test("holds the same content except the text", () => {
    const word = fc.oneof(
      fc.string({ minLength: 1 }),
      fc.string({ unit: "binary-ascii", minLength: 1 }),
      fc.constant("m"),
    );
    fc.assert(
      fc.property(word, word, (first, second) => {
        const words = after(contentChunk(first)).in(contentChunk(second));
        expect(words === undefined || words === second).toBe(true);
      }),
    );
  });
});

const body = Buffer.from(
  JSON.stringify({ model: "m", stream: true, input: "hi", messages: [], max_tokens: 5 }),
);
const call = { body, model: "m", isStream: true, client: responses } as RelayCall;
const piece = fc.oneof(
  {
    weight: 6,
    arbitrary: fc
      .constantFrom("word", " and", "x", "\n", '"')
      .map((content): JsonRecord => ({ content })),
  },
  fc.constantFrom<JsonRecord>(
    { reasoning_content: "hm" },
    { refusal: "no" },
    { tool_calls: [{ index: 0, id: "c1", function: { name: "f", arguments: "" } }] },
    { tool_calls: [{ index: 0, function: { arguments: "{}" } }] },
    { content: "x", reasoning_content: "y" },
  ),
);

/** The caller's events as they are read, whatever the order of their members. */
function told(translation: typeof responsesToChat, events: readonly string[]): unknown[] {
  const translator = translation.createReplyTranslator(call);
  const all =
    events.map((event) => translator.translateEvent(event)).join("") + translator.finish();
  return all
    .split("\n\n")
    .filter((event) => event !== "" && !event.endsWith("[DONE]"))
    .map((event) => [
      event.split("\n")[0],
      JSON.parse(event.slice(event.indexOf("{")), (name, value) =>
        name === "created_at" ? 0 : value,
      ),
    ]);
}

test.each([
  ["Responses", responsesToChat],
  ["Messages", messagesToChat],
])(
  "clients of %s receive the same, whether events repeat or each must be parsed",
  (_, translation) => {
    expect(translation.target).toBe(chatCompletions.upstream);
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 20 }), (deltas) => {
        const repeating = deltas.map((delta) => chunk(delta));
        const different = deltas.map((delta, number) => chunk(delta, { number }));
        expect(told(translation, repeating)).toEqual(told(translation, different));
      }),
    );
  },
);
