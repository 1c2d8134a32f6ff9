import { droppedFields, translatedBody } from "@tollgate/tests/support/translate-request.ts";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { RelayCall } from "../formats/api-format.ts";
import { responses } from "../formats/responses.ts";
import { type JsonRecord, record, records } from "../wire/json-parts.ts";
import { chatToGemini } from "./chat-to-gemini.ts";
import { chatToMessages } from "./chat-to-messages.ts";
import { composeTranslations } from "./composed-translation.ts";
import { responsesThroughChat, responsesToChat } from "./responses-to-chat.ts";

const callOf = (asked: JsonRecord): RelayCall => ({
  ...responses.parseRequest(asked, false),
  client: responses,
  upstream: responses.upstream,
  headers: [],
  body: Buffer.from(JSON.stringify(asked)),
});
const sentBody = (asked: JsonRecord): JsonRecord =>
  translatedBody(responsesToChat, { model: "m", ...asked }, "m");
const sentNames = (asked: JsonRecord): unknown[] =>
  records(sentBody(asked).tools).map(({ function: called }) => record(called).name);
const aFunction = (name: string): JsonRecord => ({
  type: "function",
  name,
  description: "d",
  parameters: { type: "object", properties: {} },
});
const namespace = (name: string, ...tools: JsonRecord[]): JsonRecord => ({
  type: "namespace",
  name,
  description: "ns",
  tools,
});
const brought = (...tools: JsonRecord[]): JsonRecord => ({
  type: "additional_tools",
  role: "developer",
  tools,
});
const patch: JsonRecord = {
  type: "custom",
  name: "apply_patch",
  description: "Edits files.",
  format: { type: "grammar", syntax: "lark", definition: "start: /.+/" },
};

/**
 * The output of a whole answer that calls these tools, and of the same answer as a stream cut into
 * pieces of three characters.
 */
function outputsOf(
  asked: JsonRecord,
  calls: readonly { name: string; args: string }[],
): [JsonRecord[], JsonRecord[]] {
  const call = callOf({ model: "m", input: "hi", ...asked });
  const tool_calls = calls.map(({ name, args }, index) => ({
    id: `call_${index}`,
    type: "function",
    function: { name, arguments: args },
  }));
  const choices = [
    {
      index: 0,
      message: { role: "assistant", content: null, tool_calls },
      finish_reason: "tool_calls",
    },
  ];
  const whole = responsesToChat
    .createReplyTranslator(call)
    .translateReply({ id: "chatcmpl-1", choices });
  const translator = responsesToChat.createReplyTranslator(call);
  const chunk = (delta: JsonRecord): string =>
    translator.translateEvent(
      `data: ${JSON.stringify({ id: "chatcmpl-1", choices: [{ index: 0, delta }] })}\n\n`,
    );
  const streamed = tool_calls
    .flatMap(({ id, type, function: called }, index) => [
      chunk({ tool_calls: [{ index, id, type, function: { name: called.name, arguments: "" } }] }),
      ...(called.arguments.match(/.{1,3}/gs) ?? []).map((part) =>
        chunk({ tool_calls: [{ index, function: { arguments: part } }] }),
      ),
    ])
    .concat(translator.finish())
    .join("");
  const items = streamed.split("\n\n").flatMap((event) => {
    const [, data] = /^event: response\.output_item\.done\ndata: (.*)$/.exec(event) ?? [];
    return data === undefined ? [] : [record(JSON.parse(data) as unknown).item as JsonRecord];
  });
  return [records(record(whole).output), items];
}
const withoutId = ({ id: _, ...item }: JsonRecord): JsonRecord => item;

describe("tools of a Responses client over chat completions", () => {
  test("a namespace is its functions, each under a joined name", () => {
    const tools = [
      aFunction("shell"),
      namespace("mcp__notes", aFunction("find"), aFunction("add")),
    ];
    expect(sentNames({ input: "x", tools })).toEqual([
      "shell",
      "mcp__notes__find",
      "mcp__notes__add",
    ]);
    expect(
      sentNames({ input: "x", tools: [namespace("mcp__notes__", aFunction("find"))] }),
    ).toEqual(["mcp__notes__find"]);
  });

  test("what a namespace says of itself stands before its first function", () => {
    const { tools } = sentBody({
      input: "x",
      tools: [namespace("n", aFunction("f"), aFunction("g"))],
    });
    expect(records(tools).map(({ function: called }) => record(called).description)).toEqual([
      "ns\n\nd",
      "d",
    ]);
  });

  test("tools in items of the input are sent, and the items become no message", () => {
    const input = [
      brought(namespace("functions", patch, aFunction("wait"))),
      { role: "user", content: "hi" },
    ];
    expect(sentNames({ input })).toEqual(["functions__apply_patch", "functions__wait"]);
    expect(sentBody({ input }).messages).toEqual([{ role: "user", content: "hi" }]);
    expect(droppedFields(responsesToChat, { model: "m", input }, "m")).toEqual([]);
  });

  test("a custom tool is a function with one text, whose grammar is told in words", () => {
    const [tool] = records(sentBody({ input: "x", tools: [patch] }).tools);
    expect(tool).toEqual({
      type: "function",
      function: {
        name: "apply_patch",
        description: "Edits files.\n\nThe input is plain text of this lark grammar:\nstart: /.+/",
        parameters: {
          type: "object",
          properties: { input: { type: "string" } },
          required: ["input"],
        },
      },
    });
  });

  test("calls and results of earlier turns keep the names under which the tools are sent", () => {
    const input = [
      brought(namespace("functions", patch)),
      { role: "user", content: "go" },
      {
        type: "custom_tool_call",
        call_id: "a",
        namespace: "functions",
        name: "apply_patch",
        input: "*** x",
      },
      { type: "custom_tool_call_output", call_id: "a", output: "done" },
      { type: "function_call", call_id: "b", namespace: "gone", name: "f", arguments: "{}" },
      { type: "function_call_output", call_id: "b", output: "so" },
    ];
    const called = (id: string, name: string, args: string): JsonRecord => ({
      role: "assistant",
      content: null,
      tool_calls: [{ id, type: "function", function: { name, arguments: args } }],
    });
    expect(sentBody({ input }).messages).toEqual([
      { role: "user", content: "go" },
      called("a", "functions__apply_patch", '{"input":"*** x"}'),
      { role: "tool", tool_call_id: "a", content: "done" },
      called("b", "gone__f", "{}"),
      { role: "tool", tool_call_id: "b", content: "so" },
    ]);
  });

  test("a search for tools that the client runs is a function, and what it found can be called", () => {
    const search = {
      type: "tool_search",
      execution: "client",
      description: "Finds tools.",
      parameters: { type: "object" },
    };
    const input = [
      { role: "user", content: "go" },
      {
        type: "tool_search_call",
        execution: "client",
        call_id: "s",
        arguments: { query: "notes" },
      },
      {
        type: "tool_search_output",
        execution: "client",
        call_id: "s",
        tools: [namespace("notes", aFunction("find"))],
      },
    ];
    const { tools, messages } = sentBody({ input, tools: [search] });
    expect(records(tools).map(({ function: called }) => record(called).name)).toEqual([
      "tool_search",
      "notes__find",
    ]);
    expect(records(messages).slice(1)).toEqual([
      {
        role: "assistant",
        content: null,
        tool_calls: [
          {
            id: "s",
            type: "function",
            function: { name: "tool_search", arguments: '{"query":"notes"}' },
          },
        ],
      },
      { role: "tool", tool_call_id: "s", content: "These tools can be called now: notes__find" },
    ]);
    const [whole, streamed] = outputsOf({ tools: [search] }, [
      { name: "tool_search", args: '{"query":"x"}' },
    ]);
    const item = {
      type: "tool_search_call",
      execution: "client",
      call_id: "call_0",
      status: "completed",
      arguments: { query: "x" },
    };
    expect(whole.map(withoutId)).toEqual([item]);
    expect(streamed.map(withoutId)).toEqual([item]);
  });

  test.each([
    [{ type: "function", name: "find", namespace: "notes" }, "notes__find"],
    [{ type: "custom", name: "apply_patch" }, "apply_patch"],
  ])("the choice %j is one of the function", (tool_choice, name) => {
    const tools = [namespace("notes", aFunction("find")), patch];
    expect(sentBody({ input: "x", tools, tool_choice }).tool_choice).toEqual({
      type: "function",
      function: { name },
    });
  });

  test("an item without content becomes no message", () => {
    const input = [
      { type: "message", role: "developer" },
      { role: "system", content: [] },
      { role: "user", content: "hi" },
    ];
    expect(sentBody({ input }).messages).toEqual([{ role: "user", content: "hi" }]);
  });

  test("names that no provider accepts, or that two tools would share, are told apart and fit", () => {
    const long = "x".repeat(100);
    const tools = [
      aFunction("a__b"),
      namespace("a", aFunction("b")),
      aFunction(long),
      aFunction("ünïcode.name"),
    ];
    const names = sentNames({ input: "x", tools });
    expect(new Set(names).size).toBe(4);
    for (const name of names) expect(name).toMatch(/^[\w-]{1,64}$/);
    expect(names[0]).toBe("a__b");
    const [whole] = outputsOf(
      { tools },
      names.map((name) => ({ name: String(name), args: "{}" })),
    );
    expect(whole.map(({ namespace: ns, name }) => [ns, name])).toEqual([
      [undefined, "a__b"],
      ["a", "b"],
      [undefined, long],
      [undefined, "ünïcode.name"],
    ]);
  });

  const toolName = fc.oneof(
    fc.stringMatching(/^[a-z_.]{1,9}$/),
    fc.string({ minLength: 1, maxLength: 90 }),
  );
  const declared = fc.uniqueArray(
    fc.record({
      namespace: fc.option(toolName, { nil: undefined }),
      name: toolName,
      isCustom: fc.boolean(),
    }),
    {
      minLength: 1,
      maxLength: 6,
      selector: ({ namespace: ns, name }) => JSON.stringify([ns, name]),
    },
  );

  test("every call comes back under the client's name, namespace and kind, whole and streamed", () => {
    fc.assert(
      fc.property(declared, fc.string(), fc.boolean(), (all, written, isBrought) => {
        const tools = all.map(({ namespace: ns, name, isCustom }) => {
          const tool = isCustom ? { ...patch, name } : aFunction(name);
          return ns === undefined ? tool : namespace(ns, tool);
        });
        const asked = isBrought ? { input: [brought(...tools)] } : { input: "x", tools };
        const args = JSON.stringify({ input: written });
        const expected = all.map(({ namespace: ns, name, isCustom }, index) => ({
          type: isCustom ? "custom_tool_call" : "function_call",
          status: "completed",
          call_id: `call_${index}`,
          ...(ns !== undefined && { namespace: ns }),
          name,
          ...(isCustom ? { input: written } : { arguments: args }),
        }));
        const calls = sentNames(asked).map((name) => ({ name: String(name), args }));
        const [whole, streamed] = outputsOf(asked, calls);
        expect(whole.map(withoutId)).toEqual(expected);
        expect(streamed.map(withoutId)).toEqual(expected);
        // The next turn sends the same names again.
        const history = sentBody({ ...asked, input: [...records(asked.input), ...whole] });
        const again = records(history.messages).flatMap(({ tool_calls }) => records(tool_calls));
        expect(again.map(({ function: called }) => record(called).name)).toEqual(
          calls.map(({ name }) => name),
        );
      }),
    );
  });

  test.each([
    ['{"input":"x"}', "x"],
    ['{"patch":"x"}', "x"],
    ["x", "x"],
    ['{"input":{"a":1}}', '{"input":{"a":1}}'],
    ["", ""],
  ])("of the arguments %s, the custom tool gets %j", (args, input) => {
    const [whole, streamed] = outputsOf({ tools: [patch] }, [{ name: "apply_patch", args }]);
    // A call without arguments gets an empty object from the reader of whole answers.
    expect(whole[0]?.input).toBe(args === "" ? "{}" : input);
    expect(streamed[0]?.input).toBe(input);
  });

  test("a call whose name comes after its id and first arguments has both", () => {
    const translator = responsesToChat.createReplyTranslator(
      callOf({ model: "m", input: "x", tools: [aFunction("f")] }),
    );
    const chunk = (called: JsonRecord): string =>
      translator.translateEvent(
        `data: ${JSON.stringify({ choices: [{ index: 0, delta: { tool_calls: [{ index: 0, ...called }] } }] })}\n\n`,
      );
    const events = [
      chunk({ id: "a", function: { arguments: '{"x"' } }),
      chunk({ function: { name: "f", arguments: ":1}" } }),
      translator.finish(),
    ].join("");
    expect(events).toContain('"name":"f","arguments":""');
    expect(events).toContain('"call_id":"a","name":"f","arguments":"{\\"x\\":1}"');
    expect(events.match(/output_item\.added/g)).toHaveLength(2);
  });
});

test("over Messages and Gemini the same tools arrive", () => {
  const asked = {
    model: "m",
    input: [brought(namespace("n", aFunction("f"), patch)), { role: "user", content: "x" }],
  };
  const messages = translatedBody(
    composeTranslations(responsesThroughChat, chatToMessages),
    asked,
    "m",
  );
  expect(records(messages.tools).map(({ name }) => name)).toEqual(["n__f", "n__apply_patch"]);
  const gemini = translatedBody(
    composeTranslations(responsesThroughChat, chatToGemini),
    asked,
    "m",
  );
  const [{ functionDeclarations } = {}] = records(gemini.tools);
  expect(records(functionDeclarations).map(({ name }) => name)).toEqual(["n__f", "n__apply_patch"]);
});
