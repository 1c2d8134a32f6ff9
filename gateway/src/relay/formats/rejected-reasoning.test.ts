import { describe, expect, test } from "vitest";
import { anthropicMessages } from "./anthropic-messages.ts";
import type { ClientFormat, RelayCall } from "./api-format.ts";
import { chatCompletions } from "./chat-completions.ts";
import { gemini } from "./gemini.ts";
import { isReasoningRejected, stripEarlierReasoning } from "./rejected-reasoning.ts";
import { responses } from "./responses.ts";

const callWith = ({ upstream }: ClientFormat, body: object): RelayCall =>
  ({ upstream, body: Buffer.from(JSON.stringify(body)) }) as RelayCall;
function stripped(format: ClientFormat, body: object): unknown {
  const call = stripEarlierReasoning(callWith(format, body));
  return call && JSON.parse(call.body.toString());
}

const user = { role: "user", content: "hi" };
const thought = { type: "thinking", thinking: "hm", signature: "c2ln" };
const textBlock = { type: "text", text: "so" };
const used = { type: "tool_use", id: "t", name: "f", input: {} };
const result = {
  role: "user",
  content: [{ type: "tool_result", tool_use_id: "t", content: "done" }],
};
const thinking = { type: "enabled", budget_tokens: 1_024 };

describe("a refusal of earlier reasoning", () => {
  test.each([
    [400, "messages.1.content.0: Invalid `signature` in `thinking` block", null, true],
    [400, "Invalid `data` in `redacted_thinking` block", null, true],
    [400, "anything", "invalid_encrypted_content", true],
    [400, "Corrupted thought signature.", null, true],
    [400, "The user wrote: Invalid `signature` in `thinking` block", null, false],
    [
      400,
      "messages.3.content.0.thinking.signature.str: Input should be a valid string",
      null,
      true,
    ],
    [
      400,
      "messages.1.content.0: `thinking` or `redacted_thinking` blocks in the latest assistant message cannot be modified.",
      null,
      true,
    ],
    [400, "messages.1: The block is bound to a different conversation", null, true],
    [
      400,
      "messages.1.content.0.type: Expected `thinking` or `redacted_thinking`, but found `tool_use`.",
      null,
      true,
    ],
    [400, "Function call is missing a thought_signature in functionCall parts.", null, true],
    [
      400,
      "Item 'rs_1' of type 'reasoning' was provided without its required following item.",
      null,
      true,
    ],
    [404, "Item with id 'rs_1' not found. Items are not persisted.", null, true],
    [404, "Item with id 'msg_1' not found.", null, false],
    [
      400,
      "The `reasoning_content` in the thinking mode must be passed back to the API.",
      null,
      true,
    ],
    [400, "'messages.2' : property 'reasoning_content' is unsupported", null, true],
    [400, "max_tokens: too large", null, false],
    [500, "Invalid `signature` in `thinking` block", null, false],
  ])("%i %s (%s): %s", (status, message, code, isRejected) => {
    expect(isReasoningRejected({ status, message, code })).toBe(isRejected);
  });
});

describe("a conversation without the reasoning of earlier turns", () => {
  const called = { role: "assistant", tool_calls: [{ id: "c" }] };

  test("has a blank thought before the calls of chat completions that lack one", () => {
    const call = stripEarlierReasoning(
      callWith(chatCompletions, { messages: [user, called] }),
      "thinking is enabled but reasoning_content is missing in assistant tool call message at index 1",
    );
    expect(call && JSON.parse(call.body.toString())).toEqual({
      messages: [user, { ...called, reasoning_content: " " }],
    });
  });

  test("has no thoughts for servers of chat completions that know none", () => {
    expect(
      stripped(chatCompletions, { messages: [user, { ...called, reasoning_content: "hm" }] }),
    ).toEqual({ messages: [user, called] });
  });

  test("has Google's text in the first call of a turn that carries no signature", () => {
    const part = { functionCall: { name: "f", args: {} } };
    expect(stripped(gemini, { contents: [{ role: "model", parts: [part, part] }] })).toEqual({
      contents: [
        {
          role: "model",
          parts: [{ ...part, thoughtSignature: "skip_thought_signature_validator" }, part],
        },
      ],
    });
  });

  test("has no items of reasoning that were never encrypted", () => {
    const reasoning = { type: "reasoning", id: "rs_1", summary: [] };
    const said = { type: "message", role: "assistant", content: "so" };
    expect(stripped(responses, { input: [user, reasoning, { ...said, id: "msg_1" }] })).toEqual({
      input: [user, said],
    });
  });

  test("keeps all else of Messages", () => {
    const redacted = { type: "redacted_thinking", data: "c2V0" };
    const messages = [user, { role: "assistant", content: [thought, redacted, textBlock] }, user];
    expect(stripped(anthropicMessages, { model: "m", thinking, messages })).toEqual({
      model: "m",
      thinking,
      messages: [user, { role: "assistant", content: [textBlock] }, user],
    });
  });

  test("does not ask a model to reason between a call and its result", () => {
    const messages = [user, { role: "assistant", content: [thought, used] }, result];
    const edits = [{ type: "clear_thinking_20251015" }, { type: "clear_tool_uses_20250919" }];
    expect(
      stripped(anthropicMessages, { thinking, messages, context_management: { edits } }),
    ).toEqual({
      messages: [user, { role: "assistant", content: [used] }, result],
      context_management: { edits: [{ type: "clear_tool_uses_20250919" }] },
    });
  });

  test("has no turn that held reasoning alone", () => {
    const messages = [user, { role: "assistant", content: [thought] }, user];
    expect(stripped(anthropicMessages, { messages })).toEqual({ messages: [user, user] });
  });

  test("keeps calls of Responses, without the ids that belong to the reasoning", () => {
    const input = [
      user,
      { type: "reasoning", id: "rs_1", summary: [], encrypted_content: "gAAAA" },
      { type: "function_call", id: "fc_1", call_id: "c", name: "f", arguments: "{}" },
      { type: "function_call_output", call_id: "c", output: "done" },
    ];
    expect(stripped(responses, { input })).toEqual({
      input: [
        user,
        { type: "function_call", call_id: "c", name: "f", arguments: "{}" },
        { type: "function_call_output", call_id: "c", output: "done" },
      ],
    });
  });

  test("marks calls of Gemini as calls of another model", () => {
    const functionCall = { name: "f", args: {} };
    const contents = [
      {
        role: "model",
        parts: [
          { text: "so", thoughtSignature: "a" },
          { functionCall, thought_signature: "b" },
        ],
      },
    ];
    const unsigned = {
      contents: [
        {
          role: "model",
          parts: [
            { text: "so" },
            { functionCall, thoughtSignature: "skip_thought_signature_validator" },
          ],
        },
      ],
    };
    expect(stripped(gemini, { contents })).toEqual(unsigned);
    expect(
      stripped(gemini, {
        contents: [{ role: "model", parts: unsigned.contents[0]?.parts.slice(1) }],
      }),
    ).toBeUndefined();
  });

  test.each([
    [anthropicMessages, { messages: [user] }],
    [responses, { input: "hi" }],
    [gemini, { contents: [{ parts: [{ text: "hi" }] }] }],
  ])("is no other where there is none", (format, body) => {
    expect(stripped(format, body)).toBeUndefined();
  });
});
