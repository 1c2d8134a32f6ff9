// Answers of providers that speak Messages.
import {
  type CompatibleAnswer,
  hear,
  hearWritten,
  look,
  lookWritten,
  page,
} from "./answer-shapes.ts";

const messageHead = { id: "m1", type: "message", role: "assistant", model: "m" };
const messageUsage = { input_tokens: 5, output_tokens: 9 };
const message = (content: readonly object[], stop_reason = "end_turn", more: object = {}) => ({
  ...messageHead,
  content,
  stop_reason,
  stop_sequence: null,
  usage: messageUsage,
  ...more,
});
const started = (usage: object = { input_tokens: 5, output_tokens: 1 }) => ({
  type: "message_start",
  message: { ...messageHead, content: [], stop_reason: null, stop_sequence: null, usage },
});
const block = (index: number, content_block: object, ...deltas: readonly object[]) => [
  { type: "content_block_start", index, content_block },
  ...deltas.map((delta) => ({ type: "content_block_delta", index, delta })),
  { type: "content_block_stop", index },
];
const ended = (
  stop_reason = "end_turn",
  usage: object = { output_tokens: 9 },
  more: object = {},
) => [
  { type: "message_delta", delta: { stop_reason, stop_sequence: null }, usage },
  { type: "message_stop", ...more },
];
const thinks = (index: number, ...more: readonly object[]) =>
  block(
    index,
    { type: "thinking", thinking: "" },
    { type: "thinking_delta", thinking: "Hm." },
    ...more,
  );
const says = (index: number) =>
  block(
    index,
    { type: "text", text: "" },
    { type: "text_delta", text: "A " },
    { type: "text_delta", text: "word" },
  );
const calls = (index: number, id: string, name: string, ...written: readonly string[]) =>
  block(
    index,
    { type: "tool_use", id, name, input: {} },
    ...written.map((partial_json) => ({ type: "input_json_delta", partial_json })),
  );

const answers: readonly Omit<CompatibleAnswer, "speaks">[] = [
  {
    name: "Bedrock: measures in the last event",
    reply: message([{ type: "text", text: "A word" }]),
    events: [
      started(),
      ...says(0),
      ...ended("end_turn", undefined, {
        "amazon-bedrock-invocationMetrics": { inputTokenCount: 5, outputTokenCount: 9 },
      }),
    ],
    text: "A word",
  },
  {
    name: "GLM: nothing counted at the start, everything at the end",
    reply: message([{ type: "text", text: "A word" }], "end_turn", {
      usage: {
        ...messageUsage,
        cache_read_input_tokens: 2,
        server_tool_use: { web_search_requests: 0 },
      },
    }),
    events: [
      started({ input_tokens: 0, output_tokens: 0 }),
      { type: "ping" },
      ...says(0),
      ...ended("end_turn", {
        ...messageUsage,
        cache_read_input_tokens: 2,
        service_tier: "standard",
      }),
    ],
    text: "A word",
  },
  {
    name: "DeepSeek: thoughts signed with an id, calls without arguments at first",
    reply: message(
      [
        { type: "thinking", thinking: "Hm.", signature: "c1" },
        { type: "tool_use", id: "call_00_a", ...look },
      ],
      "tool_use",
    ),
    events: [
      started(),
      ...thinks(0, { type: "signature_delta", signature: "c1" }),
      ...calls(1, "call_00_a", "look", "", '{"city":', '"Bern"}'),
      ...ended("tool_use"),
    ],
    thought: "Hm.",
    calls: [look],
  },
  {
    name: "Kimi and MiniMax: thoughts without a signature, two calls",
    reply: message(
      [
        { type: "thinking", thinking: "Hm." },
        { type: "text", text: "A word" },
        { type: "tool_use", id: "a", ...look },
        { type: "tool_use", id: "b", ...hear },
      ],
      "tool_use",
      { base_resp: { status_code: 0 } },
    ),
    events: [
      started(),
      ...thinks(0),
      ...says(1),
      ...calls(2, "a", "look", lookWritten),
      ...calls(3, "b", "hear", hearWritten),
      ...ended("tool_use"),
    ],
    text: "A word",
    thought: "Hm.",
    calls: [look, hear],
  },
  {
    name: "OpenRouter: comments, and [DONE] behind the end",
    events: [": OPENROUTER PROCESSING", started(), ...says(0), ...ended(), "data: [DONE]"],
    text: "A word",
  },
  {
    name: "Anthropic: a search of its own, with what the text cites",
    reply: message([
      { type: "server_tool_use", id: "s1", name: "web_search", input: { query: "a" } },
      {
        type: "web_search_tool_result",
        tool_use_id: "s1",
        content: [{ type: "web_search_result", url: page, title: "A", encrypted_content: "x" }],
      },
      {
        type: "text",
        text: "A word",
        citations: [
          {
            type: "web_search_result_location",
            url: page,
            title: "A",
            cited_text: "A",
            encrypted_index: "x",
          },
        ],
      },
    ]),
    events: [
      started(),
      ...block(
        0,
        { type: "server_tool_use", id: "s1", name: "web_search", input: {} },
        { type: "input_json_delta", partial_json: '{"query":"a"}' },
      ),
      ...block(1, {
        type: "web_search_tool_result",
        tool_use_id: "s1",
        content: [{ type: "web_search_result", url: page, title: "A" }],
      }),
      ...block(
        2,
        { type: "text", text: "", citations: [] },
        {
          type: "citations_delta",
          citation: { type: "web_search_result_location", url: page, title: "A", cited_text: "A" },
        },
        { type: "text_delta", text: "A word" },
      ),
      ...ended("end_turn", { output_tokens: 9, server_tool_use: { web_search_requests: 1 } }),
    ],
    text: "A word",
    sources: [page],
  },
  {
    name: "Anthropic: refused, with details",
    reply: message([{ type: "text", text: "A w" }], "refusal", {
      stop_details: { type: "refusal", category: "cyber", explanation: null },
    }),
    events: [
      started(),
      ...block(0, { type: "text", text: "" }, { type: "text_delta", text: "A w" }),
      ...ended("refusal"),
    ],
    text: "A w",
    end: "filter",
  },
  {
    name: "Anthropic: the context is full",
    reply: message([{ type: "text", text: "A word" }], "model_context_window_exceeded"),
    events: [started(), ...says(0), ...ended("model_context_window_exceeded")],
    text: "A word",
    end: "length",
  },
];

export const messagesAnswers = answers.map(
  (one): CompatibleAnswer => ({ speaks: "Messages", output: 9, ...one }),
);
