import { droppedFields } from "@tollgate/tests/support/translate-request.ts";
import { describe, expect, test } from "vitest";
import type { JsonRecord } from "../wire/json-parts.ts";
import { chatToGemini } from "./chat-to-gemini.ts";
import { chatToMessages } from "./chat-to-messages.ts";
import { chatToResponses } from "./chat-to-responses.ts";
import { composeTranslations } from "./composed-translation.ts";
import { embeddingsToGemini } from "./embeddings-to-gemini.ts";
import { encodeReasoning } from "./encrypted-reasoning.ts";
import { geminiThroughChat, geminiToChat } from "./gemini-to-chat.ts";
import { messagesThroughChat, messagesToChat } from "./messages-to-chat.ts";
import { responsesThroughChat, responsesToChat } from "./responses-to-chat.ts";
import type { Translation } from "./translation.ts";

type SupportCase = [body: JsonRecord, lost: string[]];

function loses(
  translation: Translation,
  about: JsonRecord,
  cases: SupportCase[],
  model = "m",
): void {
  test.each(cases)("%j drops %j", (said, lost) => {
    const body = { model, ...about, ...said };
    const before = structuredClone(body);
    expect(droppedFields(translation, body, model)).toEqual(lost);
    expect(body).toEqual(before);
  });
}

const user = (content: unknown): JsonRecord => ({ role: "user", content });
const part = (said: JsonRecord): JsonRecord => ({ messages: [user([said])] });
const called = (id: string, more: JsonRecord = {}): JsonRecord => ({
  id,
  type: "function",
  function: { name: "f", arguments: "{}" },
  ...more,
});
const conversation = [
  { role: "system", content: "Be kind." },
  { role: "developer", content: [{ type: "text", text: "Be brief." }] },
  user([
    { type: "text", text: "look" },
    { type: "image_url", image_url: { url: "https://pictures.example/a.png", detail: "auto" } },
  ]),
  { role: "assistant", content: null, tool_calls: [called("a"), called("b")] },
  { role: "tool", tool_call_id: "a", content: "one" },
  { role: "tool", tool_call_id: "b", content: [{ type: "text", text: "two" }] },
  { role: "assistant", content: [{ type: "refusal", refusal: "no" }] },
];
const chatTools = [
  { type: "function", function: { name: "f", description: "d", parameters: { type: "object" } } },
];
const plainChat: JsonRecord = {
  messages: conversation,
  max_tokens: 9,
  max_completion_tokens: 9,
  stream: true,
  stream_options: { include_usage: true },
  temperature: 1,
  top_p: 0.5,
  top_k: 4,
  stop: ["x"],
  tools: chatTools,
  tool_choice: "auto",
  parallel_tool_calls: true,
  n: 1,
  store: false,
  logprobs: false,
  response_format: { type: "text" },
};
/** `unknownOfChat` is what neither of the two others has a word for. */
const unknownOfChat: SupportCase[] = [
  [{ logit_bias: { 50256: -100 } }, ["logit_bias"]],
  [{ prediction: { type: "content", content: "x" } }, ["prediction"]],
  [{ verbosity: "low" }, ["verbosity"]],
  [{ service_tier: "flex" }, ["service_tier"]],
  [{ metadata: { a: "b" } }, ["metadata"]],
  [{ store: true }, ["store"]],
  [{ messages: [{ ...user("hi"), name: "ann" }] }, ["messages.name"]],
  [
    { messages: [{ role: "assistant", content: "so", reasoning_content: "hm" }] },
    ["messages.reasoning_content"],
  ],
  [{ messages: [{ role: "assistant", audio: { id: "audio_1" } }] }, ["messages.audio"]],
  [
    part({ type: "image_url", image_url: { url: "u", detail: "low" } }),
    ["messages.content.image_url.detail"],
  ],
  [part({ type: "file", file: { file_id: "file_1" } }), ["messages.content.file.file_id"]],
  [part({ type: "video_url", video_url: { url: "u" } }), ["messages.content.video_url"]],
  [
    { tools: [{ type: "function", function: { name: "f", strict: true } }] },
    ["tools.function.strict"],
  ],
  [{ tools: [{ type: "custom", custom: { name: "c" } }] }, ["tools.custom"]],
  [
    { tools: chatTools, tool_choice: { type: "allowed_tools", allowed_tools: {} } },
    ["tool_choice.allowed_tools"],
  ],
  [{ functions: [{ name: "f" }], function_call: "auto" }, ["function_call", "functions"]],
  [{ modalities: ["audio"], audio: { voice: "alloy" } }, ["audio", "modalities"]],
  [{ web_search_options: {} }, ["web_search_options"]],
  [{ prompt_cache_key: "k", safety_identifier: "s" }, ["prompt_cache_key", "safety_identifier"]],
  [
    {
      response_format: {
        type: "json_schema",
        json_schema: { name: "x", strict: true, schema: {} },
      },
    },
    ["response_format.json_schema.name", "response_format.json_schema.strict"],
  ],
];
const some = { messages: [user("hi")] };

describe("a chat request for Anthropic", () => {
  const sealed = [{ type: "thinking", thinking: "hm", signature: "s" }];
  loses(chatToMessages, some, [
    [{}, []],
    [plainChat, []],
    [{ thinking: { type: "enabled", budget_tokens: 2_000 }, user: "u" }, []],
    [{ reasoning_effort: "none", temperature: 0.2 }, []],
    [{ messages: [{ role: "assistant", content: "so", thinking_blocks: sealed }] }, []],
    [
      {
        messages: [
          { role: "assistant", content: "so", thinking_blocks: [{ signature: "responses:s" }] },
        ],
      },
      ["messages.thinking_blocks"],
    ],
    [part({ type: "text", text: "x", cache_control: { type: "ephemeral" } }), []],
    [part({ type: "file", file: { filename: "a.pdf", file_data: "data:" } }), []],
    [
      { tool_choice: { type: "function", function: { name: "f" } }, parallel_tool_calls: false },
      [],
    ],
    ...unknownOfChat,
    [{ logprobs: true, top_logprobs: 2 }, ["logprobs", "top_logprobs"]],
    [{ n: 2 }, ["n"]],
    [{ seed: 1 }, ["seed"]],
    [{ presence_penalty: 1, frequency_penalty: 1 }, ["frequency_penalty", "presence_penalty"]],
    [{ reasoning_effort: "high", temperature: 0.2, top_p: 0.5 }, ["temperature", "top_p"]],
    [{ reasoning_effort: "xhigh" }, []],
    [{ reasoning_effort: "as you like" }, ["reasoning_effort"]],
    // It would not go on thinking without what it thought before its calls.
    [
      {
        messages: [
          user("hi"),
          { role: "assistant", tool_calls: [called("a")] },
          { role: "tool", tool_call_id: "a" },
        ],
        reasoning_effort: "high",
        temperature: 0.2,
      },
      ["reasoning_effort"],
    ],
    [{ response_format: { type: "json_object" } }, ["response_format.json_object"]],
    [
      part({ type: "input_audio", input_audio: { data: "", format: "wav" } }),
      ["messages.content.input_audio"],
    ],
  ]);
});

describe("a chat request for Gemini", () => {
  loses(chatToGemini, some, [
    [{}, []],
    [plainChat, []],
    [{ n: 2, seed: 1, presence_penalty: 1, frequency_penalty: 1, reasoning_effort: "none" }, []],
    [{ logprobs: true, top_logprobs: 2 }, []],
    [{ response_format: { type: "json_object" } }, []],
    [part({ type: "input_audio", input_audio: { data: "", format: "wav" } }), []],
    [part({ type: "file", file: { file_data: "data:" } }), []],
    [
      {
        messages: [
          { role: "assistant", tool_calls: [called("a", { extra_content: { google: {} } })] },
        ],
      },
      [],
    ],
    [{ messages: [{ role: "tool", tool_call_id: "a", name: "f", content: "x" }] }, []],
    ...unknownOfChat,
    [{ user: "u" }, ["user"]],
    [{ parallel_tool_calls: false }, ["parallel_tool_calls"]],
    [{ reasoning_effort: "xhigh" }, []],
    [{ reasoning_effort: "as you like" }, ["reasoning_effort"]],
    [
      { messages: [{ role: "assistant", content: "so", thinking_blocks: [{}] }] },
      ["messages.thinking_blocks"],
    ],
    [part({ type: "text", text: "x", cache_control: {} }), ["messages.content.cache_control"]],
    [
      part({ type: "file", file: { filename: "a.pdf", file_data: "data:" } }),
      ["messages.content.file.filename"],
    ],
  ]);
});

describe("a chat request for Responses", () => {
  const { seed: _, ...kept } = { ...plainChat, seed: 1, stop: undefined, top_k: undefined };
  const custom = { type: "custom", custom: { name: "c", format: { type: "text" } } };
  loses(chatToResponses, some, [
    [{}, []],
    [kept, []],
    [{ reasoning_effort: "xhigh", verbosity: "low", reasoning: { summary: "auto" } }, []],
    [
      {
        logprobs: true,
        top_logprobs: 2,
        store: true,
        metadata: { a: "b" },
        service_tier: "flex",
        user: "u",
      },
      [],
    ],
    [{ prompt_cache_key: "k", safety_identifier: "s" }, []],
    [
      {
        response_format: {
          type: "json_schema",
          json_schema: { name: "x", strict: true, schema: {} },
        },
      },
      [],
    ],
    [
      { tools: [custom, ...chatTools], tool_choice: { type: "allowed_tools", allowed_tools: {} } },
      [],
    ],
    [
      {
        messages: [
          {
            role: "assistant",
            tool_calls: [{ id: "a", type: "custom", custom: { name: "c", input: "" } }],
          },
        ],
      },
      [],
    ],
    [part({ type: "file", file: { filename: "a.pdf", file_id: "file_1" } }), []],
    [{ n: 2, seed: 1, stop: ["x"] }, ["n", "seed", "stop"]],
    [{ presence_penalty: 1, frequency_penalty: 1 }, ["frequency_penalty", "presence_penalty"]],
    [{ logit_bias: { 1: 2 }, prediction: {} }, ["logit_bias", "prediction"]],
    [
      { modalities: ["audio"], audio: {}, web_search_options: {} },
      ["audio", "modalities", "web_search_options"],
    ],
    [{ functions: [{ name: "f" }], function_call: "auto" }, ["function_call", "functions"]],
    [{ messages: [{ ...user("hi"), name: "ann" }] }, ["messages.name"]],
    [
      { messages: [{ role: "assistant", content: "so", reasoning_content: "hm" }] },
      ["messages.reasoning_content"],
    ],
    [part({ type: "text", text: "x", cache_control: {} }), ["messages.content.cache_control"]],
    [{ reasoning: { max_tokens: 9 } }, ["reasoning.max_tokens"]],
  ]);
});

const claudeTools = [
  { type: "custom", name: "f", description: "d", input_schema: { type: "object" } },
];
const plainMessages: JsonRecord = {
  messages: [
    user("hi"),
    {
      role: "assistant",
      content: [
        { type: "text", text: "so" },
        { type: "tool_use", id: "a", name: "f", input: {} },
      ],
    },
    user([
      {
        type: "tool_result",
        tool_use_id: "a",
        content: [{ type: "text", text: "one" }],
        is_error: false,
      },
      { type: "image", source: { type: "base64", media_type: "image/png", data: "aGk=" } },
      { type: "image", source: { type: "url", url: "https://pictures.example/a.png" } },
      {
        type: "document",
        title: "a.pdf",
        source: { type: "base64", media_type: "application/pdf", data: "aGk=" },
      },
      { type: "document", source: { type: "text", media_type: "text/plain", data: "words" } },
    ]),
  ],
  max_tokens: 9,
  system: [{ type: "text", text: "Be kind." }],
  stream: true,
  temperature: 1,
  top_p: 0.5,
  stop_sequences: ["x"],
  tools: claudeTools,
  tool_choice: { type: "auto", disable_parallel_tool_use: true },
  thinking: { type: "disabled" },
  output_config: { format: { type: "json_schema", schema: {} } },
  metadata: { user_id: "u" },
};
const cache_control = { type: "ephemeral" };
const failedResult = part({ type: "tool_result", tool_use_id: "a", is_error: true });
const unknownOfMessages: SupportCase[] = [
  [{ top_k: 4 }, ["top_k"]],
  [{ service_tier: "auto" }, ["service_tier"]],
  [{ mcp_servers: [{ type: "url" }] }, ["mcp_servers"]],
  [{ container: "c" }, ["container"]],
  [{ context_management: {} }, ["context_management"]],
  [{ output_config: { effort: "low" } }, ["output_config.effort"]],
  [{ system: [{ type: "text", text: "x", cache_control }] }, ["system.cache_control"]],
  [part({ type: "text", text: "x", cache_control }), ["messages.content.cache_control"]],
  [{ tools: [{ ...claudeTools[0], cache_control }] }, ["tools.cache_control"]],
  [{ tools: [{ type: "web_search_20250305", name: "web_search" }] }, ["tools.web_search_20250305"]],
  [
    part({ type: "tool_result", tool_use_id: "a", content: [{ type: "document", source: {} }] }),
    ["messages.content.content.document"],
  ],
  [
    part({ type: "image", source: { type: "file", file_id: "file_1" } }),
    ["messages.content.source.file"],
  ],
  [
    part({ type: "document", source: { type: "url", url: "u" }, citations: {}, context: "c" }),
    ["messages.content.citations", "messages.content.context"],
  ],
  [
    part({ type: "server_tool_use", id: "s", name: "web_search" }),
    ["messages.content.server_tool_use"],
  ],
];

describe("messages for chat completions", () => {
  const thinking = { type: "enabled", budget_tokens: 2_000 };
  loses(messagesToChat, some, [
    [{}, []],
    [plainMessages, []],
    [{ output_format: { type: "json_schema", schema: {} } }, []],
    [{ thinking }, ["thinking"]],
    [part({ type: "thinking", thinking: "hm", signature: "s" }), ["messages.content.thinking"]],
    [part({ type: "redacted_thinking", data: "s" }), ["messages.content.redacted_thinking"]],
    ...unknownOfMessages,
    [failedResult, ["messages.content.is_error"]],
  ]);
  describe("of reasoning models", () => {
    loses(
      messagesToChat,
      some,
      [
        [{ thinking }, []],
        [{ thinking: { type: "adaptive", display: "omitted" } }, ["thinking.display"]],
        [{ temperature: 0.5, top_p: 0.5 }, ["temperature", "top_p"]],
      ],
      "gpt-5",
    );
  });
});

const plainResponse: JsonRecord = {
  input: [
    user([
      { type: "input_text", text: "look" },
      { type: "input_image", image_url: "u", detail: "low" },
      { type: "input_file", filename: "a.pdf", file_data: "data:" },
      { type: "input_file", file_url: "u" },
      { type: "input_audio", input_audio: { data: "", format: "wav" } },
    ]),
    {
      type: "message",
      id: "msg_1",
      role: "assistant",
      status: "completed",
      content: [{ type: "output_text", text: "so", annotations: [], logprobs: [] }],
    },
    {
      type: "function_call",
      id: "fc_1",
      call_id: "a",
      name: "f",
      arguments: "{}",
      status: "completed",
    },
    { type: "function_call_output", call_id: "a", output: [{ type: "input_text", text: "one" }] },
    { role: "assistant", content: [{ type: "refusal", refusal: "no" }] },
  ],
  instructions: "Be kind.",
  max_output_tokens: 9,
  stream: true,
  temperature: 1,
  top_p: 0.5,
  tools: [
    { type: "function", name: "f", description: "d", parameters: { type: "object" }, strict: true },
  ],
  tool_choice: { type: "function", name: "f" },
  parallel_tool_calls: false,
  reasoning: { effort: "low", summary: "auto" },
  text: { format: { type: "json_schema", name: "x", description: "d", schema: {}, strict: true } },
  user: "u",
  metadata: { a: "b" },
  store: false,
  background: false,
  truncation: "disabled",
  include: ["reasoning.encrypted_content"],
  previous_response_id: null,
};
const sealed = encodeReasoning([{ type: "thinking", thinking: "hm", signature: "s" }]);
const given = (said: JsonRecord): JsonRecord => ({ input: [said] });
const unknownOfResponses: SupportCase[] = [
  [{ store: true }, ["store"]],
  [{ prompt_cache_key: "k" }, ["prompt_cache_key"]],
  [{ truncation: "auto" }, ["truncation"]],
  [{ max_tool_calls: 2 }, ["max_tool_calls"]],
  [{ service_tier: "flex" }, ["service_tier"]],
  [{ tools: [{ type: "web_search" }, { type: "custom", name: "c" }] }, ["tools.web_search"]],
  [
    {
      tools: [{ type: "namespace", name: "n", description: "d", tools: [{ type: "local_shell" }] }],
    },
    ["tools.tools.local_shell"],
  ],
  [
    given({ type: "additional_tools", role: "developer", tools: [{ type: "web_search" }] }),
    ["input.tools.web_search"],
  ],
  [
    given({ type: "tool_search_call", execution: "server", arguments: { paths: ["a"] } }),
    ["input.tool_search_call"],
  ],
  [{ tool_choice: { type: "allowed_tools", mode: "auto", tools: [{}] } }, ["tool_choice.tools"]],
  [given({ type: "reasoning", summary: [] }), ["input.reasoning"]],
  [given({ type: "reasoning", encrypted_content: "somebody else's" }), ["input.reasoning"]],
  [given({ type: "web_search_call", id: "ws_1" }), ["input.web_search_call"]],
  [given({ type: "custom_tool_call_output", call_id: "c", output: "x" }), []],
  [given(user([{ type: "input_image", file_id: "file_1" }])), ["input.content.file_id"]],
  [
    given({
      type: "function_call_output",
      call_id: "a",
      output: [{ type: "input_file", file_id: "f" }],
    }),
    ["input.output.file_id"],
  ],
];

describe("a response for chat completions", () => {
  loses(responsesToChat, { input: "hi" }, [
    [{}, []],
    [plainResponse, []],
    [given({ type: "reasoning", encrypted_content: sealed }), ["input.reasoning"]],
    [
      { include: ["reasoning.encrypted_content", "message.output_text.logprobs"], top_logprobs: 2 },
      [],
    ],
    [{ include: ["web_search_call.results"] }, ["include"]],
    [{ text: { verbosity: "low" } }, ["text.verbosity"]],
    ...unknownOfResponses,
  ]);
  describe("of reasoning models", () => {
    loses(responsesToChat, { input: "hi" }, [[{ text: { verbosity: "low" } }, []]], "gpt-5");
  });
});

const contents = [{ role: "user", parts: [{ text: "hi" }] }];
const saying = (said: JsonRecord): JsonRecord => ({ contents: [{ role: "user", parts: [said] }] });
const plainGemini: JsonRecord = {
  contents: [
    ...contents,
    { role: "model", parts: [{ functionCall: { name: "f", args: {} } }] },
    {
      role: "user",
      parts: [
        { functionResponse: { name: "f", response: {} } },
        { inlineData: { mimeType: "image/png", data: "" } },
      ],
    },
    {
      role: "user",
      parts: [
        { fileData: { fileUri: "u", mimeType: "image/png" } },
        { text: "so", thought: false },
      ],
    },
  ],
  systemInstruction: { parts: [{ text: "Be kind." }] },
  generationConfig: {
    maxOutputTokens: 9,
    temperature: 1,
    topP: 0.5,
    candidateCount: 2,
    seed: 1,
    presencePenalty: 1,
    frequencyPenalty: 1,
    stopSequences: ["x"],
    responseMimeType: "application/json",
    responseSchema: { type: "OBJECT" },
  },
  tools: [
    { functionDeclarations: [{ name: "f", description: "d", parameters: { type: "OBJECT" } }] },
  ],
  toolConfig: { functionCallingConfig: { mode: "ANY", allowedFunctionNames: ["f"] } },
};

describe("a request of Gemini's API for chat completions", () => {
  const calling = (names: string[]) => ({
    toolConfig: { functionCallingConfig: { mode: "ANY", allowedFunctionNames: names } },
  });
  loses(geminiToChat, { contents }, [
    [{}, []],
    [plainGemini, []],
    [{ generationConfig: { topK: 4 } }, ["generationConfig.topK"]],
    [{ generation_config: { topK: 4 } }, ["generation_config.topK"]],
    [
      { generationConfig: { thinkingConfig: { thinkingBudget: 9 } } },
      ["generationConfig.thinkingConfig"],
    ],
    [{ safetySettings: [{}] }, ["safetySettings"]],
    [{ cachedContent: "c" }, ["cachedContent"]],
    [
      { tools: [{ googleSearch: {} }, { codeExecution: {} }] },
      ["tools.codeExecution", "tools.googleSearch"],
    ],
    [calling(["f", "g"]), ["toolConfig.functionCallingConfig.allowedFunctionNames"]],
    [saying({ text: "hm", thought: true }), ["contents.parts.thought"]],
    [saying({ text: "so", thoughtSignature: "s" }), ["contents.parts.thoughtSignature"]],
    [saying({ executableCode: {} }), ["contents.parts.executableCode"]],
    [{ generationConfig: { responseLogprobs: true, logprobs: 2 } }, []],
  ]);
  describe("of reasoning models", () => {
    const thinkingConfig = { thinkingLevel: "LOW", includeThoughts: true };
    loses(
      geminiToChat,
      { contents },
      [
        [{ generationConfig: { thinkingConfig } }, []],
        [
          { generationConfig: { temperature: 0.5, topP: 0.5 } },
          ["generationConfig.temperature", "generationConfig.topP"],
        ],
      ],
      "gpt-5",
    );
  });
});

describe("embeddings for Gemini", () => {
  loses(embeddingsToGemini, {}, [
    [{ input: "hi", dimensions: 9, encoding_format: "base64" }, []],
    [{ input: ["one", "two"] }, []],
    [{ input: [[1, 2]] }, ["input"]],
    [{ input: "hi", user: "u" }, ["user"]],
  ]);
});

describe("composed translations report the client's names:", () => {
  describe("messages for Gemini", () => {
    const thinking = { type: "thinking", thinking: "hm", signature: "s" };
    loses(composeTranslations(messagesThroughChat, chatToGemini), some, [
      [{}, []],
      [
        { messages: [{ role: "assistant", content: [thinking, { type: "text", text: "so" }] }] },
        ["messages.content.thinking"],
      ],
      [
        { ...plainMessages, metadata: undefined, tool_choice: undefined },
        ["messages.content.title"],
      ],
      [{ metadata: { user_id: "u" } }, ["metadata.user_id"]],
      [
        { tools: claudeTools, tool_choice: { type: "auto", disable_parallel_tool_use: true } },
        ["tool_choice.disable_parallel_tool_use"],
      ],
      ...unknownOfMessages,
      [failedResult, []],
    ]);
  });

  describe("messages for Responses", () => {
    const turn = (signature: string) => ({
      role: "assistant",
      content: [
        { type: "thinking", thinking: "hm", signature },
        { type: "text", text: "so" },
      ],
    });
    loses(composeTranslations(messagesThroughChat, chatToResponses), some, [
      [{}, []],
      [{ messages: [turn("responses:sealed")] }, []],
      [{ messages: [turn("somebody else's")] }, ["messages.content.thinking"]],
      [{ messages: [turn("")] }, ["messages.content.thinking"]],
    ]);
  });

  describe("a response for Anthropic", () => {
    const { tools: _tools, text: _text, reasoning: _reasoning, ...rest } = plainResponse;
    loses(composeTranslations(responsesThroughChat, chatToMessages), { input: "hi" }, [
      [{}, []],
      [given({ type: "reasoning", encrypted_content: sealed }), []],
      [rest, ["input.content.detail", "input.content.input_audio"]],
      [{ tools: plainResponse.tools }, ["tools.strict"]],
      [
        { text: plainResponse.text },
        ["text.format.description", "text.format.name", "text.format.strict"],
      ],
      [{ text: { format: { type: "json_object" } } }, ["text.format.json_object"]],
      [{ reasoning: { effort: "high" }, temperature: 0 }, ["temperature"]],
      [{ reasoning: { effort: "xhigh" } }, []],
      [{ include: ["message.output_text.logprobs"], top_logprobs: 2 }, ["include", "top_logprobs"]],
      ...unknownOfResponses,
    ]);
  });

  describe("a request of Gemini's API for Anthropic", () => {
    loses(composeTranslations(geminiThroughChat, chatToMessages), { contents }, [
      [{}, []],
      [{ generationConfig: { seed: 1 } }, ["generationConfig.seed"]],
      [
        { generationConfig: { responseLogprobs: true, logprobs: 2 } },
        ["generationConfig.logprobs", "generationConfig.responseLogprobs"],
      ],
      [
        {
          contents: [
            { role: "model", parts: [{ functionCall: { name: "f" }, thoughtSignature: sealed }] },
          ],
        },
        [],
      ],
      [
        { generationConfig: { responseMimeType: "application/json" } },
        ["generationConfig.responseMimeType.json_object"],
      ],
      [
        {
          generationConfig: {
            responseMimeType: "application/json",
            responseSchema: { type: "OBJECT" },
          },
        },
        [],
      ],
    ]);
  });
});
