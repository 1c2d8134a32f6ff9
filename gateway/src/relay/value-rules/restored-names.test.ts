// Names of tools that a provider refuses: it gets shorter ones, and every client reads its own,
// whole and in a stream.
import { conversationEndpoints } from "@tollgate/tests/conformance/conversation-scenario.ts";
import { entryOf, parseCall } from "@tollgate/tests/conformance/in-process-relay.ts";
import { describe, expect, test } from "vitest";
import { anthropicMessages } from "../formats/anthropic-messages.ts";
import type { ApiEndpoint, RelayCall } from "../formats/api-format.ts";
import { chatCompletions } from "../formats/chat-completions.ts";
import { findGeminiFormat } from "../formats/gemini-endpoints.ts";
import { responses } from "../formats/responses.ts";
import type { EndpointUrls } from "../providers/endpoint-urls.ts";
import { planUpstreamCall } from "../routing/translation-registry.ts";
import { type JsonRecord, parseObject } from "../wire/json-parts.ts";

const ownName = `1mcp.server/tool:${"n".repeat(140)}`;
const other = "f";
const schema = { type: "object", properties: {} };
const path = "/v1beta/models/m:streamGenerateContent";

const chatTool = (name: string) => ({ type: "function", function: { name, parameters: schema } });
const history = { id: "a", type: "function", function: { name: ownName, arguments: "{}" } };
const asked: Readonly<Record<(typeof conversationEndpoints)[number], () => RelayCall>> = {
  "Chat Completions": () =>
    parseCall(chatCompletions, {
      model: "m",
      messages: [
        { role: "user", content: "go" },
        { role: "assistant", content: null, tool_calls: [history] },
        { role: "tool", tool_call_id: "a", content: "so" },
      ],
      tools: [chatTool(ownName), chatTool(other)],
      stream: true,
    }),
  Responses: () =>
    parseCall(responses, {
      model: "m",
      input: "go",
      tools: [ownName, other].map((name) => ({ type: "function", name, parameters: schema })),
      stream: true,
    }),
  Messages: () =>
    parseCall(anthropicMessages, {
      model: "m",
      max_tokens: 9,
      messages: [{ role: "user", content: "go" }],
      tools: [ownName, other].map((name) => ({ name, input_schema: schema })),
      stream: true,
    }),
  Gemini: () =>
    parseCall(findGeminiFormat(path, `${path}?alt=sse`), {
      contents: [{ role: "user", parts: [{ text: "go" }] }],
      tools: [{ functionDeclarations: [{ name: ownName }, { name: other }] }],
    }),
};

const sse = (data: JsonRecord): string =>
  `${typeof data.type === "string" ? `event: ${data.type}\n` : ""}data: ${JSON.stringify(data)}\n\n`;

interface Answers {
  whole(name: string): JsonRecord;
  stream(name: string): JsonRecord[];
}

const chatCall = (name: string) => ({
  id: "c",
  type: "function",
  function: { name, arguments: "{}" },
});
const item = (name: string) => ({
  type: "function_call",
  id: "i",
  call_id: "c",
  name,
  arguments: "{}",
});
const geminiAnswer = (name: string) => ({
  candidates: [
    {
      content: { role: "model", parts: [{ functionCall: { name, args: {} } }] },
      finishReason: "STOP",
    },
  ],
});
const converseBlock = (name: string) => ({ toolUse: { toolUseId: "c", name, input: {} } });
const block = (name: string) => ({ type: "tool_use", id: "c", name, input: {} });
const answers: Readonly<Partial<Record<ApiEndpoint, Answers>>> = {
  chat_completions: {
    whole: (name) => ({
      id: "x",
      choices: [
        { index: 0, message: { tool_calls: [chatCall(name)] }, finish_reason: "tool_calls" },
      ],
    }),
    stream: (name) => [
      { choices: [{ index: 0, delta: { tool_calls: [{ index: 0, ...chatCall(name) }] } }] },
      { choices: [{ index: 0, delta: {}, finish_reason: "tool_calls" }] },
    ],
  },
  response_api: {
    whole: (name) => ({ id: "x", status: "completed", output: [item(name)] }),
    stream: (name) => [
      {
        type: "response.output_item.added",
        output_index: 0,
        item: { ...item(name), arguments: "" },
      },
      {
        type: "response.function_call_arguments.delta",
        output_index: 0,
        item_id: "i",
        delta: "{}",
      },
      { type: "response.output_item.done", output_index: 0, item: item(name) },
      {
        type: "response.completed",
        response: { id: "x", status: "completed", output: [item(name)] },
      },
    ],
  },
  claude_messages: {
    whole: (name) => ({
      id: "x",
      type: "message",
      content: [block(name)],
      stop_reason: "tool_use",
      usage: {},
    }),
    stream: (name) => [
      { type: "message_start", message: { id: "x", usage: {} } },
      { type: "content_block_start", index: 0, content_block: block(name) },
      {
        type: "content_block_delta",
        index: 0,
        delta: { type: "input_json_delta", partial_json: "{}" },
      },
      { type: "content_block_stop", index: 0 },
      { type: "message_delta", delta: { stop_reason: "tool_use" }, usage: {} },
      { type: "message_stop" },
    ],
  },
  gemini: { whole: geminiAnswer, stream: (name) => [geminiAnswer(name)] },
  bedrock_converse: {
    whole: (name) => ({
      output: { message: { role: "assistant", content: [converseBlock(name)] } },
      stopReason: "tool_use",
    }),
    stream: () => [],
  },
};

describe.each(conversationEndpoints)("a client of %s", (endpoint) => {
  const entry = entryOf(endpoint);
  const targets = (Object.keys(answers) as ApiEndpoint[]).filter((target) => target !== entry);
  test.each(targets)("reads its own names of tools over %s", (target) => {
    const plan = () =>
      planUpstreamCall(
        asked[endpoint](),
        { [target]: new URL("http://provider.example/v1") } as EndpointUrls,
        "m",
      );
    const body = plan().call.body.toString("utf8");
    expect(body).not.toContain(ownName);
    expect(body).toContain(`"${other}"`);
    const [sent = ""] = /"[a-z]\w*1?mcp[\w-]*"/i.exec(body) ?? /"t?1mcp[\w-]*"/.exec(body) ?? [];
    const name = sent.slice(1, -1);
    expect(name.length).toBeGreaterThan(20);
    expect(name.length).toBeLessThanOrEqual(128);
    const told = answers[target];
    const whole = JSON.stringify(plan().translator?.translateReply(told?.whole(name) ?? {}));
    expect(whole).toContain(ownName);
    expect(whole).not.toContain(name);
    const events = told?.stream(name) ?? [];
    if (events.length === 0) return;
    const { translator } = plan();
    const stream =
      events.map((event) => translator?.translateEvent(sse(event))).join("") + translator?.finish();
    expect(stream).toContain(ownName);
    expect(stream).not.toContain(name);
  });
});

test("words of the model that quote the sent name are left alone", () => {
  const call = asked.Messages();
  const { call: sent, translator } = planUpstreamCall(
    call,
    { chat_completions: new URL("http://p.example/v1") },
    "m",
  );
  const tools = parseObject(sent.body.toString("utf8")).tools as { function: { name: string } }[];
  const content = `I call "${tools[0]?.function.name}" now.`;
  const reply = translator?.translateReply({
    id: "x",
    choices: [{ index: 0, message: { content }, finish_reason: "stop" }],
  });
  expect(JSON.stringify(reply)).toContain(JSON.stringify(content));
});
