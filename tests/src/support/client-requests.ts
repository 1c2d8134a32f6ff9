/**
 * Requests of each client format that together use the fields of its API, to test what translations
 * do with them.
 */
import type { ApiEndpoint } from "@tollgate/gateway/relay/formats/api-format.ts";
import type { JsonRecord } from "@tollgate/gateway/relay/wire/json-parts.ts";

const user = (content: unknown): JsonRecord => ({ role: "user", content });
const functionCall = { id: "a", type: "function", function: { name: "f", arguments: "{}" } };
const thinkingBlock = { type: "thinking", thinking: "hm", signature: "s" };
const cache_control = { type: "ephemeral" };
const schemaFormat = { name: "x", description: "d", strict: true, schema: { type: "object" } };
const chatFunction = {
  name: "f",
  description: "d",
  parameters: { type: "object" },
  strict: true,
  cache_control,
};
const chatContent = [
  { type: "text", text: "look", cache_control },
  { type: "image_url", image_url: { url: "https://images.example/a.png", detail: "low" } },
  {
    type: "file",
    file: { filename: "a.pdf", file_data: "data:application/pdf;base64,aGk=", file_id: "file_1" },
  },
  { type: "input_audio", input_audio: { data: "aGk=", format: "wav" } },
  { type: "video_url", video_url: { url: "https://videos.example/a.mp4" } },
];

const chat: readonly JsonRecord[] = [
  {
    messages: [
      { role: "system", content: "Be kind." },
      { ...user(chatContent), name: "ann" },
      {
        role: "assistant",
        content: "so",
        tool_calls: [functionCall, { id: "b", type: "custom", custom: { name: "c", input: "" } }],
        reasoning_content: "hm",
        thinking_blocks: [thinkingBlock],
        audio: { id: "audio_1" },
      },
      { role: "tool", tool_call_id: "a", content: "one" },
    ],
    max_tokens: 9,
    temperature: 0.5,
    top_p: 0.5,
    top_k: 4,
    stop: ["x"],
    seed: 1,
    n: 2,
    presence_penalty: 1,
    frequency_penalty: 1,
    logit_bias: { 50256: -100 },
    logprobs: true,
    top_logprobs: 2,
    user: "u",
    store: true,
    metadata: { a: "b" },
    service_tier: "flex",
    verbosity: "low",
    reasoning_effort: "high",
    prediction: { type: "content", content: "x" },
    modalities: ["audio"],
    audio: { voice: "alloy" },
    web_search_options: {},
    functions: [{ name: "f" }],
    function_call: "auto",
    prompt_cache_key: "k",
    prompt_cache_retention: "24h",
    safety_identifier: "s",
    parallel_tool_calls: false,
    tools: [
      { type: "function", function: chatFunction },
      { type: "custom", custom: { name: "c" } },
    ],
    tool_choice: "required",
    response_format: { type: "json_schema", json_schema: schemaFormat },
  },
  {
    messages: [user("hi")],
    temperature: 0.5,
    top_p: 0.5,
    n: 1,
    store: false,
    logprobs: false,
    reasoning_effort: "xhigh",
    parallel_tool_calls: true,
    tool_choice: { type: "allowed_tools", allowed_tools: {} },
    response_format: { type: "json_object" },
  },
  {
    messages: [
      user([
        { type: "image_url", image_url: { url: "https://images.example/a.png", detail: "auto" } },
        {
          type: "file",
          file: { filename: "document.pdf", file_data: "data:application/pdf;base64,aGk=" },
        },
      ]),
      {
        role: "assistant",
        content: "so",
        thinking_blocks: [{ ...thinkingBlock, signature: "responses:s" }],
      },
    ],
    thinking: { type: "enabled", budget_tokens: 2_000 },
    reasoning_effort: "none",
    reasoning: { summary: "auto" },
    tool_choice: "auto",
    response_format: { type: "text" },
  },
];

const claudeSource = { type: "base64", media_type: "image/png", data: "aGk=" };
const messages: readonly JsonRecord[] = [
  {
    messages: [
      user([
        { type: "text", text: "look", cache_control },
        { type: "image", source: claudeSource },
        { type: "image", source: { type: "file", file_id: "file_1" } },
        {
          type: "document",
          title: "a.pdf",
          source: claudeSource,
          citations: { enabled: true },
          context: "c",
        },
      ]),
      {
        role: "assistant",
        content: [
          thinkingBlock,
          { type: "redacted_thinking", data: "s" },
          { type: "text", text: "so" },
          { type: "tool_use", id: "a", name: "f", input: {} },
          { type: "server_tool_use", id: "s", name: "web_search", input: {} },
        ],
      },
      user([
        {
          type: "tool_result",
          tool_use_id: "a",
          content: [
            { type: "text", text: "one" },
            { type: "document", source: claudeSource },
          ],
          is_error: true,
        },
      ]),
    ],
    max_tokens: 9,
    system: [{ type: "text", text: "Be kind.", cache_control }],
    stream: true,
    temperature: 0.5,
    top_p: 0.5,
    top_k: 4,
    stop_sequences: ["x"],
    tools: [
      { name: "f", description: "d", input_schema: { type: "object" }, cache_control },
      { type: "web_search_20250305", name: "web_search" },
    ],
    tool_choice: { type: "auto", disable_parallel_tool_use: true },
    thinking: { type: "enabled", budget_tokens: 2_000, display: "omitted" },
    output_config: { format: { type: "json_schema", schema: {} }, effort: "low" },
    metadata: { user_id: "u" },
    service_tier: "auto",
    mcp_servers: [{ type: "url", url: "https://mcp.example" }],
    container: "c",
    context_management: { edits: [{}] },
  },
  {
    messages: [user("hi")],
    max_tokens: 9,
    temperature: 0.5,
    top_p: 0.5,
    thinking: { type: "disabled" },
  },
];

const gatewayReasoning = Buffer.from(JSON.stringify([thinkingBlock])).toString("base64");
const responses: readonly JsonRecord[] = [
  {
    input: [
      user([
        { type: "input_text", text: "look" },
        {
          type: "input_image",
          image_url: "https://images.example/a.png",
          detail: "low",
          file_id: "file_1",
        },
        {
          type: "input_file",
          filename: "a.pdf",
          file_data: "data:application/pdf;base64,aGk=",
          file_id: "file_1",
        },
        { type: "input_audio", input_audio: { data: "aGk=", format: "wav" } },
      ]),
      { type: "reasoning", summary: [], encrypted_content: "of another provider" },
      { type: "function_call", call_id: "a", name: "f", arguments: "{}" },
      { type: "function_call_output", call_id: "a", output: "one" },
      { type: "web_search_call", id: "ws_1" },
      { type: "custom_tool_call_output", call_id: "c", output: "x" },
    ],
    instructions: "Be kind.",
    max_output_tokens: 9,
    stream: true,
    temperature: 0.5,
    top_p: 0.5,
    tools: [
      {
        type: "function",
        name: "f",
        description: "d",
        parameters: { type: "object" },
        strict: true,
      },
      { type: "custom", name: "c" },
      { type: "web_search" },
    ],
    tool_choice: { type: "allowed_tools", mode: "auto", tools: [{ type: "function", name: "f" }] },
    parallel_tool_calls: false,
    reasoning: { effort: "high", summary: "auto" },
    text: { format: { type: "json_schema", ...schemaFormat }, verbosity: "low" },
    user: "u",
    metadata: { a: "b" },
    store: true,
    truncation: "auto",
    include: ["reasoning.encrypted_content", "message.output_text.logprobs"],
    top_logprobs: 2,
    max_tool_calls: 2,
    service_tier: "flex",
    prompt_cache_key: "k",
  },
  {
    input: [
      { type: "reasoning", summary: [], encrypted_content: gatewayReasoning },
      { type: "function_call", call_id: "a", name: "f", arguments: "{}" },
    ],
    temperature: 0.5,
    top_p: 0.5,
    reasoning: { effort: "xhigh" },
    text: { format: { type: "json_object" } },
    store: false,
    truncation: "disabled",
    include: ["reasoning.encrypted_content"],
  },
];

const gemini: readonly JsonRecord[] = [
  {
    contents: [
      {
        role: "user",
        parts: [{ text: "look" }, { inlineData: { mimeType: "application/pdf", data: "aGk=" } }],
      },
      {
        role: "model",
        parts: [
          { text: "hm", thought: true },
          { text: "so", thoughtSignature: "s" },
          { functionCall: { id: "a", name: "f", args: {} }, thoughtSignature: "s" },
          { executableCode: { language: "PYTHON", code: "1" } },
        ],
      },
      { role: "user", parts: [{ functionResponse: { id: "a", name: "f", response: { a: 1 } } }] },
    ],
    systemInstruction: { parts: [{ text: "Be kind." }] },
    generationConfig: {
      maxOutputTokens: 9,
      temperature: 0.5,
      topP: 0.5,
      topK: 4,
      candidateCount: 2,
      seed: 1,
      presencePenalty: 1,
      frequencyPenalty: 1,
      stopSequences: ["x"],
      responseMimeType: "application/json",
      responseSchema: { type: "OBJECT" },
      thinkingConfig: { thinkingBudget: 2_048, includeThoughts: true },
      speechConfig: { voiceConfig: {} },
    },
    tools: [
      { functionDeclarations: [{ name: "f", description: "d", parameters: { type: "OBJECT" } }] },
      { googleSearch: {} },
      { codeExecution: {} },
    ],
    toolConfig: { functionCallingConfig: { mode: "ANY", allowedFunctionNames: ["f", "g"] } },
    safetySettings: [{ category: "HARM_CATEGORY_HARASSMENT" }],
    cachedContent: "c",
  },
  {
    contents: [{ role: "user", parts: [{ text: "hi" }] }],
    generationConfig: {
      temperature: 0.5,
      topP: 0.5,
      responseMimeType: "application/json",
      candidateCount: 1,
    },
    toolConfig: { functionCallingConfig: { mode: "ANY", allowedFunctionNames: ["f"] } },
  },
];

const embeddings: readonly JsonRecord[] = [
  { input: "hi", dimensions: 9, encoding_format: "base64", user: "u" },
  { input: [[1, 2]] },
];

const images: readonly JsonRecord[] = [
  {
    prompt: "a cat",
    n: 2,
    size: "1024x1024",
    quality: "hd",
    style: "vivid",
    response_format: "url",
    output_format: "png",
    output_compression: 80,
    background: "auto",
    moderation: "low",
    partial_images: 1,
    seed: 1,
    stream: true,
    user: "u",
  },
  { prompt: "a cat", n: 1, response_format: "b64_json" },
];

export const clientRequests: Readonly<Partial<Record<ApiEndpoint, readonly JsonRecord[]>>> = {
  chat_completions: chat,
  claude_messages: messages,
  response_api: responses,
  gemini,
  embeddings,
  images_generations: images,
};
