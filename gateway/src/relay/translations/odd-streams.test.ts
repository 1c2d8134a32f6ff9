// Streams that are unusual and legal, or that compatible servers send: each says the same to the
// clients of every format.
import {
  type ConversationEndpoint,
  conversationEndpoints,
} from "@tollgate/tests/conformance/conversation-scenario.ts";
import {
  callOf,
  entryOf,
  planOver,
  translated,
} from "@tollgate/tests/conformance/in-process-relay.ts";
import { grammarReaders } from "@tollgate/tests/conformance/stream-grammar.ts";
import { describe, expect, test } from "vitest";

const look = { name: "look", input: { city: "Bern" } };
const call = JSON.stringify(look.input);
const sse = (data: object): string => `data: ${JSON.stringify(data)}\n\n`;

interface OddStream {
  name: string;
  speaks: ConversationEndpoint | "Converse";
  events: readonly object[];
  text?: string;
  thought?: string;
  calls?: readonly object[];
}

const message = {
  id: "m1",
  type: "message",
  role: "assistant",
  content: [],
  usage: { input_tokens: 5, output_tokens: 1 },
};
const started = { type: "message_start", message };
const ended = [
  { type: "message_delta", delta: { stop_reason: "end_turn" }, usage: { output_tokens: 9 } },
  { type: "message_stop" },
];
const block = (content_block: object, ...deltas: readonly object[]) => [
  { type: "content_block_start", index: 0, content_block },
  ...deltas.map((delta) => ({ type: "content_block_delta", index: 0, delta })),
  { type: "content_block_stop", index: 0 },
];
const item = {
  type: "function_call",
  id: "fc",
  call_id: "c1",
  name: "look",
  arguments: call,
  status: "completed",
};
const said = (text: string) => ({ type: "output_text", annotations: [], text });
const words = {
  type: "message",
  id: "ms",
  role: "assistant",
  content: [said("A "), said("word")],
  status: "completed",
};
const thoughts = { type: "reasoning", id: "rs", summary: [{ type: "summary_text", text: "Hm." }] };
const response = {
  id: "r1",
  object: "response",
  created_at: 1,
  status: "in_progress",
  model: "m",
  output: [],
};
const counted = { input_tokens: 5, output_tokens: 9, total_tokens: 14 };
const usage = { prompt_tokens: 5, completion_tokens: 9, total_tokens: 14 };
const chunk = (delta: object, finish_reason: string | null = null, more: object = {}) => ({
  id: "c1",
  object: "chat.completion.chunk",
  choices: [{ index: 0, delta, finish_reason }],
  ...more,
});

const oddStreams: readonly OddStream[] = [
  {
    name: "events without candidates before, between and behind the words",
    speaks: "Gemini",
    events: [
      { candidates: [], usageMetadata: { promptTokenCount: 5 } },
      { candidates: [{ content: { role: "model", parts: [{ text: "A " }] }, index: 0 }] },
      { usageMetadata: { promptTokenCount: 5 } },
      {
        candidates: [
          { content: { role: "model", parts: [{ text: "word" }] }, finishReason: "STOP", index: 0 },
        ],
      },
      {
        candidates: [],
        usageMetadata: { promptTokenCount: 5, candidatesTokenCount: 9, totalTokenCount: 14 },
      },
    ],
    text: "A word",
  },
  {
    name: "a prompt that was blocked",
    speaks: "Gemini",
    events: [
      {
        promptFeedback: { blockReason: "OTHER" },
        usageMetadata: { promptTokenCount: 5, totalTokenCount: 5 },
      },
    ],
  },
  {
    name: "a message that starts with all of its content",
    speaks: "Messages",
    events: [
      {
        type: "message_start",
        message: {
          ...message,
          content: [
            { type: "code_execution_tool_result", tool_use_id: "s1", content: {} },
            { type: "thinking", thinking: "Hm.", signature: "c2ln" },
            { type: "text", text: "A word" },
            { type: "tool_use", id: "t1", ...look },
          ],
          stop_reason: "tool_use",
        },
      },
      { type: "message_stop" },
    ],
    text: "A word",
    thought: "Hm.",
    calls: [look],
  },
  {
    name: "blocks that begin with their first words",
    speaks: "Messages",
    events: [
      started,
      ...block(
        { type: "thinking", thinking: "H", signature: "" },
        { type: "thinking_delta", thinking: "m." },
      ),
      ...block({ type: "text", text: "A " }, { type: "text_delta", text: "word" }),
      ...ended,
    ],
    text: "A word",
    thought: "Hm.",
  },
  {
    name: "a message that starts twice",
    speaks: "Messages",
    events: [
      started,
      started,
      ...block({ type: "text", text: "" }, { type: "text_delta", text: "A word" }),
      ...ended,
    ],
    text: "A word",
  },
  {
    name: "a message without a reason at its end",
    speaks: "Messages",
    events: [started, ...block({ type: "text", text: "A word" }), { type: "message_stop" }],
    text: "A word",
  },
  {
    name: "a summary of what was said before, made by the provider",
    speaks: "Messages",
    events: [
      started,
      ...block(
        { type: "compaction", content: null },
        { type: "compaction_delta", content: "Talk." },
      ),
      ...block({ type: "text", text: "" }, { type: "text_delta", text: "A word" }),
      ...ended,
    ],
    text: "A word",
  },
  {
    name: "two calls whose pieces alternate",
    speaks: "Messages",
    events: [
      started,
      {
        type: "content_block_start",
        index: 0,
        content_block: { type: "tool_use", id: "t1", name: "look", input: {} },
      },
      {
        type: "content_block_start",
        index: 1,
        content_block: { type: "tool_use", id: "t2", name: "hear", input: {} },
      },
      {
        type: "content_block_delta",
        index: 1,
        delta: { type: "input_json_delta", partial_json: '{"at":1}' },
      },
      {
        type: "content_block_delta",
        index: 0,
        delta: { type: "input_json_delta", partial_json: call },
      },
      { type: "content_block_stop", index: 0 },
      { type: "content_block_stop", index: 1 },
      ...ended,
    ],
    calls: [look, { name: "hear", input: { at: 1 } }],
  },
  {
    name: "items without events for their pieces",
    speaks: "Responses",
    events: [
      { type: "response.created", response },
      ...[thoughts, words, item].flatMap((one, output_index) => [
        {
          type: "response.output_item.added",
          output_index,
          item: { ...one, summary: [], content: [], arguments: "" },
        },
        { type: "response.output_item.done", output_index, item: one },
      ]),
      {
        type: "response.completed",
        response: { ...response, status: "completed", usage: counted },
      },
    ],
    text: "A word",
    thought: "Hm.",
    calls: [look],
  },
  {
    name: "pieces that do not name their item",
    speaks: "Responses",
    events: [
      { type: "response.created", response },
      { type: "response.output_text.delta", delta: "A word" },
      { type: "response.output_item.done", output_index: 0, item: words },
      {
        type: "response.completed",
        response: { ...response, status: "completed", usage: counted },
      },
    ],
    text: "A word",
  },
  ...["audio.", "output_audio_"].map((name) => ({
    name: `a spoken answer, told by response.${name}transcript`,
    speaks: "Responses" as const,
    events: [
      { type: "response.created", response },
      { type: "response.audio.delta", delta: "c2ln" },
      { type: `response.${name}transcript.delta`, delta: "A " },
      { type: `response.${name}transcript.done`, transcript: "A word" },
      {
        type: "response.completed",
        response: { ...response, status: "completed", usage: counted },
      },
    ],
    text: "A word",
  })),
  {
    name: "usage before the reason, and no start",
    speaks: "Converse",
    events: [
      { contentBlockDelta: { contentBlockIndex: 0, delta: { text: "A word" } } },
      { metadata: { usage: { inputTokens: 5, outputTokens: 9 } } },
      { messageStop: { stopReason: "end_turn" } },
    ],
    text: "A word",
  },
  {
    name: "no reason at the end",
    speaks: "Converse",
    events: [
      { messageStart: { role: "assistant" } },
      {
        contentBlockStart: {
          contentBlockIndex: 0,
          start: { toolUse: { toolUseId: "t1", name: "look" } },
        },
      },
      { contentBlockDelta: { contentBlockIndex: 0, delta: { toolUse: { input: call } } } },
      { contentBlockStop: { contentBlockIndex: 0 } },
      { metadata: { usage: { inputTokens: 5, outputTokens: 9 } } },
    ],
    calls: [look],
  },
  {
    name: "arguments that are an object",
    speaks: "Chat Completions",
    events: [
      chunk({ role: "assistant", content: null }),
      chunk(
        { tool_calls: [{ index: 0, id: "t1", function: { name: "look", arguments: look.input } }] },
        "tool_calls",
      ),
      { ...chunk({}), choices: [], usage },
    ],
    calls: [look],
  },
  {
    name: "a call of a tool without arguments, and none written",
    speaks: "Chat Completions",
    events: [
      chunk({
        tool_calls: [
          { index: 0, id: "t1", type: "function", function: { name: "look", arguments: null } },
        ],
      }),
      chunk({}, "tool_calls", { usage }),
    ],
    calls: [{ name: "look", input: {} }],
  },
  {
    name: "the one call of the time before tools",
    speaks: "Chat Completions",
    events: [
      chunk({ role: "assistant", content: null, function_call: { name: "look", arguments: "" } }),
      chunk({ function_call: { arguments: call } }),
      chunk({}, "function_call", { usage }),
    ],
    calls: [look],
  },
  {
    name: "reasoning under the name that GitHub Copilot gives it",
    speaks: "Chat Completions",
    events: [
      chunk({ reasoning_text: "Hm." }),
      chunk({ content: "A word" }),
      chunk({}, "stop", { usage }),
    ],
    text: "A word",
    thought: "Hm.",
  },
  {
    name: "reasoning in details alone",
    speaks: "Chat Completions",
    events: [
      chunk({ reasoning_details: [{ type: "reasoning.text", text: "Hm.", index: 0 }] }),
      chunk({ content: "A word" }),
      chunk({ reasoning_details: [{ type: "reasoning.encrypted", data: "c2ln", index: 0 }] }),
      chunk({}, "stop", { usage }),
    ],
    text: "A word",
    thought: "Hm.",
  },
  {
    name: "text and a refusal in one chunk",
    speaks: "Chat Completions",
    events: [chunk({ content: "A ", refusal: "word" }), chunk({}, "stop", { usage })],
    text: "A word",
  },
  {
    name: "a call whose id comes behind its name",
    speaks: "Chat Completions",
    events: [
      chunk({
        tool_calls: [{ index: 0, type: "function", function: { name: "look", arguments: "" } }],
      }),
      chunk({ tool_calls: [{ index: 0, id: "t1", function: { arguments: call } }] }, "tool_calls", {
        usage,
      }),
    ],
    calls: [look],
  },
  {
    name: "chunks without a choice in the middle, and a call that is named once",
    speaks: "Chat Completions",
    events: [
      chunk({
        tool_calls: [
          { index: 0, id: "t1", type: "function", function: { name: "look", arguments: "" } },
        ],
      }),
      { ...chunk({}), choices: [], usage: null },
      chunk({ tool_calls: [{ index: 0, function: { name: "", arguments: call } }], content: "" }),
      chunk({ content: "" }, "tool_calls", { usage }),
    ],
    calls: [look],
  },
];

describe.each(oddStreams)(
  "$name ($speaks)",
  ({ speaks, events, text = "", thought = "", calls = [] }) => {
    test.each(conversationEndpoints.filter((endpoint) => endpoint !== speaks))(
      "is understood by clients of %s",
      (client) => {
        const spoken = speaks === "Converse" ? "bedrock_converse" : entryOf(speaks);
        const heard = grammarReaders[client](translated(callOf(client), spoken, events.map(sse)));
        // A block of Messages has the empty input with which it starts, where none follows.
        const inputOf = (input: string): unknown =>
          client === "Messages" && input === "" ? {} : JSON.parse(input);
        expect({
          ...heard,
          calls: heard.calls.map(({ name, input }) => ({ name, input: inputOf(input) })),
        }).toEqual({
          text,
          thought,
          calls,
          output: expect.any(Number),
        });
      },
    );
  },
);

test("clients of Messages and Responses learn the id of a call that comes behind its name", () => {
  const events = [
    chunk({
      tool_calls: [{ index: 0, type: "function", function: { name: "look", arguments: "" } }],
    }),
    chunk({ tool_calls: [{ index: 0, id: "t1", function: { arguments: call } }] }, "tool_calls"),
  ].map(sse);
  const spoken = entryOf("Chat Completions");
  expect(translated(callOf("Messages"), spoken, events)).toMatch(/content_block_start.*"id":"t1"/);
  expect(translated(callOf("Responses"), spoken, events)).toMatch(
    /output_item\.added.*"call_id":"t1"/,
  );
});

test("a stream of Converse is whole after usage and reason, in whichever order they come", () => {
  const counts = sse({ metadata: { usage: { inputTokens: 5, outputTokens: 9 } } });
  const stop = sse({ messageStop: { stopReason: "max_tokens" } });
  for (const events of [
    [counts, stop],
    [stop, counts],
  ]) {
    const { upstream } = planOver(callOf("Messages"), "bedrock_converse").call;
    const read = upstream.createEventReader(planOver(callOf("Messages"), "bedrock_converse").call);
    expect(events.map((event) => read(event).kind)).toEqual(["other", "done"]);
  }
});
