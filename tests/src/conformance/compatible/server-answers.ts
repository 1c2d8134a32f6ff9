// Answers of servers that operators run themselves, and of others that differ in the same ways.
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

export const serverAnswers = chatAnswersOf([
  {
    name: "vLLM: members of its own, usage in each chunk, a reason to stop that is a number",
    reply: {
      ...chatReply({
        content: "A word",
        reasoning: "Hm.",
        tool_calls: [],
        function_call: null,
        audio: null,
      }),
      prompt_logprobs: null,
      kv_transfer_params: null,
    },
    events: [
      {
        ...chunk({}),
        choices: [
          {
            index: 0,
            delta: { role: "assistant", content: "" },
            logprobs: null,
            finish_reason: null,
          },
        ],
        prompt_token_ids: null,
        usage: { prompt_tokens: 5, completion_tokens: 0, total_tokens: 5 },
      },
      chunk({ reasoning: "Hm.", reasoning_content: "Hm." }, null, {
        usage: { prompt_tokens: 5, completion_tokens: 3, total_tokens: 8 },
      }),
      chunk({ content: "A word" }, null, {
        usage: { prompt_tokens: 5, completion_tokens: 8, total_tokens: 13 },
      }),
      {
        ...chunk({}),
        choices: [
          {
            index: 0,
            delta: { content: "" },
            finish_reason: "stop",
            stop_reason: 151645,
            token_ids: null,
          },
        ],
        usage: counted,
      },
      usageChunk(),
    ],
    text: "A word",
    thought: "Hm.",
  },
  {
    name: "SGLang: null for each member that is empty, calls without index",
    reply: {
      ...chatReply(
        {
          content: null,
          reasoning_content: null,
          tool_calls: [{ ...call("c", "look", lookWritten), index: -1 }],
        },
        "tool_calls",
      ),
      metadata: { weight_version: "d" },
    },
    events: [
      chunk({ role: "assistant", content: "", reasoning_content: null, tool_calls: null }),
      chunk({
        role: null,
        content: null,
        reasoning_content: null,
        tool_calls: [{ ...call("c", "look", ""), index: 0 }],
      }),
      chunk({
        role: null,
        content: null,
        tool_calls: [
          {
            id: null,
            index: 0,
            type: "function",
            function: { name: null, arguments: lookWritten },
          },
        ],
      }),
      {
        ...chunk({}),
        choices: [
          {
            index: 0,
            delta: { role: null, content: null },
            finish_reason: "tool_calls",
            matched_stop: null,
          },
        ],
      },
      usageChunk(),
    ],
    calls: [look],
  },
  {
    name: "Ollama: calls of one index, each whole, and a reason to stop in place of that of calls",
    reply: chatReply(
      {
        content: "",
        tool_calls: [
          call("call_a", "look", lookWritten, 0),
          call("call_b", "hear", hearWritten, 0),
        ],
      },
      "tool_calls",
    ),
    events: [
      chunk({
        role: "assistant",
        content: "",
        tool_calls: [call("call_a", "look", lookWritten, 0)],
      }),
      chunk({
        role: "assistant",
        content: "",
        tool_calls: [call("call_b", "hear", hearWritten, 0)],
      }),
      chunk({ role: "assistant", content: "" }, "stop"),
      usageChunk(),
    ],
    calls: [look, hear],
  },
  {
    name: "LM Studio: ids that are numbers, figures in every answer",
    reply: chatReply(
      {
        content: "",
        reasoning_content: "Hm.",
        tool_calls: [call("365174485", "look", lookWritten)],
      },
      "tool_calls",
      { stats: {}, system_fingerprint: "m" },
    ),
    events: [
      chunk({ reasoning_content: "Hm." }),
      chunk({ role: "assistant", tool_calls: [call("365174485", "look", "", 0)] }),
      chunk({
        tool_calls: [
          { index: 0, type: "function", function: { name: "", arguments: '{"city":"' } },
        ],
      }),
      chunk({
        tool_calls: [{ index: 0, type: "function", function: { name: "", arguments: 'Bern"}' } }],
      }),
      chunk({}, "tool_calls"),
      usageChunk(),
    ],
    thought: "Hm.",
    calls: [look],
  },
  {
    name: "llama.cpp: times, a null first, an empty text with the reason",
    reply: chatReply({ content: "A word", reasoning_content: "Hm." }, "stop", {
      timings: { prompt_n: 1 },
      __verbose: { content: "A word" },
    }),
    events: [
      chunk({ role: "assistant", content: null }),
      chunk({ reasoning_content: "Hm." }),
      chunk({ content: "A word" }),
      chunk({}, "stop"),
      { ...usageChunk(), timings: { prompt_n: 1 } },
    ],
    text: "A word",
    thought: "Hm.",
  },
  {
    name: "a server whose every chunk has an empty reason",
    events: [
      chunk({ content: "A " }, ""),
      chunk({ content: "word" }, ""),
      chunk({ content: "" }, "length", { usage: counted }),
    ],
    text: "A word",
    end: "length",
  },
  {
    name: "a server that repeats the name of a call in each chunk",
    events: [
      chunk({ tool_calls: [call("c", "look", '{"city":', 0)] }),
      chunk({ tool_calls: [call("c", "look", '"Bern"}', 0)] }),
      chunk({}, "tool_calls", { usage: counted }),
    ],
    calls: [look],
  },
  {
    name: "a server that writes the name of a call in parts",
    events: [
      chunk({ tool_calls: [call("c", "lo", "", 0)] }),
      chunk({ tool_calls: [{ index: 0, function: { name: "ok" } }] }),
      chunk({ tool_calls: [{ index: 0, function: { arguments: lookWritten } }] }),
      chunk({}, "tool_calls"),
      usageChunk({ prompt_tokens: 5, completion_tokens: 9, total_tokens: 14 }),
    ],
    calls: [look],
  },
  {
    name: "a server that quotes the arguments of its calls",
    reply: chatReply(
      { content: null, tool_calls: [call("c", "look", JSON.stringify(lookWritten))] },
      "tool_calls",
    ),
    events: [
      chunk({ tool_calls: [call("c", "look", JSON.stringify(lookWritten).slice(0, 6), 0)] }),
      chunk({
        tool_calls: [{ index: 0, function: { arguments: JSON.stringify(lookWritten).slice(6) } }],
      }),
      chunk({}, "tool_calls", { usage: counted }),
    ],
    calls: [look],
  },
  {
    name: "Cohere: a plan before the call, and texts that it cites",
    reply: chatReply(
      {
        tool_plan: "I will look.",
        tool_calls: [call("look_a", "look", lookWritten)],
        citations: [{ start: 0, end: 1, text: "A", sources: [] }],
      },
      "tool_calls",
    ),
    events: [
      chunk({ role: "assistant", tool_plan: "I will look." }),
      chunk({ tool_calls: [call("look_a", "look", "", 0)] }),
      chunk({ tool_calls: [{ index: 0, function: { arguments: lookWritten } }] }),
      chunk({}, "tool_calls", { usage: counted }),
    ],
    calls: [look],
  },
  {
    name: "Doubao: references beside the choices, a reason that is new",
    reply: chatReply({ content: "A word", reasoning_content: "Hm." }, "stop", {
      references: [{ url: page, title: "A" }],
      service_tier: "default",
    }),
    events: [
      chunk({ role: "assistant", content: "", reasoning_content: "Hm." }),
      chunk({ role: "assistant", content: "A word" }, null, {
        references: [{ url: page, title: "A" }],
      }),
      chunk({ role: "assistant", content: "" }, "stop"),
      usageChunk(),
    ],
    text: "A word",
    thought: "Hm.",
    sources: [page],
  },
  {
    name: "OpenAI: a refusal, streamed",
    reply: chatReply({ content: null, refusal: "I cannot." }),
    events: [
      chunk({ role: "assistant", content: "", refusal: null }),
      chunk({ refusal: "I " }),
      chunk({ refusal: "cannot." }),
      chunk({}, "stop"),
      usageChunk(),
    ],
    text: "I cannot.",
    end: "refusal",
  },
  {
    name: "OpenAI: a spoken answer",
    reply: chatReply({
      content: null,
      audio: { id: "a", data: "c2ln", transcript: "A word", expires_at: 1 },
    }),
    events: [
      chunk({ role: "assistant", content: null, audio: { id: "a", transcript: "A " } }),
      chunk({ audio: { id: "a", transcript: "word" } }),
      chunk({ audio: { id: "a", data: "c2ln" } }),
      chunk({}, "stop"),
      usageChunk(),
    ],
    text: "A word",
  },
  {
    name: "OpenAI: padding against listeners, an empty answer",
    reply: chatReply({ content: "" }),
    events: [
      chunk({ role: "assistant", content: "" }, null, { obfuscation: "x" }),
      chunk({}, "stop", { obfuscation: "y" }),
      usageChunk(),
    ],
  },
]);
