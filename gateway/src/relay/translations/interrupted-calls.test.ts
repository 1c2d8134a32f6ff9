// Calls of chat completions whose pieces do not follow each other, or never become whole, for
// clients that know neither.
import { callOf, translated } from "@tollgate/tests/conformance/in-process-relay.ts";
import { describe, expect, test } from "vitest";
import { type JsonRecord, record, records, text } from "../wire/json-parts.ts";
import { ChatAsGemini } from "./chat-as-gemini.ts";
import { ChatAsMessages } from "./chat-as-messages.ts";

const dataOf = (json: unknown): string => `data: ${JSON.stringify(json)}\n\n`;
const chunk = (delta: object, finish_reason: string | null = null): string =>
  dataOf({ id: "c", choices: [{ index: 0, delta, finish_reason }] });
const piece = (part: object, name: string | undefined, written: string): string =>
  chunk({ tool_calls: [{ ...part, function: { ...(name && { name }), arguments: written } }] });
const end = chunk({}, "tool_calls");

const eventsOf = (client: "Messages" | "Responses" | "Gemini", ...events: string[]): JsonRecord[] =>
  translated(callOf(client), "chat_completions", events)
    .split("\n")
    .filter((line) => line.startsWith("data: {"))
    .map((line) => JSON.parse(line.slice(6)) as JsonRecord);

/** The blocks of an answer of Messages, each with what its deltas add up to. */
const blocksOf = (...events: string[]): [unknown, string][] => {
  const blocks: [unknown, string][] = [];
  for (const { type, content_block, delta } of eventsOf("Messages", ...events)) {
    if (type === "content_block_start") blocks.push([record(content_block).type, ""]);
    const last = blocks.at(-1);
    const said = record(delta);
    if (type === "content_block_delta" && last)
      last[1] += text(said.text) + text(said.thinking) + text(said.partial_json);
  }
  return blocks;
};
const begun = piece({ index: 0, id: "a" }, "f", '{"x":');
const rest = piece({ index: 0 }, undefined, "1}");

describe("for clients of Messages, what comes between the pieces of a call", () => {
  test.each([
    ["words", chunk({ content: "Hm." }), "text", "Hm."],
    ["thoughts", chunk({ reasoning_content: "so" }), "thinking", "so"],
  ])("waits until it is whole: %s", (_, between, type, said) => {
    expect(blocksOf(begun, between, rest, end)).toEqual([
      ["tool_use", '{"x":1}'],
      [type, said],
    ]);
  });

  test("keeps its order, over several pieces", () => {
    const words = ["a", "b", "c"].map((content) => chunk({ content }));
    expect(blocksOf(begun, ...words, rest, chunk({ content: "d" }), end)).toEqual([
      ["tool_use", '{"x":1}'],
      ["text", "abcd"],
    ]);
  });

  test("is told at the end where the call never becomes whole", () =>
    expect(blocksOf(begun, chunk({ content: "Hm." }), end)).toEqual([
      ["tool_use", '{"x":'],
      ["text", "Hm."],
    ]));

  test("is told at once behind a whole call", () => {
    const translator = new ChatAsMessages({ model: "m" });
    translator.translateEvent(begun);
    translator.translateEvent(rest);
    expect(translator.translateEvent(chunk({ content: "Hm." }))).toContain('"text":"Hm."');
  });
});

describe("pieces without a number", () => {
  const unnumbered = [
    piece({ id: "a" }, "f", '{"x":'),
    piece({ id: "b" }, "g", ""),
    piece({ id: "a" }, undefined, "1}"),
    piece({ id: "b" }, undefined, '{"y":'),
    piece({}, undefined, "2}"),
    end,
  ];

  test("belong to the call of their id, else to the last, in Messages", () =>
    expect(blocksOf(...unnumbered)).toEqual([
      ["tool_use", '{"x":1}'],
      ["tool_use", '{"y":2}'],
    ]));

  test("and in Responses", () => {
    const last = eventsOf("Responses", ...unnumbered).at(-1);
    const items = records(record(last?.response).output);
    expect(items.map(({ call_id, name, arguments: args }) => [call_id, name, args])).toEqual([
      ["a", "f", '{"x":1}'],
      ["b", "g", '{"y":2}'],
    ]);
  });

  test("and in Gemini", () => {
    const parts = eventsOf("Gemini", ...unnumbered)
      .flatMap(({ candidates }) => records(candidates))
      .flatMap(({ content }) => records(record(content).parts));
    expect(parts.map(({ functionCall }) => record(functionCall).args)).toEqual([
      { x: 1 },
      { y: 2 },
    ]);
  });
});

describe("an answer whose only call was cut off", () => {
  const whole = (finish_reason: string, ...written: string[]): JsonRecord => ({
    id: "c",
    choices: [
      {
        index: 0,
        message: {
          role: "assistant",
          content: "Hm.",
          tool_calls: written.map((args, at) => ({
            id: `${at}`,
            type: "function",
            function: { name: "f", arguments: args },
          })),
        },
        finish_reason,
      },
    ],
  });
  const stopOf = (reply: JsonRecord): unknown =>
    new ChatAsMessages({ model: "m" }).translateReply(reply).stop_reason;
  const finishOf = (reply: JsonRecord): unknown =>
    records(new ChatAsGemini({ model: "m" }).translateReply(reply).candidates)[0]?.finishReason;

  test.each([
    ["tool_calls", "max_tokens", "MALFORMED_FUNCTION_CALL"],
    ["stop", "max_tokens", "MALFORMED_FUNCTION_CALL"],
    ["length", "max_tokens", "MAX_TOKENS"],
  ])("with %s did not end well", (reason, stop, finish) => {
    expect(stopOf(whole(reason, '{"x":'))).toBe(stop);
    expect(finishOf(whole(reason, '{"x":'))).toBe(finish);
  });

  test("ends with the calls that are whole", () => {
    expect(stopOf(whole("tool_calls", '{"x":', "{}"))).toBe("tool_use");
    expect(finishOf(whole("tool_calls", '{"x":', "{}"))).toBe("STOP");
    expect(stopOf(whole("stop"))).toBe("end_turn");
    expect(finishOf(whole("stop"))).toBe("STOP");
  });
});
