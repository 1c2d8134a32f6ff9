import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { createToolNames } from "./call-runs.ts";
import { countNewTools } from "./run-tools.ts";

const bash = { role: "assistant", tool_calls: [{ id: "c1", function: { name: "Bash" } }] };

describe("the tools that ran since the last call are at the end of the request", () => {
  test.each([
    [
      "Chat Completions",
      { messages: [bash, { role: "tool", tool_call_id: "c1", content: "" }] },
      { Bash: [1, 0] },
    ],
    [
      "what ran before an answer was counted with an earlier call",
      {
        messages: [
          bash,
          { role: "tool", tool_call_id: "c1" },
          { role: "assistant", content: "done" },
          { role: "user" },
        ],
      },
      undefined,
    ],
    [
      "Messages, with a failure",
      {
        messages: [
          {
            role: "assistant",
            content: [
              { type: "tool_use", id: "a", name: "Read" },
              { type: "tool_use", id: "b", name: "Read" },
            ],
          },
          {
            role: "user",
            content: [
              { type: "tool_result", tool_use_id: "a", is_error: true },
              { type: "tool_result", tool_use_id: "b" },
              { type: "text", text: "go on" },
            ],
          },
        ],
      },
      { Read: [2, 1] },
    ],
    [
      "Responses, of the last turn alone",
      {
        input: [
          { type: "function_call", call_id: "0", name: "old" },
          { type: "function_call_output", call_id: "0" },
          { type: "function_call", call_id: "1", name: "shell" },
          { type: "local_shell_call", call_id: "2" },
          { type: "function_call_output", call_id: "1" },
          { type: "local_shell_call_output", call_id: "2", status: "failed" },
        ],
      },
      { shell: [1, 0], local_shell: [1, 1] },
    ],
    [
      "Gemini",
      {
        contents: [
          {
            role: "user",
            parts: [{ functionResponse: { name: "glob", response: { error: "no" } } }],
          },
        ],
      },
      { glob: [1, 1] },
    ],
    ["a result without its call", { messages: [{ role: "tool", tool_call_id: "c1" }] }, undefined],
    ["no list", { messages: "tool", input: "shell" }, undefined],
  ] as const)("%s", (_, json, expected) => {
    expect(countNewTools(json)).toEqual(expected);
  });
});

test("any JSON is read without failure, and counts stay sound", () => {
  const part = fc.dictionary(
    fc.constantFrom(
      "type",
      "role",
      "content",
      "tool_calls",
      "id",
      "name",
      "parts",
      "functionResponse",
      "call_id",
    ),
    fc.oneof(
      fc.constantFrom("tool", "user", "assistant", "tool_result", "x_call", "x_call_output"),
      fc.jsonValue(),
    ),
  );
  fc.assert(
    fc.property(
      fc.constantFrom("messages", "input", "contents"),
      fc.array(part),
      (member, items) => {
        for (const [name, [ran, failed]] of Object.entries(
          countNewTools({ [member]: items }) ?? {},
        )) {
          expect(name.length).toBeLessThanOrEqual(64);
          expect(failed).toBeLessThanOrEqual(ran);
        }
      },
    ),
  );
});

test("a run has at most so many names of tools, and loses no count", () => {
  const nameTools = createToolNames(2, 1);
  expect(nameTools("r", { a: [1, 0], b: [1, 1], c: [2, 1], d: [1, 0] })).toEqual({
    a: [1, 0],
    b: [1, 1],
    "(other)": [3, 1],
  });
  expect(nameTools("r", { c: [1, 0], a: [1, 0] })).toEqual({ "(other)": [1, 0], a: [1, 0] });
});
