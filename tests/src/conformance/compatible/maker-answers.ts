// Answers of makers of models that speak chat completions.
import {
  call,
  chatAnswersOf,
  chatReply,
  chunk,
  counted,
  hear,
  hearWritten,
  look,
  lookWritten,
  page,
  usageChunk,
} from "./answer-shapes.ts";

export const makerAnswers = chatAnswersOf([
  {
    name: "Mistral: a call and the usage in the last chunk, padding, ids of nine letters",
    reply: chatReply(
      { content: "", tool_calls: [call("D681PevKs", "look", lookWritten)], prefix: false },
      "tool_calls",
    ),
    events: [
      chunk({ role: "assistant", content: "" }, null, { p: "abcd" }),
      chunk({ tool_calls: [call("D681PevKs", "look", lookWritten, 0)] }, "tool_calls", {
        usage: counted,
        p: "ab",
      }),
    ],
    calls: [look],
  },
  {
    name: "Mistral: reasoning in parts, streamed",
    reply: chatReply({
      content: [
        { type: "thinking", thinking: [{ type: "text", text: "Hm." }], closed: true },
        { type: "text", text: "A word" },
      ],
    }),
    events: [
      chunk({ role: "assistant", content: "" }),
      chunk({ content: [{ type: "thinking", thinking: [{ type: "text", text: "H" }] }] }),
      chunk({ content: [{ type: "thinking", thinking: [{ type: "text", text: "m." }] }] }),
      chunk({ content: [{ type: "text", text: "A " }] }),
      chunk({ content: "word" }),
      chunk({ content: "" }, "stop", { usage: counted }),
    ],
    text: "A word",
    thought: "Hm.",
  },
  {
    name: "Mistral: the context is full",
    reply: chatReply({ content: "A word" }, "model_length"),
    events: [
      chunk({ content: "A word" }),
      chunk({ content: "" }, "model_length", { usage: counted }),
    ],
    text: "A word",
    end: "length",
  },
  {
    name: "DeepSeek: reasoning, null beside it, cached tokens and comments between",
    reply: chatReply({ content: "A word", reasoning_content: "Hm." }, "stop", {
      usage: { ...counted, prompt_cache_hit_tokens: 2, prompt_cache_miss_tokens: 3 },
    }),
    events: [
      ": keep-alive",
      chunk({ role: "assistant", content: null, reasoning_content: "" }),
      chunk({ content: null, reasoning_content: "Hm." }),
      ": keep-alive",
      chunk({ content: "A word", reasoning_content: null }),
      chunk({ content: "", reasoning_content: null }, "stop", {
        usage: { ...counted, prompt_cache_hit_tokens: 2 },
      }),
    ],
    text: "A word",
    thought: "Hm.",
  },
  {
    name: "DeepSeek: two calls in turn",
    reply: chatReply(
      {
        content: "",
        tool_calls: [
          call("call_0_a", "look", lookWritten, 0),
          call("call_1_b", "hear", hearWritten, 1),
        ],
      },
      "tool_calls",
    ),
    events: [
      chunk({ role: "assistant", content: "" }),
      chunk({ tool_calls: [call("call_0_a", "look", "", 0)] }),
      chunk({ tool_calls: [{ index: 0, function: { arguments: '{"city":' } }] }),
      chunk({ tool_calls: [{ index: 0, function: { arguments: '"Bern"}' } }] }),
      chunk({ tool_calls: [call("call_1_b", "hear", "", 1)] }),
      chunk({ tool_calls: [{ index: 1, function: { arguments: hearWritten } }] }),
      chunk({ content: "" }, "tool_calls", { usage: counted }),
    ],
    calls: [look, hear],
  },
  {
    name: "Qwen: calls that continue with an empty id and no name",
    events: [
      chunk({ content: null, role: "assistant", refusal: null, tool_calls: null }),
      chunk({ content: null, tool_calls: [call("call_1", "look", "", 0)] }),
      chunk({
        tool_calls: [
          { index: 0, id: "", type: "function", function: { name: null, arguments: lookWritten } },
        ],
      }),
      chunk(
        { tool_calls: [{ index: 0, id: "", type: "function", function: { arguments: null } }] },
        "tool_calls",
      ),
      usageChunk(),
    ],
    calls: [look],
  },
  {
    name: "Qwen: reasoning, and usage that names it",
    reply: chatReply({ content: "A word", reasoning_content: "Hm." }, "stop", {
      usage: { ...counted, completion_tokens_details: { reasoning_tokens: 4, text_tokens: 5 } },
    }),
    events: [
      chunk({ role: "assistant", content: null, reasoning_content: "" }),
      chunk({ content: null, reasoning_content: "Hm." }, null, { usage: null }),
      chunk({ content: "A word", reasoning_content: null }),
      chunk({ content: "", reasoning_content: null }, "stop"),
      usageChunk({
        ...counted,
        completion_tokens_details: { reasoning_tokens: 4, text_tokens: 5 },
      }),
    ],
    text: "A word",
    thought: "Hm.",
  },
  {
    name: "Kimi: usage in the choice, and again at the end",
    events: [
      chunk({ role: "assistant", content: "" }),
      chunk({ reasoning_content: "Hm." }),
      chunk({ content: "A word" }),
      { ...chunk({}), choices: [{ index: 0, delta: {}, finish_reason: "stop", usage: counted }] },
      usageChunk(),
    ],
    text: "A word",
    thought: "Hm.",
  },
  {
    name: "Kimi: calls with ids of their function",
    reply: chatReply(
      { content: "", tool_calls: [call("functions.look:0", "look", lookWritten, 0)] },
      "tool_calls",
    ),
    events: [
      chunk({ tool_calls: [call("functions.look:0", "look", "", 0)] }),
      chunk({ tool_calls: [{ index: 0, function: { arguments: lookWritten } }] }),
      chunk({}, "tool_calls", { usage: counted }),
    ],
    calls: [look],
  },
  {
    name: "GLM: a text that was held back",
    reply: chatReply({ content: "A word" }, "sensitive", {
      request_id: "r",
      content_filter: [{ role: "user", level: 1 }],
    }),
    events: [chunk({ content: "A word" }), chunk({ content: "" }, "sensitive", { usage: counted })],
    text: "A word",
    end: "filter",
  },
  {
    name: "GLM: pages that it found, beside the choices",
    reply: chatReply({ content: "A word" }, "stop", {
      web_search: [{ title: "A", link: page, refer: "ref_1" }],
    }),
    events: [
      chunk({ role: "assistant", content: "A word" }),
      chunk({ content: "" }, "stop", {
        usage: counted,
        web_search: [{ title: "A", link: page, refer: "ref_1" }],
      }),
    ],
    text: "A word",
    sources: [page],
  },
  {
    name: "MiniMax: a whole message as the last event, and reasoning in details",
    reply: chatReply(
      {
        content: "A word",
        reasoning_content: "Hm.",
        reasoning_details: [{ type: "reasoning.text", text: "Hm." }],
      },
      "stop",
      { input_sensitive: false, base_resp: { status_code: 0, status_msg: "" } },
    ),
    events: [
      chunk({
        role: "assistant",
        content: "",
        reasoning_details: [{ type: "reasoning.text", text: "Hm.", index: 0 }],
      }),
      chunk({ content: "A " }),
      chunk({ content: "word" }, "stop"),
      {
        ...chatReply({ content: "A word", reasoning_content: "Hm." }),
        base_resp: { status_code: 0, status_msg: "" },
      },
    ],
    text: "A word",
    thought: "Hm.",
  },
]);
