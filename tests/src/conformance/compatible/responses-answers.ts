// Answers of providers that speak Responses.
import { type CompatibleAnswer, look, lookWritten, page } from "./answer-shapes.ts";

const pixel = "iVBORw0KGgo=";
const response = (output: readonly object[], more: object = {}) => ({
  id: "resp_1",
  object: "response",
  created_at: 1,
  status: "completed",
  model: "m",
  output,
  usage: {
    input_tokens: 5,
    output_tokens: 9,
    total_tokens: 14,
    output_tokens_details: { reasoning_tokens: 2 },
  },
  ...more,
});
const part = { type: "output_text", text: "A word", annotations: [] };
const spoken = {
  id: "msg_1",
  type: "message",
  role: "assistant",
  status: "completed",
  content: [part],
};
const thought = {
  id: "rs_1",
  type: "reasoning",
  summary: [],
  content: [{ type: "reasoning_text", text: "Hm." }],
};
const called = {
  id: "fc_1",
  type: "function_call",
  call_id: "c1",
  name: "look",
  arguments: lookWritten,
  status: "completed",
};
const created = {
  type: "response.created",
  response: { ...response([]), status: "in_progress", usage: null },
};
const completed = (output: readonly object[], more: object = {}) => ({
  type: "response.completed",
  response: response(output, more),
});
const itemOf = (
  output_index: number,
  item: object,
  begun: object,
  ...between: readonly object[]
) => [
  { type: "response.output_item.added", output_index, item: { ...item, ...begun } },
  ...between.map((event) => ({ output_index, ...event })),
  { type: "response.output_item.done", output_index, item },
];
const sayingOf = (output_index: number) =>
  itemOf(
    output_index,
    spoken,
    { content: [], status: "in_progress" },
    {
      type: "response.content_part.added",
      item_id: "msg_1",
      content_index: 0,
      part: { ...part, text: "" },
    },
    {
      type: "response.output_text.delta",
      item_id: "msg_1",
      content_index: 0,
      delta: "A ",
      logprobs: [],
    },
    {
      type: "response.output_text.delta",
      item_id: "msg_1",
      content_index: 0,
      delta: "word",
      logprobs: [],
    },
    { type: "response.output_text.done", item_id: "msg_1", content_index: 0, text: "A word" },
    { type: "response.content_part.done", item_id: "msg_1", content_index: 0, part },
  );

const answers: readonly Omit<CompatibleAnswer, "speaks">[] = [
  {
    name: "vLLM, LM Studio and Groq: reasoning as text, its part announced",
    reply: response([thought, spoken]),
    events: [
      created,
      { type: "response.in_progress", response: created.response },
      ...itemOf(
        0,
        thought,
        { content: [] },
        {
          type: "response.reasoning_part.added",
          item_id: "rs_1",
          content_index: 0,
          part: { type: "reasoning_text", text: "" },
        },
        { type: "response.reasoning_text.delta", item_id: "rs_1", content_index: 0, delta: "Hm." },
        { type: "response.reasoning_text.done", item_id: "rs_1", content_index: 0, text: "Hm." },
        {
          type: "response.reasoning_part.done",
          item_id: "rs_1",
          content_index: 0,
          part: { type: "reasoning_text", text: "Hm." },
        },
      ),
      ...sayingOf(1),
      completed([thought, spoken]),
    ],
    text: "A word",
    thought: "Hm.",
  },
  {
    name: "xAI: searches of its own, and an address without a place",
    reply: response([
      {
        id: "ws_1",
        type: "web_search_call",
        status: "completed",
        action: { type: "search", query: "a" },
      },
      {
        id: "xs_1",
        type: "custom_tool_call",
        call_id: "xs_call_1",
        name: "x_keyword_search",
        input: "{}",
        status: "completed",
      },
      {
        ...spoken,
        content: [{ ...part, annotations: [{ type: "url_citation", url: page, title: "1" }] }],
      },
    ]),
    events: [
      created,
      ...itemOf(
        0,
        { id: "ws_1", type: "web_search_call", status: "completed" },
        {},
        { type: "response.web_search_call.searching", item_id: "ws_1" },
      ),
      ...sayingOf(1).toSpliced(4, 0, {
        type: "response.output_text.annotation.added",
        output_index: 1,
        content_index: 0,
        annotation_index: 0,
        annotation: { type: "url_citation", url: page, title: "1" },
      } as never),
      completed([spoken]),
    ],
    text: "A word",
    sources: [page],
  },
  {
    name: "OpenRouter: comments, calls, and what it costs",
    reply: response([called], {
      usage: { input_tokens: 5, output_tokens: 9, total_tokens: 14, cost: 0.1 },
    }),
    events: [
      ": OPENROUTER PROCESSING",
      created,
      ...itemOf(
        0,
        called,
        { arguments: "", status: "in_progress" },
        { type: "response.function_call_arguments.delta", item_id: "fc_1", delta: '{"city":' },
        { type: "response.function_call_arguments.delta", item_id: "fc_1", delta: '"Bern"}' },
        { type: "response.function_call_arguments.done", item_id: "fc_1", arguments: lookWritten },
      ),
      completed([called]),
      "data: [DONE]",
    ],
    calls: [look],
  },
  {
    name: "Azure: an answer that its filter ended",
    reply: response([spoken], {
      status: "incomplete",
      incomplete_details: { reason: "content_filter" },
      content_filters: [{ blocked: true }],
    }),
    events: [
      created,
      ...sayingOf(0),
      {
        type: "response.incomplete",
        response: response([spoken], {
          status: "incomplete",
          incomplete_details: { reason: "content_filter" },
        }),
      },
    ],
    text: "A word",
    end: "filter",
  },
  {
    name: "OpenAI: a picture that it drew, with drafts",
    reply: response([
      {
        id: "ig_1",
        type: "image_generation_call",
        status: "completed",
        result: pixel,
        output_format: "png",
      },
      spoken,
    ]),
    events: [
      created,
      ...itemOf(
        0,
        {
          id: "ig_1",
          type: "image_generation_call",
          status: "completed",
          result: pixel,
          output_format: "png",
        },
        { result: null, status: "in_progress" },
        {
          type: "response.image_generation_call.partial_image",
          item_id: "ig_1",
          partial_image_index: 0,
          partial_image_b64: "eA==",
        },
      ),
      ...sayingOf(1),
      completed([spoken]),
    ],
    text: "A word",
    pictures: [pixel],
  },
  {
    name: "OpenAI: an answer that reached its limit",
    reply: response([spoken], {
      status: "incomplete",
      incomplete_details: { reason: "max_output_tokens" },
    }),
    events: [
      created,
      ...sayingOf(0),
      {
        type: "response.incomplete",
        response: response([spoken], {
          status: "incomplete",
          incomplete_details: { reason: "max_output_tokens" },
        }),
      },
    ],
    text: "A word",
    end: "length",
  },
  {
    name: "a server whose response has no events but the first and the last",
    events: [created, completed([thought, spoken, called])],
    text: "A word",
    thought: "Hm.",
    calls: [look],
  },
];

export const responsesAnswers = answers.map(
  (one): CompatibleAnswer => ({ speaks: "Responses", output: 9, ...one }),
);
