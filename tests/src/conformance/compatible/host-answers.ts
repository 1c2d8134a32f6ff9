// Answers of hosts of many models that speak chat completions.
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

const pixel = "iVBORw0KGgo=";
const filtered = { hate: { filtered: false, severity: "safe" } };

export const hostAnswers = chatAnswersOf([
  {
    name: "xAI: usage in each chunk, addresses in the last",
    reply: chatReply({ content: "A word", reasoning_content: "Hm.", refusal: null }, "stop", {
      citations: [page],
    }),
    events: [
      chunk({ role: "assistant", content: "", reasoning_content: "Hm." }, null, {
        usage: { ...counted, completion_tokens: 1, total_tokens: 6 },
      }),
      chunk({ content: "A word" }, null, {
        usage: { ...counted, completion_tokens: 5, total_tokens: 10 },
      }),
      chunk({ content: "" }, "stop", { usage: counted, citations: [page] }),
    ],
    text: "A word",
    thought: "Hm.",
    sources: [page],
  },
  {
    name: "Groq: usage of its own beside that of the API, reasoning, and tools that it ran",
    reply: chatReply(
      {
        content: "A word",
        reasoning: "Hm.",
        executed_tools: [{ index: 0, type: "search", arguments: "{}", output: "x" }],
      },
      "stop",
      { x_groq: { id: "req" }, usage: { ...counted, queue_time: 0.1, total_time: 0.2 } },
    ),
    events: [
      chunk({ role: "assistant", content: "" }, null, { x_groq: { id: "req" } }),
      chunk({ reasoning: "Hm.", channel: "analysis" }),
      chunk({ executed_tools: [{ index: 0, type: "search", arguments: "{}" }] }),
      chunk({ content: "A word" }),
      chunk({}, "stop", { x_groq: { id: "req", usage: counted } }),
      usageChunk(),
    ],
    text: "A word",
    thought: "Hm.",
  },
  {
    name: "Cerebras: times, and usage with the reason",
    reply: chatReply({ content: "A word", reasoning: "Hm." }, "stop", {
      time_info: { queue_time: 0.1 },
    }),
    events: [
      chunk({ role: "assistant" }),
      chunk({ reasoning: "Hm." }),
      chunk({ content: "A word" }),
      chunk({}, "stop", { usage: counted, time_info: { queue_time: 0.1 } }),
    ],
    text: "A word",
    thought: "Hm.",
  },
  {
    name: "Together: text beside the delta, and an ending of its own",
    reply: { ...chatReply({ content: "A word", tool_calls: [] }, "eos"), prompt: [] },
    events: [
      {
        ...chunk({}),
        choices: [
          {
            index: 0,
            text: "A ",
            logprobs: null,
            finish_reason: null,
            delta: { role: "assistant", content: "A ", token_id: 1, tool_calls: null },
          },
        ],
        usage: null,
      },
      {
        ...chunk({}),
        choices: [
          {
            index: 0,
            text: "word",
            finish_reason: null,
            delta: { role: "assistant", content: "word" },
          },
        ],
      },
      {
        ...chunk({}),
        choices: [
          { index: 0, text: "", finish_reason: "eos", delta: { role: "assistant", content: "" } },
        ],
        usage: counted,
      },
    ],
    text: "A word",
  },
  {
    name: "Fireworks: figures of its own, and an array of calls without numbers",
    reply: chatReply(
      {
        content: null,
        tool_calls: [call("c", "look", lookWritten), call("d", "hear", hearWritten)],
      },
      "tool_calls",
    ),
    events: [
      chunk({ role: "assistant" }),
      chunk({ tool_calls: [call("c", "look", lookWritten, 0), call("d", "hear", hearWritten, 1)] }),
      chunk({}, "tool_calls", {
        usage: counted,
        perf_metrics: { "server-time-to-first-token": 1 },
      }),
    ],
    calls: [look, hear],
  },
  {
    name: "Perplexity: the whole message so far beside each delta, and usage in each chunk",
    reply: chatReply({ content: "A word" }, "stop", {
      citations: [page],
      search_results: [{ title: "A", url: page, date: null }],
      usage: { ...counted, search_context_size: "low", cost: { total_cost: 0.006 } },
    }),
    events: [
      {
        ...chunk({}),
        choices: [
          {
            index: 0,
            finish_reason: null,
            message: { role: "assistant", content: "A " },
            delta: { role: "assistant", content: "A " },
          },
        ],
        citations: [page],
        usage: { ...counted, completion_tokens: 1, total_tokens: 6 },
      },
      {
        ...chunk({}),
        object: "chat.completion.done",
        choices: [
          {
            index: 0,
            finish_reason: "stop",
            message: { role: "assistant", content: "A word" },
            delta: { content: "word" },
          },
        ],
        citations: [page],
        search_results: [{ title: "A", url: page }],
        usage: { ...counted, search_context_size: "low" },
      },
    ],
    text: "A word",
    sources: [page],
  },
  {
    name: "OpenRouter: comments, reasoning twice, addresses and a picture",
    reply: chatReply(
      {
        content: "A word",
        refusal: null,
        reasoning: "Hm.",
        reasoning_details: [{ type: "reasoning.text", text: "Hm.", signature: null, index: 0 }],
        annotations: [
          {
            type: "url_citation",
            url_citation: { url: page, title: "A", start_index: 0, end_index: 1 },
          },
        ],
        images: [
          { type: "image_url", image_url: { url: `data:image/png;base64,${pixel}` }, index: 0 },
        ],
      },
      "stop",
      { provider: "P", usage: { ...counted, cost: 0.1, is_byok: false } },
    ),
    events: [
      ": OPENROUTER PROCESSING",
      chunk({
        role: "assistant",
        content: "",
        reasoning: "Hm.",
        reasoning_details: [{ type: "reasoning.text", text: "Hm.", index: 0 }],
      }),
      chunk({ role: "assistant", content: "A word" }),
      chunk({
        role: "assistant",
        content: "",
        annotations: [
          {
            type: "url_citation",
            url_citation: { url: page, title: "A", start_index: 0, end_index: 1 },
          },
        ],
      }),
      chunk({
        role: "assistant",
        content: "",
        images: [{ type: "image_url", image_url: { url: `data:image/png;base64,${pixel}` } }],
      }),
      {
        ...chunk({}),
        choices: [
          {
            index: 0,
            delta: { role: "assistant", content: "" },
            finish_reason: "stop",
            native_finish_reason: "end_turn",
            logprobs: null,
          },
        ],
      },
      {
        ...chunk({}),
        choices: [
          {
            index: 0,
            delta: { role: "assistant", content: "" },
            finish_reason: null,
            native_finish_reason: null,
          },
        ],
        usage: { ...counted, cost: 0.1 },
      },
    ],
    text: "A word",
    thought: "Hm.",
    sources: [page],
    pictures: [pixel],
  },
  {
    name: "Azure: verdicts on prompt and answer, before, beside and behind the words",
    reply: {
      ...chatReply({ content: "A word", refusal: null }),
      prompt_filter_results: [{ prompt_index: 0, content_filter_results: filtered }],
    },
    events: [
      {
        ...chunk({}),
        choices: [],
        prompt_filter_results: [{ prompt_index: 0, content_filter_results: filtered }],
      },
      {
        ...chunk({}),
        choices: [
          {
            index: 0,
            delta: { role: "assistant", content: "", refusal: null },
            content_filter_results: {},
            finish_reason: null,
          },
        ],
      },
      {
        ...chunk({}),
        choices: [
          {
            index: 0,
            delta: { content: "A word" },
            content_filter_results: filtered,
            finish_reason: null,
            logprobs: null,
          },
        ],
      },
      {
        id: "",
        object: "",
        created: 0,
        model: "",
        choices: [
          {
            index: 0,
            finish_reason: null,
            content_filter_results: filtered,
            content_filter_offsets: { check_offset: 44, start_offset: 44, end_offset: 50 },
          },
        ],
      },
      chunk({}, "stop"),
      usageChunk(),
    ],
    text: "A word",
  },
  {
    name: "Azure: an answer that the filter ended",
    reply: { ...chatReply({ content: "A w" }, "content_filter") },
    events: [chunk({ content: "A w" }), chunk({}, "content_filter"), usageChunk()],
    text: "A w",
    end: "filter",
  },
  {
    name: "Google's compatible API: two calls of one index without ids, and a reason with its detail",
    reply: chatReply(
      { tool_calls: [call("", "look", lookWritten), call("", "hear", hearWritten)] },
      "tool_calls",
    ),
    events: [
      chunk({ role: "assistant", tool_calls: [call("", "look", lookWritten, 0)] }),
      chunk({ role: "assistant", tool_calls: [call("", "hear", hearWritten, 0)] }),
      chunk({ role: "assistant" }, "stop", { usage: counted }),
    ],
    calls: [look, hear],
  },
  {
    name: "Google's compatible API: a filter with its reason",
    reply: chatReply({ content: "A w" }, "content_filter: RECITATION"),
    events: [
      chunk({ content: "A w" }),
      chunk({}, "content_filter: RECITATION", { usage: counted }),
    ],
    text: "A w",
    end: "filter",
  },
]);
