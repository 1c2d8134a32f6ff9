// Whole answers that are unusual and legal, or that compatible servers give: each says the same to
// the clients of every format, and has what their libraries read without asking.

import { startAnswer } from "@tollgate/trust/usage/answered-call.ts";
import { describe, expect, test } from "vitest";
import { type ConversationEndpoint, conversationEndpoints } from "./conversation-scenario.ts";
import { callOf, entryOf, planOver } from "./in-process-relay.ts";
import { wholeAnswerReaders } from "./whole-answers.ts";

interface OddAnswer {
  name: string;
  speaks: ConversationEndpoint;
  reply: object;
  text?: string;
  thought?: string;
  calls?: readonly object[];
}

const counted = { prompt_tokens: 5, completion_tokens: 9, total_tokens: 14 };
const chat = (message: object, finish_reason = "stop") => ({
  id: "c1",
  object: "chat.completion",
  created: 1,
  model: "m",
  choices: [{ index: 0, message: { role: "assistant", ...message }, finish_reason }],
  usage: counted,
});
const withoutArguments = (written: unknown) =>
  chat(
    {
      content: null,
      tool_calls: [{ id: "t1", type: "function", function: { name: "look", arguments: written } }],
    },
    "tool_calls",
  );
const response = (output: readonly object[]) => ({
  id: "r1",
  object: "response",
  created_at: 1,
  status: "completed",
  model: "m",
  output,
  usage: { input_tokens: 5, output_tokens: 9, total_tokens: 14 },
});
const said = (...content: readonly object[]) => ({
  id: "m1",
  type: "message",
  role: "assistant",
  content,
});
const written = (text: string, annotations: readonly object[] = []) => ({
  type: "output_text",
  text,
  annotations,
});
const message = (content: readonly object[], stop_reason = "end_turn") => ({
  id: "m1",
  type: "message",
  role: "assistant",
  model: "m",
  content,
  stop_reason,
  stop_sequence: null,
  usage: { input_tokens: 5, output_tokens: 9 },
});
const aWord = { type: "text", text: "a word" };
const gemini = (more: object) => ({
  usageMetadata: { promptTokenCount: 5, candidatesTokenCount: 9, totalTokenCount: 14 },
  modelVersion: "m",
  ...more,
});
const candidate = (parts: readonly object[], more: object = { finishReason: "STOP" }) =>
  gemini({ candidates: [{ content: { role: "model", parts }, index: 0, ...more }] });
const blockedRating = { category: "HARM_CATEGORY_HARASSMENT", probability: "HIGH", blocked: true };

const oddAnswers: readonly OddAnswer[] = [
  ...[null, "", " ", "null"].map((one) => ({
    name: `${JSON.stringify(one)} for the arguments of a tool without any`,
    speaks: "Chat Completions" as const,
    reply: withoutArguments(one),
    calls: [{ name: "look", input: {} }],
  })),
  {
    name: "the one call of the time before tools",
    speaks: "Chat Completions",
    reply: chat(
      { content: null, function_call: { name: "look", arguments: '{"city":"Bern"}' } },
      "function_call",
    ),
    calls: [{ name: "look", input: { city: "Bern" } }],
  },
  {
    name: "text and a refusal",
    speaks: "Chat Completions",
    reply: chat({ content: "a ", refusal: "word" }),
    text: "a word",
  },
  {
    name: "annotations and reasoning in details",
    speaks: "Chat Completions",
    reply: chat({
      content: "a word",
      annotations: [
        { type: "url_citation", url_citation: { url: "https://page.example", title: "A page" } },
      ],
      reasoning: "a thought",
      reasoning_details: [{ type: "reasoning.text", text: "a thought", index: 0 }],
    }),
    text: "a word",
    thought: "a thought",
  },
  {
    name: "parts of text with references between them",
    speaks: "Chat Completions",
    reply: chat({
      content: [
        { type: "text", text: "a " },
        { type: "reference", reference_ids: [1] },
        { type: "text", text: "word" },
      ],
    }),
    text: "a word",
  },
  {
    name: "a message of text and a refusal",
    speaks: "Responses",
    reply: response([said(written("a "), { type: "refusal", refusal: "word" })]),
    text: "a word",
  },
  {
    name: "citations of three kinds",
    speaks: "Responses",
    reply: response([
      said(
        written("a word", [
          {
            type: "url_citation",
            start_index: 0,
            end_index: 1,
            url: "https://page.example",
            title: "A page",
          },
          { type: "file_citation", file_id: "f1", filename: "a.pdf", index: 1 },
          {
            type: "container_file_citation",
            container_id: "c1",
            file_id: "f1",
            filename: "a",
            start_index: 0,
          },
        ]),
      ),
    ]),
    text: "a word",
  },
  {
    name: "tools that the provider ran, a question for approval, and an item that is new",
    speaks: "Responses",
    reply: response([
      {
        id: "i1",
        type: "code_interpreter_call",
        code: "1",
        outputs: [{ type: "logs", logs: "1" }],
      },
      {
        id: "i2",
        type: "local_shell_call",
        call_id: "s1",
        action: { type: "exec", command: ["ls"] },
      },
      { id: "i3", type: "mcp_approval_request", server_label: "s", name: "look", arguments: "{}" },
      { id: "i4", type: "compaction", encrypted_content: "x" },
      { id: "i5", type: "of_tomorrow", payload: 1 },
      said(written("a word")),
    ]),
    text: "a word",
  },
  {
    name: "a spoken answer",
    speaks: "Responses",
    reply: response([said({ type: "output_audio", data: "c2ln", transcript: "a word" })]),
    text: "a word",
  },
  {
    name: "blocks that are no text, and one that is new",
    speaks: "Messages",
    reply: message([
      { type: "redacted_thinking", data: "eA==" },
      { type: "container_upload", file_id: "f1" },
      { type: "compaction", content: "what was said" },
      { type: "of_tomorrow", payload: 1 },
      aWord,
    ]),
    text: "a word",
  },
  {
    name: "a reason that is new",
    speaks: "Messages",
    reply: message([aWord], "of_tomorrow"),
    text: "a word",
  },
  {
    name: "a prompt that was blocked",
    speaks: "Gemini",
    reply: gemini({ promptFeedback: { blockReason: "OTHER" } }),
  },
  {
    name: "a candidate without content, for safety",
    speaks: "Gemini",
    reply: gemini({
      candidates: [{ finishReason: "SAFETY", index: 0, safetyRatings: [blockedRating] }],
    }),
  },
  {
    name: "content without parts",
    speaks: "Gemini",
    reply: gemini({
      candidates: [{ content: { role: "model" }, finishReason: "MAX_TOKENS", index: 0 }],
    }),
  },
  {
    name: "code that the provider ran twice, and grounding",
    speaks: "Gemini",
    reply: candidate(
      [
        { executableCode: { language: "PYTHON", code: "print(1)" }, thoughtSignature: "c2ln" },
        { codeExecutionResult: { outcome: "OUTCOME_OK", output: "1" } },
        { codeExecutionResult: { outcome: "OUTCOME_FAILED", output: "division by zero" } },
        { text: "a word" },
      ],
      {
        finishReason: "STOP",
        groundingMetadata: {
          webSearchQueries: ["a word"],
          groundingChunks: [{ web: { uri: "https://page.example", title: "A page" } }],
        },
      },
    ),
    text: "a word",
  },
  {
    name: "a call whose arguments are null",
    speaks: "Gemini",
    reply: candidate([{ functionCall: { name: "look", args: null } }]),
    calls: [{ name: "look", input: {} }],
  },
];

async function answered(
  client: ConversationEndpoint,
  speaks: ConversationEndpoint,
  body: string,
): Promise<string> {
  const answer = startAnswer(
    planOver({ ...callOf(client), isStream: false }, entryOf(speaks)),
    "application/json",
  );
  await answer.send(body);
  answer.end();
  await answer.result();
  return answer.response.received;
}

describe.each(oddAnswers)(
  "$name ($speaks)",
  ({ speaks, reply, text = "", thought = "", calls = [] }) => {
    test.each(conversationEndpoints)("reaches clients of %s", async (client) => {
      const received = await answered(client, speaks, JSON.stringify(reply));
      if (client === speaks) return expect(JSON.parse(received)).toEqual(reply);
      const heard = wholeAnswerReaders[client](JSON.parse(received));
      const called = heard.calls.map(({ name, input }) => ({
        name,
        input: JSON.parse(input) as unknown,
      }));
      expect({ ...heard, calls: called }).toEqual({ text, thought, calls });
    });
  },
);

test.each(conversationEndpoints)(
  "an answer behind a byte order mark reaches clients of %s",
  async (client) => {
    const received = await answered(
      client,
      "Chat Completions",
      `\uFEFF${JSON.stringify(chat({ content: "a word" }))}`,
    );
    expect(wholeAnswerReaders[client](JSON.parse(received.replace(/^\uFEFF/, "")))).toMatchObject({
      text: "a word",
    });
  },
);
