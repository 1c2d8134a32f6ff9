// Ordinary calls whose usage no gateway can see, and providers that report what cannot be.
import { computeCompletionTokens, promptTokens } from "@tollgate/gateway/money/prices/price.ts";
import { anthropicMessages } from "@tollgate/gateway/relay/formats/anthropic-messages.ts";
import type { ApiEndpoint, ClientFormat } from "@tollgate/gateway/relay/formats/api-format.ts";
import { chatCompletions } from "@tollgate/gateway/relay/formats/chat-completions.ts";
import { gemini } from "@tollgate/gateway/relay/formats/gemini.ts";
import { parseUnseenInputs } from "@tollgate/gateway/relay/formats/hold-size/unseen-inputs.ts";
import { responses } from "@tollgate/gateway/relay/formats/responses.ts";
import { model, planOver } from "@tollgate/tests/conformance/in-process-relay.ts";
import { describe, expect, test } from "vitest";
import { answeredWhole } from "./answered-call.ts";
import { honestPairs } from "./honest-upstream.ts";
import { checkCeilings, checkSeen } from "./lying-upstream.ts";

type BodyJson = Record<string, unknown>;
type Counts = readonly [input: number, output: number];

function planFor(client: ClientFormat, speaks: ApiEndpoint, body: BodyJson) {
  const json = { model, ...body };
  const call = {
    ...client.parseRequest(json, false),
    client,
    upstream: client.upstream,
    headers: [],
    body: Buffer.from(JSON.stringify(json)),
    unseen: parseUnseenInputs(json),
  };
  return planOver({ ...call, model }, speaks);
}

const line = [{ role: "user", content: "hi" }];
const chat = (body: BodyJson) =>
  planFor(chatCompletions, "chat_completions", { messages: line, ...body });
const messages = (body: BodyJson) =>
  planFor(anthropicMessages, "claude_messages", { messages: line, max_tokens: 64_000, ...body });
const response = (body: BodyJson) => planFor(responses, "response_api", { input: "hi", ...body });
const google = (body: BodyJson) =>
  planFor(gemini, "gemini", { contents: [{ parts: [{ text: "hi" }] }], ...body });

const chatReply = (
  [prompt_tokens, completion_tokens]: Counts,
  message: BodyJson = { content: "ok" },
) => ({
  choices: [{ message }],
  usage: { prompt_tokens, completion_tokens },
});
const messagesReply = (
  [input_tokens, output_tokens]: Counts,
  searches = 0,
  content: BodyJson[] = [{ type: "text", text: "ok" }],
) => ({
  type: "message",
  content,
  usage: { input_tokens, output_tokens, server_tool_use: { web_search_requests: searches } },
});
const responseReply = ([input_tokens, output_tokens]: Counts, output: BodyJson[] = []) => ({
  object: "response",
  output,
  usage: { input_tokens, output_tokens },
});
const googleReply = ([promptTokenCount, candidatesTokenCount]: Counts) => ({
  candidates: [{ content: { parts: [{ text: "ok" }] } }],
  usageMetadata: { promptTokenCount, candidatesTokenCount },
});
const user = (...content: BodyJson[]) => ({ messages: [{ role: "user", content }] });

const ordinaryCalls: readonly [string, ReturnType<typeof chat>, unknown, Counts, number?][] = [
  [
    "a picture by its address",
    chat(user({ type: "image_url", image_url: { url: "https://e.org/a.png" } })),
    chatReply([36_905, 9]),
    [36_905, 9],
  ],
  [
    "a document as a data URL",
    chat(user({ type: "file", file: { file_data: "data:application/pdf;base64,AAAA" } })),
    chatReply([180_400, 9]),
    [180_400, 9],
  ],
  [
    "a file by its id",
    chat(user({ type: "file", file: { file_id: "file-1" } })),
    chatReply([60_000, 3]),
    [60_000, 3],
  ],
  [
    "a search beside the messages",
    chat({ web_search_options: {} }),
    chatReply([60_000, 3]),
    [60_000, 3],
  ],
  [
    "an old function call",
    chat({}),
    chatReply([9, 8_040], { function_call: { name: "f", arguments: "x ".repeat(8_000) } }),
    [9, 8_040],
  ],
  [
    "a custom tool call",
    chat({}),
    chatReply([9, 8_040], {
      tool_calls: [{ type: "custom", custom: { input: "x ".repeat(8_000) } }],
    }),
    [9, 8_040],
  ],
  ["best_of", chat({ best_of: 20 }), chatReply([9, 10_040]), [9, 10_040]],
  [
    "Claude: a document by its address",
    messages(user({ type: "document", source: { type: "url", url: "https://e.org/a.pdf" } })),
    messagesReply([150_200, 9]),
    [150_200, 9],
  ],
  [
    "Claude: a document by its id",
    messages(user({ type: "document", source: { type: "file", file_id: "f" } })),
    messagesReply([60_000, 3]),
    [60_000, 3],
  ],
  [
    "Claude: searches",
    messages({ tools: [{ type: "web_search_20250305", name: "web_search" }] }),
    messagesReply([27_118, 600], 2),
    [27_118, 600],
    2,
  ],
  [
    "Claude: code with a skill",
    messages({ tools: [{ type: "code_execution_20250825", name: "code_execution" }] }),
    messagesReply([950_648, 13_856]),
    [950_648, 13_856],
  ],
  [
    "Claude: servers of tools",
    messages({ mcp_servers: [{ url: "https://e.org" }] }),
    messagesReply([60_000, 3]),
    [60_000, 3],
  ],
  [
    "Claude: thinking that is not shown",
    messages({ thinking: { type: "enabled", budget_tokens: 9_000 } }),
    messagesReply([20, 9_000]),
    [20, 9_000],
  ],
  [
    "Claude: thinking that is encrypted",
    messages({}),
    messagesReply([20, 12_030], 0, [{ type: "redacted_thinking", data: "c2VjcmV0" }]),
    [20, 12_030],
  ],
  [
    "Responses: an earlier response",
    response({ previous_response_id: "resp_1" }),
    responseReply(
      [51_097, 2_056],
      [{ type: "message", content: [{ text: "long ".repeat(2_000) }] }],
    ),
    [51_097, 2_056],
  ],
  [
    "Responses: a conversation",
    response({ conversation: "conv_1" }),
    responseReply([60_000, 3]),
    [60_000, 3],
  ],
  [
    "Responses: a stored prompt",
    response({ prompt: { id: "pmpt_1" } }),
    responseReply([60_000, 3]),
    [60_000, 3],
  ],
  [
    "Responses: a search",
    response({ tools: [{ type: "web_search" }] }),
    responseReply([33_200, 3_773], [{ type: "web_search_call" }]),
    [33_200, 3_773],
    1,
  ],
  [
    "Responses: a server of tools",
    response({ tools: [{ type: "mcp", server_url: "https://e.org" }] }),
    responseReply([6_700, 1_078]),
    [6_700, 1_078],
  ],
  [
    "Responses: a custom tool call",
    response({}),
    responseReply([9, 8_040], [{ type: "custom_tool_call", input: "x ".repeat(8_000) }]),
    [9, 8_040],
  ],
  [
    "Responses: a patch",
    response({}),
    responseReply(
      [9, 10_040],
      [{ type: "apply_patch_call", operation: { diff: "x ".repeat(10_000) } }],
    ),
    [9, 10_040],
  ],
  [
    "Gemini: a cache",
    google({ cachedContent: "cachedContents/1" }),
    googleReply([60_000, 3]),
    [60_000, 3],
  ],
  [
    "Gemini: a film by its address",
    google({ contents: [{ parts: [{ fileData: { fileUri: "gs://a" } }] }] }),
    googleReply([80_100, 9]),
    [80_100, 9],
  ],
  [
    "Gemini: a search",
    google({ tools: [{ googleSearch: {} }] }),
    googleReply([30_112, 9]),
    [30_112, 9],
  ],
];

describe.each([false, true])(
  "a channel whose provider may report false usage: %s",
  (isDistrusted) => {
    test.each(ordinaryCalls)(
      "is charged what the provider counts for %s",
      { tags: ["S2-02"] },
      async (_, plan, reply, [input, output], searches = 0) => {
        const { usage, uncounted } = await answeredWhole(plan, reply, { isDistrusted });
        expect([promptTokens(usage), computeCompletionTokens(usage)]).toEqual([input, output]);
        expect(usage.web_searches ?? 0).toBe(searches);
        expect(uncounted).toBeUndefined();
      },
    );
  },
);

test("an upstream that lies takes at most the ceiling on an official host", {
  tags: ["S2-02"],
}, async () => {
  const { usage, note } = await answeredWhole(chat({}), chatReply([50_000_000, 5_000_000]));
  expect(usage).toMatchObject({ input: 1_000_000, output: 1_000_000 });
  expect(note).toContain("usage capped");
});

test("an upstream that lies takes what was seen on any other host", {
  tags: ["S2-02"],
}, async () => {
  const { usage, note, uncounted } = await answeredWhole(
    chat({}),
    chatReply([50_000_000, 5_000_000]),
    {
      isDistrusted: true,
    },
  );
  expect(promptTokens(usage) + computeCompletionTokens(usage)).toBeLessThan(100);
  expect(note).toContain("may report false usage");
  expect(uncounted).toMatchObject({ hasPrompt: true });
});

describe.each(honestPairs)("$name for a client of $client, counting whatever it likes", (pair) => {
  test(
    "takes no more than the ceilings, whole and streamed, on any host",
    { tags: ["S2-02"] },
    () => checkCeilings(pair, 8),
  );

  test(
    "takes no more than what was seen on another host, where it declares no reasoning",
    { tags: ["S2-02"] },
    () => checkSeen(pair, 8),
  );
});
