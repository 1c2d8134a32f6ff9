// Calls of chat completions whose pieces do not follow each other, or never become whole, for
// clients that know neither.
import { callOf, planOver, translated } from "@tollgate/tests/conformance/in-process-relay.ts";
import { translatedBody } from "@tollgate/tests/support/translate-request.ts";
import { describe, expect, test } from "vitest";
import { type JsonRecord, record, records, text } from "../wire/json-parts.ts";
import { ChatAsGemini } from "./chat-as-gemini.ts";
import { ChatAsMessages } from "./chat-as-messages.ts";
import { chatToResponses } from "./chat-to-responses.ts";

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

describe("calls that Responses tells late, for a client of chat completions", () => {
  const event = (type: string, more: object): string => dataOf({ type, ...more });
  const item = (more: object): JsonRecord => ({
    type: "function_call",
    id: "fc_1",
    call_id: "a",
    name: "f",
    arguments: "",
    ...more,
  });
  const added = (more: object = {}): string =>
    event("response.output_item.added", { output_index: 1, item: item(more) });
  const said = event("response.output_text.delta", { output_index: 0, delta: "Hm." });
  const completed = (...output: JsonRecord[]): string =>
    event("response.completed", { response: { status: "completed", output } });
  const whole = item({ arguments: '{"x":1}' });
  const message = { type: "message", content: [{ type: "output_text", text: "Hm." }] };

  const callsIn = (...events: string[]): [unknown, unknown, string][] => {
    const calls: [unknown, unknown, string][] = [];
    const chunks = translated(callOf("Chat Completions"), "response_api", events)
      .split("\n")
      .filter((line) => line.startsWith("data: {"))
      .flatMap((line) => records((JSON.parse(line.slice(6)) as JsonRecord).choices));
    for (const part of chunks.flatMap(({ delta }) => records(record(delta).tool_calls))) {
      const called = record(part.function);
      const call = calls[Number(part.index)];
      if (call) call[2] += text(called.arguments);
      else calls[Number(part.index)] = [part.id, called.name, text(called.arguments)];
    }
    return calls;
  };

  test.each<[string, string[]]>([
    ["its arguments in the last event alone", [added(), completed(whole)]],
    ["behind its beginning, with which they came", [added(whole), completed(whole)]],
    [
      "the rest of its arguments",
      [
        added(),
        event("response.function_call_arguments.delta", { output_index: 1, delta: '{"x":' }),
        completed(message, whole),
      ],
    ],
    ["the whole of it behind words", [said, completed(message, whole)]],
    [
      "behind words that name no place",
      [event("response.output_text.delta", { delta: "Hm." }), completed(message, whole)],
    ],
    [
      "at another place than before",
      [
        added(),
        event("response.output_item.done", { output_index: 1, item: whole }),
        completed(whole),
      ],
    ],
  ])("%s", (_, events) => expect(callsIn(...events)).toEqual([["a", "f", '{"x":1}']]));

  test("without an id of its own: that of its item", () => {
    const nameless = item({ call_id: undefined, arguments: "{}" });
    expect(
      callsIn(
        added({ call_id: undefined }),
        event("response.output_item.done", { output_index: 1, item: nameless }),
        completed(nameless),
      ),
    ).toEqual([["fc_1", "f", "{}"]]);
  });

  test("once, where the last event names it otherwise", () =>
    expect(
      callsIn(
        added(),
        event("response.output_item.done", { output_index: 1, item: whole }),
        completed({ ...whole, call_id: "b" }),
      ),
    ).toEqual([["a", "f", '{"x":1}']]));
});

test("a call of Messages without an id has one for a client of chat completions", () => {
  const block = { type: "tool_use", name: "f", input: { x: 1 } };
  const events = [
    dataOf({ type: "message_start", message: { id: "msg_1" } }),
    dataOf({ type: "content_block_start", index: 0, content_block: block }),
    dataOf({ type: "content_block_stop", index: 0 }),
    dataOf({ type: "message_delta", delta: { stop_reason: "tool_use" } }),
  ];
  expect(translated(callOf("Chat Completions"), "claude_messages", events)).toContain(
    '"id":"call_msg_1_1"',
  );
});

describe("arguments that are no text of an object", () => {
  const called = (args: unknown): JsonRecord => ({
    id: "c",
    choices: [
      {
        index: 0,
        message: { tool_calls: [{ id: "a", function: { name: "f", arguments: args } }] },
        finish_reason: "tool_calls",
      },
    ],
  });
  const inputOf = (reply: JsonRecord): unknown =>
    records(new ChatAsMessages({ model: "m" }).translateReply(reply).content)[0]?.input;

  test("are read where a server writes the text twice", () =>
    expect(inputOf(called(JSON.stringify('{"x":1}')))).toEqual({ x: 1 }));

  test("are written where Responses has the object itself, whole and in a stream", () => {
    const item = { type: "function_call", id: "fc", call_id: "a", name: "f", arguments: { x: 1 } };
    const response = { object: "response", status: "completed", output: [item] };
    const { translator } = planOver(callOf("Chat Completions"), "response_api");
    expect(JSON.stringify(translator?.translateReply(response))).toContain('"{\\"x\\":1}"');
    const event = dataOf({ type: "response.completed", response });
    expect(translated(callOf("Chat Completions"), "response_api", [event])).toContain(
      '"{\\"x\\":1}"',
    );
  });

  test("are written for Responses, which reads a text of an object alone", () => {
    const sent = (args: unknown): unknown => {
      const called = { id: "a", type: "function", function: { name: "f", arguments: args } };
      const messages = [
        { role: "assistant", tool_calls: [called] },
        { role: "tool", tool_call_id: "a", content: "so" },
      ];
      const { input } = translatedBody(chatToResponses, { model: "m", messages }, "m");
      return records(input)[0]?.arguments;
    };
    expect([{ x: 1 }, "", null, '{"x":1}'].map(sent)).toEqual(['{"x":1}', "{}", "{}", '{"x":1}']);
  });

  test("are not written twice where Messages has the text itself", () => {
    const block = { type: "tool_use", id: "a", name: "f", input: '{"x":1}' };
    const { translator } = planOver(callOf("Chat Completions"), "claude_messages");
    const reply = { type: "message", content: [block], stop_reason: "tool_use" };
    expect(JSON.stringify(translator?.translateReply(reply))).toContain('"{\\"x\\":1}"');
  });
});

describe("for clients of Messages, an answer", () => {
  const stopOf = (message: object, finish_reason: string): unknown[] => {
    const reply = { id: "c", choices: [{ index: 0, message, finish_reason }] };
    const whole = new ChatAsMessages({ model: "m" }).translateReply(reply).stop_reason;
    const events = eventsOf("Messages", chunk(message), chunk({}, finish_reason));
    const last = events.find(({ type }) => type === "message_delta");
    return [whole, record(last?.delta).stop_reason];
  };

  test("that a model refuses in a member of its own is a refusal, and in Gemini too", () => {
    expect(stopOf({ refusal: "I cannot." }, "stop")).toEqual(["refusal", "refusal"]);
    const told = eventsOf("Gemini", chunk({ refusal: "I cannot." }), chunk({}, "stop"));
    const [candidate] = records(told.at(-1)?.candidates);
    expect(candidate?.finishReason).toBe("SAFETY");
  });

  test("does not wait for calls that it does not have", () => {
    expect(stopOf({ content: "Hm." }, "tool_calls")).toEqual(["end_turn", "end_turn"]);
    expect(stopOf({ content: "Hm." }, "length")).toEqual(["max_tokens", "max_tokens"]);
  });
});

test("blocks of Converse that alternate stay apart", () => {
  const started = (at: number, toolUseId: string): string =>
    dataOf({
      contentBlockStart: { contentBlockIndex: at, start: { toolUse: { toolUseId, name: "f" } } },
    });
  const written = (at: number, input: string): string =>
    dataOf({ contentBlockDelta: { contentBlockIndex: at, delta: { toolUse: { input } } } });
  const stopped = (at: number): string => dataOf({ contentBlockStop: { contentBlockIndex: at } });
  const events = [
    ...[
      started(0, "a"),
      started(1, "b"),
      started(2, "c"),
      written(0, '{"x":'),
      written(1, '{"y":'),
    ],
    ...[written(0, "1}"), written(1, "2}"), stopped(0), stopped(1), stopped(2)],
    dataOf({ messageStop: { stopReason: "tool_use" } }),
  ];
  const pieces = translated(callOf("Chat Completions"), "bedrock_converse", events)
    .split("\n")
    .filter((line) => line.startsWith("data: {"))
    .flatMap((line) => records((JSON.parse(line.slice(6)) as JsonRecord).choices))
    .flatMap(({ delta }) => records(record(delta).tool_calls));
  const argumentsOf = (index: number): string =>
    pieces
      .filter((piece) => piece.index === index)
      .map((piece) => text(record(piece.function).arguments))
      .join("");
  expect([0, 1, 2].map(argumentsOf)).toEqual(['{"x":1}', '{"y":2}', "{}"]);
});
