import fc from "fast-check";
import { expect, test } from "vitest";
import { readConversation } from "./conversation.ts";

const json = "application/json";
const stream = "text/event-stream";
const events = (...all: object[]) =>
  all.map((event) => `data: ${JSON.stringify(event)}\n\n`).join("");
const read = (request: object, answer: object | string) =>
  typeof answer === "string"
    ? readConversation(JSON.stringify(request), answer, stream)
    : readConversation(JSON.stringify(request), JSON.stringify(answer), json);

const asked = [
  { role: "system", text: "be brief" },
  { role: "user", text: "hello" },
];
const answered = { role: "assistant", text: "hi there" };

test.each([
  [
    "chat completions",
    {
      messages: [
        { role: "system", content: "be brief" },
        { role: "user", content: [{ type: "text", text: "hello" }] },
      ],
    },
    { choices: [{ message: { role: "assistant", content: "hi there" } }] },
  ],
  [
    "a stream of chat completions",
    {
      messages: [
        { role: "system", content: "be brief" },
        { role: "user", content: "hello" },
      ],
    },
    `${events({ choices: [{ delta: { content: "hi " } }] }, { choices: [{ delta: { content: "there" } }] })}data: [DONE]\n\n`,
  ],
  [
    "messages",
    {
      system: [{ type: "text", text: "be brief" }],
      messages: [{ role: "user", content: "hello" }],
    },
    { role: "assistant", content: [{ type: "text", text: "hi there" }] },
  ],
  [
    "a stream of messages",
    { system: "be brief", messages: [{ role: "user", content: "hello" }] },
    events(
      { type: "content_block_delta", delta: { type: "text_delta", text: "hi " } },
      { type: "content_block_delta", delta: { type: "text_delta", text: "there" } },
    ),
  ],
  [
    "responses",
    { instructions: "be brief", input: "hello" },
    {
      output: [
        {
          type: "message",
          role: "assistant",
          content: [{ type: "output_text", text: "hi there" }],
        },
      ],
    },
  ],
  [
    "a stream of responses",
    {
      instructions: "be brief",
      input: [{ role: "user", content: [{ type: "input_text", text: "hello" }] }],
    },
    events(
      { type: "response.output_text.delta", delta: "hi " },
      { type: "response.output_text.delta", delta: "there" },
      { type: "response.output_text.done", text: "hi there" },
    ),
  ],
  [
    "Gemini",
    {
      systemInstruction: { parts: [{ text: "be brief" }] },
      contents: [{ role: "user", parts: [{ text: "hello" }] }],
    },
    { candidates: [{ content: { role: "assistant", parts: [{ text: "hi there" }] } }] },
  ],
])("%s are read as who said what", (_, request, answer) => {
  expect(read(request, answer)).toEqual([...asked, answered]);
});

test("calls of tools and errors are told", () => {
  const call = { id: "c", type: "function", function: { name: "look", arguments: '{"at":1}' } };
  const said = read(
    { messages: [] },
    { choices: [{ message: { role: "assistant", content: null, tool_calls: [call] } }] },
  );
  expect(said).toEqual([{ role: "assistant", text: 'look({"at":1})' }]);
  expect(read({}, { error: { message: "no channel" } })).toEqual([
    { role: "error", text: "no channel" },
  ]);
});

test("anything else is left out without a failure", () => {
  fc.assert(
    fc.property(
      fc.jsonValue(),
      fc.jsonValue(),
      fc.string(),
      fc.constantFrom(json, stream, ""),
      (a, b, text, type) => {
        for (const answer of [JSON.stringify(b), text, `data: ${JSON.stringify(b)}`])
          for (const turn of readConversation(JSON.stringify(a), answer, type))
            expect(turn.text).not.toBe("");
      },
    ),
  );
});
