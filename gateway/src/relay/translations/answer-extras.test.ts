// What answers hold beside text and calls: pictures, citations, log probabilities, spoken words,
// and reasoning in signatures.

import type { ConversationEndpoint } from "@tollgate/tests/conformance/conversation-scenario.ts";
import { callOf, planOver, translated } from "@tollgate/tests/conformance/in-process-relay.ts";
import { dataOf, grammarReaders } from "@tollgate/tests/conformance/stream-grammar.ts";
import { translatedBody } from "@tollgate/tests/support/translate-request.ts";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { ApiEndpoint } from "../formats/api-format.ts";
import type { JsonRecord } from "../wire/json-parts.ts";
import { chatToGemini } from "./chat-to-gemini.ts";
import { geminiThroughChat, geminiToChat } from "./gemini-to-chat.ts";
import { findGrounding, listCandidateCitations } from "./url-citations.ts";

const sse = (data: object): string => `data: ${JSON.stringify(data)}\n\n`;
const asking = (endpoint: ConversationEndpoint, more: object) => {
  const call = callOf(endpoint);
  return {
    ...call,
    body: Buffer.from(JSON.stringify({ ...JSON.parse(call.body.toString()), ...more })),
  };
};
const whole = (endpoint: ConversationEndpoint, spoken: ApiEndpoint, reply: object): JsonRecord =>
  planOver(callOf(endpoint), spoken).translator?.translateReply(reply as JsonRecord) as JsonRecord;
/** Also checks that the stream follows the grammar of its format. */
function streamed(
  endpoint: ConversationEndpoint,
  spoken: ApiEndpoint,
  events: readonly object[],
): JsonRecord[] {
  const stream = translated(callOf(endpoint), spoken, events.map(sse));
  grammarReaders[endpoint](stream);
  return dataOf(stream).flatMap((data) =>
    data === "[DONE]" ? [] : [JSON.parse(data) as JsonRecord],
  );
}
const deltas = (chunks: readonly JsonRecord[]): JsonRecord[] =>
  chunks.flatMap(({ choices }) => (choices as { delta: JsonRecord }[]).map(({ delta }) => delta));
const lastResponse = (events: readonly JsonRecord[]): JsonRecord =>
  events.at(-1)?.response as JsonRecord;

const started = {
  type: "message_start",
  message: { id: "m", content: [], usage: { input_tokens: 5, output_tokens: 1 } },
};
const stopped = [
  { type: "message_delta", delta: { stop_reason: "end_turn" }, usage: { output_tokens: 9 } },
  { type: "message_stop" },
];
const created = { type: "response.created", response: { id: "resp_1" } };
const finished = { candidatesTokenCount: 9, promptTokenCount: 5, totalTokenCount: 14 };

describe("pictures in answers", () => {
  const drawn = { mimeType: "image/png", data: "aGk=" };
  const candidate = {
    content: { role: "model", parts: [{ text: "Here: " }, { inlineData: drawn }] },
    finishReason: "STOP",
  };
  const reply = { candidates: [candidate], usageMetadata: finished };
  const image = { type: "image_url", image_url: { url: "data:image/png;base64,aGk=" } };
  const responseItem = {
    type: "image_generation_call",
    id: "ig_1",
    status: "completed",
    result: "aGk=",
    output_format: "png",
  };
  const response = {
    id: "resp_1",
    object: "response",
    status: "completed",
    output: [responseItem],
  };

  test("of Gemini reach chat completions and Responses", () => {
    expect(whole("Chat Completions", "gemini", reply)).toMatchObject({
      choices: [{ message: { content: "Here: ", images: [image] } }],
    });
    const chunks = deltas(streamed("Chat Completions", "gemini", [reply]));
    expect(chunks).toContainEqual({ content: "Here: ", images: [{ index: 0, ...image }] });
    const item = {
      type: "image_generation_call",
      status: "completed",
      result: "aGk=",
      output_format: "png",
    };
    expect(whole("Responses", "gemini", reply).output).toMatchObject([{ type: "message" }, item]);
    expect(lastResponse(streamed("Responses", "gemini", [reply])).output).toMatchObject([
      { type: "message" },
      item,
    ]);
  });

  test("of Responses reach chat completions and Gemini", () => {
    expect(whole("Chat Completions", "response_api", response)).toMatchObject({
      choices: [{ message: { images: [image] } }],
    });
    expect(whole("Gemini", "response_api", response)).toMatchObject({
      candidates: [{ content: { parts: [{ inlineData: drawn }] } }],
    });
    const done = { type: "response.output_item.done", output_index: 0, item: responseItem };
    const events = [created, done, { type: "response.completed", response }];
    expect(deltas(streamed("Chat Completions", "response_api", events))).toContainEqual({
      images: [{ index: 0, ...image }],
    });
    expect(streamed("Gemini", "response_api", events)[0]).toMatchObject({
      candidates: [{ content: { parts: [{ inlineData: drawn }] } }],
    });
  });

  test("of Converse reach chat completions; sketches among Gemini's thoughts reach no client", () => {
    const content = [{ image: { format: "png", source: { bytes: "aGk=" } } }];
    const output = { output: { message: { content } }, stopReason: "end_turn" };
    expect(whole("Chat Completions", "bedrock_converse", output)).toMatchObject({
      choices: [{ message: { images: [image] } }],
    });
    const sketch = {
      content: { parts: [{ inlineData: drawn, thought: true }] },
      finishReason: "STOP",
    };
    expect(
      JSON.stringify(whole("Chat Completions", "gemini", { candidates: [sketch] })),
    ).not.toContain("aGk=");
  });

  test("of earlier turns go back to a model of Google that draws", () => {
    const messages = [
      { role: "user", content: "draw" },
      { role: "assistant", content: "Here: ", images: [{ index: 0, ...image }] },
      { role: "user", content: "brighter" },
    ];
    expect(translatedBody(chatToGemini, { model: "m", messages }, "m").contents).toMatchObject([
      {},
      { role: "model", parts: [{ text: "Here: " }, { inlineData: drawn }] },
      {},
    ]);
  });
});

describe("cited addresses", () => {
  const found = {
    type: "web_search_result_location",
    url: "https://a.example",
    title: "A",
    encrypted_index: "x",
  };
  const document = {
    type: "char_location",
    document_title: "mine",
    start_char_index: 0,
    end_char_index: 4,
  };
  const content = [
    { type: "text", text: "So: " },
    { type: "text", text: "é is cited.", citations: [found, document] },
  ];
  const block = (index: number, text: string, citations: readonly object[]) => [
    { type: "content_block_start", index, content_block: { type: "text", text: "" } },
    ...citations.map((citation) => ({
      type: "content_block_delta",
      index,
      delta: { type: "citations_delta", citation },
    })),
    { type: "content_block_delta", index, delta: { type: "text_delta", text } },
    { type: "content_block_stop", index },
  ];
  const events = [
    started,
    ...block(0, "So: ", []),
    ...block(1, "é is cited.", [found, document]),
    ...stopped,
  ];
  const cited = { url: "https://a.example", title: "A", start_index: 4, end_index: 15 };

  test("of Messages reach chat completions, Responses and Gemini, with their places", () => {
    const reply = { type: "message", id: "m", content, stop_reason: "end_turn", usage: {} };
    expect(whole("Chat Completions", "claude_messages", reply)).toMatchObject({
      choices: [{ message: { annotations: [{ type: "url_citation", url_citation: cited }] } }],
    });
    expect(deltas(streamed("Chat Completions", "claude_messages", events))).toContainEqual({
      annotations: [{ index: 0, type: "url_citation", url_citation: cited }],
    });
    const annotations = [{ type: "url_citation", ...cited }];
    expect(whole("Responses", "claude_messages", reply).output).toMatchObject([
      { content: [{ annotations }] },
    ]);
    expect(lastResponse(streamed("Responses", "claude_messages", events)).output).toMatchObject([
      { content: [{ annotations }] },
    ]);
    const groundingMetadata = {
      groundingChunks: [{ web: { uri: "https://a.example", title: "A" } }],
      groundingSupports: [
        {
          segment: { startIndex: 4, endIndex: 16, text: "é is cited." },
          groundingChunkIndices: [0],
        },
      ],
    };
    expect(whole("Gemini", "claude_messages", reply)).toMatchObject({
      candidates: [{ groundingMetadata }],
    });
    expect(streamed("Gemini", "claude_messages", events).at(-1)).toMatchObject({
      candidates: [{ groundingMetadata }],
    });
  });

  test("of Responses count from the beginning of their part, of chat completions from that of the answer", () => {
    const url_citation = { url: "https://a.example", title: "A", start_index: 0, end_index: 3 };
    const part = (text: string, annotations: readonly object[]) => ({
      type: "output_text",
      text,
      annotations,
    });
    const second = part("two", [{ type: "url_citation", ...url_citation }]);
    const output = [{ type: "message", content: [part("one ", []), second] }];
    const reply = { id: "resp_1", object: "response", status: "completed", output };
    const shiftedBack = { ...url_citation, start_index: 4, end_index: 7 };
    expect(whole("Chat Completions", "response_api", reply)).toMatchObject({
      choices: [{ message: { annotations: [{ url_citation: shiftedBack }] } }],
    });
    const place = (content_index: number) => ({ output_index: 0, content_index });
    const told = [
      created,
      { type: "response.output_text.delta", ...place(0), delta: "one " },
      { type: "response.output_text.delta", ...place(1), delta: "two" },
      {
        type: "response.output_text.annotation.added",
        ...place(1),
        annotation: second.annotations[0],
      },
      { type: "response.completed", response: reply },
    ];
    expect(deltas(streamed("Chat Completions", "response_api", told))).toContainEqual({
      annotations: [{ index: 0, type: "url_citation", url_citation: shiftedBack }],
    });
  });

  test("that Gemini repeats with each event are told once", () => {
    const groundingMetadata = {
      groundingChunks: [{ web: { uri: "https://a.example", title: "A" } }],
      groundingSupports: [{ segment: { endIndex: 3, text: "é " }, groundingChunkIndices: [0] }],
    };
    const event = (text: string, finishReason?: string) => ({
      candidates: [{ content: { parts: [{ text }] }, groundingMetadata, finishReason }],
    });
    const said = deltas(
      streamed("Chat Completions", "gemini", [event("é "), event("is"), event(".", "STOP")]),
    );
    expect(said.flatMap(({ annotations }) => annotations ?? [])).toEqual([
      {
        index: 0,
        type: "url_citation",
        url_citation: { url: "https://a.example", title: "A", start_index: 0, end_index: 2 },
      },
    ]);
  });

  test("that a provider lists beside its choices become citations", () => {
    const listed = {
      citations: ["https://a.example", "https://b.example"],
      search_results: [{ url: "https://b.example", title: "B" }],
    };
    const message = { role: "assistant", content: "One [1], two [2]." };
    const reply = { id: "c", choices: [{ index: 0, message, finish_reason: "stop" }], ...listed };
    const annotations = [
      { type: "url_citation", url: "https://a.example" },
      { type: "url_citation", url: "https://b.example", title: "B" },
    ];
    expect(whole("Responses", "chat_completions", reply).output).toMatchObject([
      { content: [{ annotations }] },
    ]);
    const chunk = (delta: object, finish_reason: string | null) => ({
      id: "c",
      object: "chat.completion.chunk",
      choices: [{ index: 0, delta, finish_reason }],
      ...listed,
    });
    const events = [chunk({ content: "One [1], " }, null), chunk({ content: "two [2]." }, "stop")];
    expect(lastResponse(streamed("Responses", "chat_completions", events)).output).toMatchObject([
      { content: [{ annotations }] },
    ]);
    expect(streamed("Gemini", "chat_completions", events).at(-1)).toMatchObject({
      candidates: [
        {
          groundingMetadata: {
            groundingChunks: [{ web: { uri: "https://a.example" } }, { web: { title: "B" } }],
          },
        },
      ],
    });
  });

  test("keep their places on the way to Gemini and back, whatever the characters", () => {
    const place = fc.nat(40);
    fc.assert(
      fc.property(
        fc.string({ unit: "grapheme", maxLength: 30 }),
        fc.array(fc.tuple(place, place), { minLength: 1, maxLength: 4 }),
        (answer, places) => {
          const characters = [...answer];
          const at = (index: number) => characters.slice(0, index).join("").length;
          const citations = places.map(([one, other]) => ({
            url: "https://a.example",
            title: "A",
            start_index: at(Math.min(one, other)),
            end_index: at(Math.max(one, other)),
          }));
          const placed = citations.filter(({ start_index, end_index }) => end_index > start_index);
          fc.pre(placed.length > 0);
          const groundingMetadata = findGrounding(placed, answer);
          expect(listCandidateCitations({ groundingMetadata }, answer)).toEqual(placed);
        },
      ),
    );
  });
});

describe("log probabilities", () => {
  const content = [
    {
      token: "Hé",
      logprob: -0.5,
      bytes: [72, 195, 169],
      top_logprobs: [{ token: "Ha", logprob: -2, bytes: [72, 97] }],
    },
  ];
  const logprobsResult = {
    chosenCandidates: [{ token: "Hé", logProbability: -0.5 }],
    topCandidates: [{ candidates: [{ token: "Ha", logProbability: -2 }] }],
  };
  const choice = { index: 0, logprobs: { content, refusal: null }, finish_reason: "stop" };

  test("of chat completions reach Responses and Gemini", () => {
    const reply = {
      id: "c",
      choices: [{ ...choice, message: { role: "assistant", content: "Hé" } }],
    };
    const part = { type: "output_text", text: "Hé", logprobs: content };
    expect(whole("Responses", "chat_completions", reply).output).toMatchObject([
      { content: [part] },
    ]);
    expect(whole("Gemini", "chat_completions", reply)).toMatchObject({
      candidates: [{ logprobsResult }],
    });
    const events = [
      { id: "c", choices: [{ ...choice, delta: { role: "assistant", content: "Hé" } }] },
    ];
    const told = streamed("Responses", "chat_completions", events);
    expect(told).toContainEqual(
      expect.objectContaining({ type: "response.output_text.delta", logprobs: content }),
    );
    expect(lastResponse(told).output).toMatchObject([{ content: [part] }]);
    expect(streamed("Gemini", "chat_completions", events)[0]).toMatchObject({
      candidates: [{ logprobsResult }],
    });
  });

  test("of Gemini reach chat completions", () => {
    const candidate = {
      content: { parts: [{ text: "Hé" }] },
      finishReason: "STOP",
      logprobsResult,
    };
    expect(whole("Chat Completions", "gemini", { candidates: [candidate] })).toMatchObject({
      choices: [choice],
    });
  });

  test("are asked for in the words of each format", () => {
    const asked = {
      contents: [{ parts: [{ text: "hi" }] }],
      generationConfig: { responseLogprobs: true, logprobs: 2 },
    };
    expect(translatedBody(geminiToChat, asked, "m")).toMatchObject({
      logprobs: true,
      top_logprobs: 2,
    });
    const chat = { model: "m", messages: [], logprobs: true, top_logprobs: 2 };
    expect(translatedBody(chatToGemini, chat, "m").generationConfig).toEqual({
      responseLogprobs: true,
      logprobs: 2,
    });
  });
});

test("of a spoken answer the words reach clients of other formats", () => {
  const audio = { id: "a", data: "aGk=", transcript: "Hello" };
  const message = { role: "assistant", content: null, audio };
  const reply = { id: "c", choices: [{ index: 0, message, finish_reason: "stop" }] };
  expect(whole("Messages", "chat_completions", reply).content).toEqual([
    { type: "text", text: "Hello" },
  ]);
  expect(whole("Responses", "chat_completions", reply).output).toMatchObject([
    { content: [{ text: "Hello" }] },
  ]);
  const events = [{ id: "a" }, { transcript: "Hel" }, { data: "aGk=" }, { transcript: "lo" }].map(
    (sound) => ({
      id: "c",
      choices: [{ index: 0, delta: { audio: sound } }],
    }),
  );
  for (const endpoint of ["Messages", "Responses", "Gemini"] as const) {
    const stream = translated(callOf(endpoint), "chat_completions", events.map(sse));
    expect(grammarReaders[endpoint](stream).text).toBe("Hello");
  }
});

describe("signed reasoning before a call", () => {
  const thought = { type: "thinking", thinking: "hm", signature: "c2ln" };
  const called = { type: "tool_use", id: "t", name: "look", input: {} };
  const reply = {
    type: "message",
    id: "m",
    content: [thought, called],
    stop_reason: "tool_use",
    usage: {},
  };

  test("reaches a client of Gemini in the signature of the call, and comes back from it", () => {
    const { candidates } = whole("Gemini", "claude_messages", reply);
    const [{ content }] = candidates as [{ content: JsonRecord }];
    const body = translatedBody(geminiThroughChat, { contents: [content] }, "m");
    const [turn] = body.messages as JsonRecord[];
    expect(turn).toMatchObject({
      role: "assistant",
      thinking_blocks: [thought],
      tool_calls: [{ id: "t" }],
    });
  });

  test("stays away from providers of chat completions, which refuse it", () => {
    const { candidates } = whole("Gemini", "claude_messages", reply);
    const [{ content }] = candidates as [{ content: JsonRecord }];
    expect(
      JSON.stringify(translatedBody(geminiToChat, { contents: [content] }, "m")),
    ).not.toContain("thinking_blocks");
    const call = asking("Responses", { include: ["reasoning.encrypted_content"] });
    const answered = planOver(call, "claude_messages").translator?.translateReply(reply);
    const { output } = answered as { output: object[] };
    const { call: onward } = planOver(asking("Responses", { input: output }), "chat_completions");
    expect(onward.body.toString()).not.toContain("thinking_blocks");
    expect(onward.body.toString()).toContain("look");
  });
});
