/**
 * Requests of each client format that ask for as much as possible of what some provider refuses.
 */
import type { JsonRecord } from "@tollgate/gateway/relay/wire/json-parts.ts";

const longWord = "x".repeat(300);
/** Names as agents make them: too long, with a first digit, and with signs. */
const oddName = `1mcp.server/tool:${"n".repeat(140)}`;
const oddId = `functions.look:0${"-".repeat(80)}`;
const picture = "data:image/png;base64,aGk=";
const manyStops = ["", "a", "b", "c", "d", "e", "f"];
/** Alternatives at the root, references, and an array without items. */
const oddSchema: JsonRecord = {
  anyOf: [
    { type: "object", properties: { list: { type: "array" } }, required: ["list"] },
    { type: "object", properties: { node: { $ref: "#/$defs/node" } } },
  ],
  $defs: { node: { type: "object", properties: { next: { $ref: "#/$defs/node" } } } },
};
const mark: JsonRecord = { type: "ephemeral" };
const answerSchema: JsonRecord = { type: "object", properties: { a: { type: "string" } } };

/** An open object, and bounds that no grammar keeps. */
const boundSchema: JsonRecord = {
  type: "object",
  properties: { n: { type: "integer", minimum: 1, description: "A count." } },
};

const call = (id: string, name: string, args = "{}"): JsonRecord => ({
  id,
  type: "function",
  function: { name, arguments: args },
});
const manyCalls = Array.from({ length: 300 }, (_, at) => call(`call_${at}`, "f"));
const chatTool = (name: string, parameters?: JsonRecord, strict?: boolean): JsonRecord => ({
  type: "function",
  function: { name, ...(parameters && { parameters }), ...(strict && { strict }) },
});
const chatTurns: readonly JsonRecord[] = [
  { role: "assistant", content: "Hello." },
  { role: "system", content: "Be kind." },
  { role: "user", name: "ann", content: [{ type: "image_url", image_url: { url: picture } }] },
  {
    role: "assistant",
    content: null,
    tool_calls: [call(oddId, oddName, "no JSON"), call("b", "f")],
  },
  { role: "tool", tool_call_id: "b", content: "" },
  { role: "user", content: " " },
  { role: "tool", tool_call_id: "lost", content: "who asked?" },
  { role: "assistant", content: "So " },
];
const chatSampling: JsonRecord = {
  temperature: 3,
  top_p: 0,
  top_k: 5,
  stop: manyStops,
  n: 500,
  seed: 1,
  presence_penalty: 9,
  frequency_penalty: -9,
  logit_bias: { 1: 1 },
  logprobs: true,
  top_logprobs: 99,
  max_tokens: 1,
  user: "ann@example.com",
  safety_identifier: longWord,
  prompt_cache_key: longWord,
  prompt_cache_retention: "24h",
  metadata: { a: 1, b: longWord.repeat(2) },
  prediction: { type: "content", content: "x" },
  parallel_tool_calls: true,
  stream_options: { include_usage: true },
};
const files = {
  type: "file",
  file: { filename: "a.pdf", file_data: "data:application/pdf;base64,aGk=" },
};

const image = { type: "image_url", image_url: { url: picture } };

const chat: readonly JsonRecord[] = [
  {
    messages: [
      { role: "system", content: [{ type: "text", text: "Be kind." }, image] },
      { role: "assistant", content: [{ type: "text", text: "Look." }, image] },
      { role: "user", content: "Who is it?" },
      { role: "user", content: [{ ...files, cache_control: mark }] },
      {
        role: "assistant",
        content: null,
        thinking_blocks: [
          { type: "thinking", thinking: "hm", signature: "" },
          { type: "thinking", thinking: "hm", signature: "c2ln", cache_control: mark },
        ],
        tool_calls: [call("a", "f")],
      },
      { role: "tool", tool_call_id: "a", content: "so" },
      { role: "user", content: "And?" },
    ],
    tools: [chatTool("f")],
  },
  {
    max_tokens: 5_000,
    messages: [
      { role: "user", content: "go" },
      { role: "assistant", content: null, tool_calls: [call("a", "f")] },
      { role: "tool", tool_call_id: "a", content: "so" },
    ],
    thinking: { type: "enabled", budget_tokens: 2_000 },
  },
  {
    ...chatSampling,
    messages: chatTurns,
    tools: [chatTool(oddName, oddSchema), chatTool("f")],
    tool_choice: { type: "function", function: { name: oddName } },
    reasoning_effort: "max",
    response_format: { type: "json_object" },
  },
  {
    ...chatSampling,
    user: longWord,
    max_tokens: 9_000_000,
    messages: [
      { role: "system", content: "Be kind." },
      { role: "user", content: [files] },
    ],
    reasoning_effort: "minimal",
    response_format: {
      type: "json_schema",
      json_schema: { name: "x", schema: answerSchema, strict: true },
    },
    tool_choice: "auto",
  },
  {
    messages: [{ role: "user", content: "hi" }],
    user: "me",
    temperature: 0.5,
    max_tokens: 500,
    tools: [chatTool("f", { type: "object", properties: {} })],
    tool_choice: "required",
    reasoning_effort: "none",
    thinking: { type: "enabled", budget_tokens: 10 },
  },
  {
    messages: [{ role: "user", content: "hi" }],
    max_tokens: 5_000,
    temperature: 0.5,
    tools: [chatTool("f")],
    tool_choice: "required",
    reasoning_effort: "high",
    response_format: { type: "json_object" },
  },
  {
    messages: [{ role: "user", content: "hi" }],
    tools: [chatTool("f", answerSchema, true)],
    response_format: {
      type: "json_schema",
      json_schema: { name: "x", schema: boundSchema },
    },
  },
  {
    messages: [
      { role: "developer", name: "ann", content: "Be kind." },
      { role: "system", name: "ann", content: "Be kind." },
      { role: "assistant", name: "bob", content: "" },
      { role: "user", content: "go" },
      {
        role: "assistant",
        content: null,
        reasoning_content: "hm",
        reasoning: "hm",
        tool_calls: [call(oddId, oddName)],
      },
      { role: "tool", tool_call_id: oddId, name: oddName, content: "so" },
    ],
    tools: [],
    enable_thinking: true,
    response_format: { type: "json_object" },
  },
  {
    messages: [
      { role: "system", content: [{ type: "text", text: "Be kind.", cache_control: mark }] },
      {
        role: "user",
        content: [{ type: "text", text: "hi", cache_control: { ...mark, ttl: "1h" } }],
      },
    ],
  },
  {
    messages: [1, 2].flatMap((turn) => [
      { role: "user", content: `go ${turn}` },
      { role: "assistant", content: null, tool_calls: [call("again", "f")] },
      { role: "tool", tool_call_id: "again", content: `so ${turn}` },
    ]),
  },
  {
    messages: [
      { role: "user", content: "go" },
      { role: "assistant", content: "So.", tool_calls: manyCalls },
      ...manyCalls.map(({ id }) => ({ role: "tool", tool_call_id: id, content: "so" })),
    ],
  },
  {
    messages: [],
    thinking: { type: "disabled" },
    reasoning_effort: "max",
    temperature: 0.7,
    top_p: 0.5,
    top_k: 4,
  },
];

const responseSampling: JsonRecord = {
  temperature: 3,
  top_p: 0,
  include: ["message.output_text.logprobs"],
  top_logprobs: 99,
  max_output_tokens: 1,
  user: longWord,
  parallel_tool_calls: true,
};
const responses: readonly JsonRecord[] = [
  {
    input: [
      { role: "system", content: [{ type: "input_image", image_url: picture }] },
      { role: "assistant", content: [{ type: "input_image", image_url: picture }] },
      { role: "user", content: "Who is it?" },
      { role: "system", content: "Be kind." },
      { role: "user", content: "And?" },
    ],
    include: ["message.output_text.logprobs"],
    top_logprobs: 3,
    max_output_tokens: 50,
    reasoning: { effort: "none" },
  },
  {
    ...responseSampling,
    input: [
      { role: "assistant", content: "Hello." },
      { role: "user", content: [{ type: "input_image", image_url: picture }] },
      { type: "function_call", call_id: oddId, name: oddName, arguments: "no JSON" },
      { role: "user", content: " " },
      { type: "function_call_output", call_id: "lost", output: "who asked?" },
      { role: "assistant", content: "So " },
    ],
    tools: [
      { type: "function", name: oddName, parameters: oddSchema },
      { type: "function", name: "f" },
    ],
    tool_choice: { type: "function", name: oddName },
    reasoning: { effort: "max", summary: "auto" },
    text: { format: { type: "json_object" } },
  },
  {
    ...responseSampling,
    user: "me",
    input: "hi",
    max_output_tokens: 9_000_000,
    reasoning: { effort: "minimal" },
    text: { format: { type: "json_schema", name: "x", schema: answerSchema, strict: true } },
  },
  {
    input: "hi",
    tools: [{ type: "function", name: "f", parameters: answerSchema, strict: true }],
    text: { format: { type: "json_schema", name: "x", schema: boundSchema } },
  },
  {
    input: "hi",
    tools: [{ type: "function", name: "f", parameters: { type: "object", properties: {} } }],
    tool_choice: "required",
    reasoning: { effort: "high" },
    text: { format: { type: "json_object" } },
  },
  {
    input: [
      { type: "function_call", call_id: oddId, name: oddName, arguments: "{}" },
      { type: "function_call_output", call_id: oddId, output: "so" },
    ],
    tools: [{ type: "function", name: oddName, parameters: { type: "object", properties: {} } }],
    tool_choice: {
      type: "allowed_tools",
      mode: "auto",
      tools: [{ type: "function", name: oddName }],
    },
    reasoning: { summary: "auto" },
  },
  { input: [], reasoning: { effort: "none" }, temperature: 0.7, top_p: 0.5 },
];

const messages: readonly JsonRecord[] = [
  {
    max_tokens: 500,
    messages: [{ role: "user", content: "hi" }],
    tools: ["one", "two"].map((description) => ({ name: "f", description, input_schema: {} })),
  },
  {
    max_tokens: 1,
    temperature: 0.5,
    top_p: 0.1,
    top_k: 5,
    stop_sequences: manyStops,
    metadata: { user_id: longWord },
    system: "Be kind.",
    messages: [
      { role: "assistant", content: "Hello." },
      {
        role: "user",
        content: [
          { type: "image", source: { type: "base64", media_type: "image/png", data: "aGk=" } },
        ],
      },
      { role: "assistant", content: [{ type: "tool_use", id: oddId, name: oddName, input: {} }] },
      {
        role: "user",
        content: [
          { type: "text", text: " " },
          { type: "tool_result", tool_use_id: "lost", content: "x" },
        ],
      },
      { role: "assistant", content: "So " },
    ],
    tools: [
      { name: oddName, input_schema: oddSchema },
      { name: "f", input_schema: {} },
    ],
    tool_choice: { type: "tool", name: oddName },
    thinking: { type: "adaptive" },
    output_config: { effort: "max", format: { type: "json_schema", schema: answerSchema } },
  },
  {
    max_tokens: 9_000_000,
    metadata: { user_id: "me" },
    messages: [{ role: "user", content: "hi" }],
    tools: [{ name: "f", input_schema: { type: "object" } }],
    tool_choice: { type: "any", disable_parallel_tool_use: true },
    thinking: { type: "enabled", budget_tokens: 500 },
  },
  {
    max_tokens: 500,
    messages: [{ role: "user", content: "hi" }],
    thinking: { type: "disabled" },
    temperature: 0.7,
  },
  {
    max_tokens: 500,
    messages: [
      {
        role: "assistant",
        content: [1, 2].map(() => ({ type: "tool_use", id: "a", name: "f", input: {} })),
      },
      {
        role: "user",
        content: ["one", "two"].map((content) => ({
          type: "tool_result",
          tool_use_id: "a",
          content,
        })),
      },
    ],
  },
  {
    max_tokens: 500,
    messages: [
      { role: "user", content: "go" },
      { role: "assistant", content: [{ type: "tool_use", id: oddId, name: oddName, input: {} }] },
      {
        role: "user",
        content: [{ type: "tool_result", tool_use_id: oddId, content: "so", is_error: true }],
      },
      ...[1, 2, 3, 4, 5].map((turn) => ({
        role: "user",
        content: [{ type: "text", text: `${turn}`, cache_control: mark }],
      })),
    ],
    system: [{ type: "text", text: "Be kind.", cache_control: mark }],
    thinking: { type: "disabled" },
    output_config: { effort: "max" },
  },
  { max_tokens: 500, messages: [], tool_choice: { type: "auto", disable_parallel_tool_use: true } },
];

const gemini: readonly JsonRecord[] = [
  {
    contents: [
      { role: "model", parts: [{ text: "Hello." }] },
      { role: "user", parts: [{ inlineData: { mimeType: "image/png", data: "aGk=" } }] },
      { role: "model", parts: [{ functionCall: { id: oddId, name: oddName, args: {} } }] },
      { role: "user", parts: [{ text: " " }] },
      { role: "model", parts: [{ text: "So " }] },
    ],
    tools: [
      { functionDeclarations: [{ name: oddName, parametersJsonSchema: oddSchema }, { name: "f" }] },
    ],
    toolConfig: { functionCallingConfig: { mode: "ANY", allowedFunctionNames: [oddName] } },
    generationConfig: {
      temperature: 3,
      topP: 0,
      topK: 5,
      maxOutputTokens: 1,
      candidateCount: 500,
      seed: 1,
      presencePenalty: 9,
      frequencyPenalty: -9,
      stopSequences: manyStops,
      responseLogprobs: true,
      logprobs: 99,
      responseMimeType: "application/json",
      thinkingConfig: { thinkingBudget: 99_999 },
    },
  },
  {
    contents: [{ role: "user", parts: [{ text: "hi" }] }],
    generationConfig: {
      maxOutputTokens: 9_000_000,
      thinkingConfig: { thinkingLevel: "MINIMAL" },
      responseMimeType: "application/json",
      responseJsonSchema: answerSchema,
    },
  },
  {
    contents: [
      { role: "model", parts: [{ functionCall: { name: oddName, args: {} } }] },
      { role: "user", parts: [{ functionResponse: { name: oddName, response: {} } }] },
    ],
    generationConfig: { thinkingConfig: { thinkingLevel: "LOW", thinkingBudget: 5 } },
  },
  { contents: [], generationConfig: { temperature: 0.7, topP: 0.5 } },
];

const embeddings: readonly JsonRecord[] = [{ input: ["hi", "you"], dimensions: 1_536 }];

export const refusedRequests = {
  chat_completions: chat,
  response_api: responses,
  claude_messages: messages,
  gemini,
  embeddings,
} as const;
