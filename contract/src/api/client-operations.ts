/**
 * The addresses of the client API as data: the OpenAPI document and the reference list them. The
 * formats are those of their vendors.
 */

import {
  type ClientOperation,
  openAiPage,
  readAnthropicPage,
  readGeminiPage,
} from "./client-operation.ts";
import { objectOperations } from "./object-operations.ts";

const question = [{ role: "user", content: "hello" }];
const contents = [{ role: "user", parts: [{ text: "hello" }] }];

/** `callOperations` ask a model, count for it or read its stored answers. */
const callOperations = {
  chatCompletions: {
    method: "POST",
    path: "/v1/chat/completions",
    summary: "An answer in OpenAI's chat format; with stream, as server-sent events",
    body: "json",
    example: { model: "gpt-5.6-terra", messages: question },
    format: openAiPage("chat"),
  },
  responses: {
    method: "POST",
    path: "/v1/responses",
    summary: "An answer in OpenAI's Responses format; also as a WebSocket",
    body: "json",
    example: { model: "gpt-5.6-terra", input: "hello" },
    format: openAiPage("responses"),
  },
  compactResponse: {
    method: "POST",
    path: "/v1/responses/compact",
    summary: "A conversation of the Responses format, shortened",
    body: "json",
    example: { model: "gpt-5.6-terra", input: "hello" },
    format: openAiPage("responses"),
  },
  countResponseTokens: {
    method: "POST",
    path: "/v1/responses/input_tokens",
    summary: "How many tokens a request of the Responses format has; free of charge",
    body: "json",
    example: { model: "gpt-5.6-terra", input: "hello" },
    format: openAiPage("responses"),
  },
  readResponse: {
    method: "GET",
    path: "/v1/responses/{id}",
    summary: "A stored response of the key's owner",
  },
  deleteResponse: {
    method: "DELETE",
    path: "/v1/responses/{id}",
    summary: "Delete a stored response",
  },
  listInputItems: {
    method: "GET",
    path: "/v1/responses/{id}/input_items",
    summary: "What a stored response answered",
  },
  messages: {
    method: "POST",
    path: "/v1/messages",
    summary: "An answer in Anthropic's Messages format; with stream, as server-sent events",
    body: "json",
    example: { model: "claude-sonnet-5", max_tokens: 256, messages: question },
    format: readAnthropicPage("messages"),
  },
  countMessageTokens: {
    method: "POST",
    path: "/v1/messages/count_tokens",
    summary: "How many tokens a request of the Messages format has; free of charge",
    body: "json",
    example: { model: "claude-sonnet-5", messages: question },
    format: readAnthropicPage("messages-count-tokens"),
  },
  generateContent: {
    method: "POST",
    path: "/v1beta/models/{model}:generateContent",
    summary: "An answer in Gemini's format",
    body: "json",
    example: { contents },
    format: readGeminiPage("generate-content"),
  },
  streamGenerateContent: {
    method: "POST",
    path: "/v1beta/models/{model}:streamGenerateContent",
    summary: "An answer in Gemini's format, in parts; with alt=sse as server-sent events",
    body: "json",
    example: { contents },
    format: readGeminiPage("generate-content"),
  },
  countGeminiTokens: {
    method: "POST",
    path: "/v1beta/models/{model}:countTokens",
    summary: "How many tokens a request of Gemini's format has; free of charge",
    body: "json",
    example: { contents },
    format: readGeminiPage("tokens"),
  },
  completions: {
    method: "POST",
    path: "/v1/completions",
    summary: "A text continued, in OpenAI's older format",
    body: "json",
    example: { model: "gpt-oss-120b", prompt: "Once upon a time" },
    format: openAiPage("completions"),
  },
  embeddings: {
    method: "POST",
    path: "/v1/embeddings",
    summary: "Vectors of texts",
    body: "json",
    example: { model: "text-embedding-3-small", input: "hello" },
    format: openAiPage("embeddings"),
  },
  moderations: {
    method: "POST",
    path: "/v1/moderations",
    summary: "Whether a text breaks the provider's rules",
    body: "json",
    example: { model: "omni-moderation-latest", input: "hello" },
    format: openAiPage("moderations"),
  },
  rerank: {
    method: "POST",
    path: "/v1/rerank",
    summary: "Documents ordered by how well they answer a query",
    body: "json",
    example: { model: "rerank-v3.5", query: "gateway", documents: ["a bridge", "a toll booth"] },
  },
  ocr: {
    method: "POST",
    path: "/v1/ocr",
    summary: "The text of documents and pictures, page by page",
    body: "json",
    example: {
      model: "mistral-ocr-latest",
      document: { type: "document_url", document_url: "https://example.com/a.pdf" },
    },
  },
  imageGenerations: {
    method: "POST",
    path: "/v1/images/generations",
    summary: "Images of a description",
    body: "json",
    example: { model: "gpt-image-2", prompt: "a toll booth in the snow" },
    format: openAiPage("images"),
  },
  imageEdits: {
    method: "POST",
    path: "/v1/images/edits",
    summary: "Images made of images",
    body: "form",
    format: openAiPage("images"),
  },
  speech: {
    method: "POST",
    path: "/v1/audio/speech",
    summary: "A text read aloud",
    body: "json",
    example: { model: "tts-1", input: "hello", voice: "alloy" },
    format: openAiPage("audio"),
  },
  transcriptions: {
    method: "POST",
    path: "/v1/audio/transcriptions",
    summary: "The text of a recording",
    body: "form",
    format: openAiPage("audio"),
  },
  translations: {
    method: "POST",
    path: "/v1/audio/translations",
    summary: "The text of a recording, in English",
    body: "form",
    format: openAiPage("audio"),
  },
} as const satisfies Readonly<Record<string, ClientOperation>>;

/** `otherOperations` are what lists models and shows keys, and the tools of MCP servers. */
const otherOperations = {
  listModels: {
    method: "GET",
    path: "/v1/models",
    summary:
      "The models that the key may use; in Anthropic's format with the header anthropic-version",
    format: openAiPage("models"),
  },
  readModel: {
    method: "GET",
    path: "/v1/models/{model}",
    summary: "One of these models",
    format: openAiPage("models"),
  },
  listGeminiModels: {
    method: "GET",
    path: "/v1beta/models",
    summary: "The models that the key may use, in Gemini's format",
    format: readGeminiPage("models"),
  },
  readGeminiModel: {
    method: "GET",
    path: "/v1beta/models/{model}",
    summary: "One of these models, in Gemini's format",
    format: readGeminiPage("models"),
  },
  showBudgets: {
    method: "GET",
    path: "/v1/budget",
    summary:
      "The budgets of the key and of its owner: what is spent, left, and when they start anew",
  },
  showGeneration: {
    method: "GET",
    path: "/v1/generation",
    summary:
      "What one call of the key has cost: the query `id` is the X-Oneapi-Request-Id of its answer, or its trace id",
    format: "https://openrouter.ai/docs/api/api-reference/generations/get-generation",
  },
  showRun: {
    method: "GET",
    path: "/v1/run",
    summary:
      "What a run of an agent has cost: the one that the headers of its calls name, or the query `run`",
  },
  showAgentSettings: {
    method: "GET",
    path: "/managed/settings",
    summary:
      "The settings that the operator gives Claude Code on machines of the key's group; 404 where there are none",
  },
  takeMetrics: {
    method: "POST",
    path: "/v1/metrics",
    summary: "What Claude Code reports of itself, in OTLP; passed on to the operator's collector",
    format: "https://opentelemetry.io/docs/specs/otlp/",
  },
  takeLogs: {
    method: "POST",
    path: "/v1/logs",
    summary: "The same of its events",
    format: "https://opentelemetry.io/docs/specs/otlp/",
  },
  takeTraces: {
    method: "POST",
    path: "/v1/traces",
    summary: "The same of its spans",
    format: "https://opentelemetry.io/docs/specs/otlp/",
  },
  showKeyUsage: {
    method: "GET",
    path: "/api/usage/token",
    summary:
      "What the key has used, may still use and may call, as new-api answers; also without quota left",
  },
  showKeyLogs: {
    method: "GET",
    path: "/api/log/token",
    summary: "The newest 100 calls of the key, also without quota left",
  },
  callMcpServers: {
    method: "POST",
    path: "/mcp",
    summary:
      "Messages of the Model Context Protocol: the tools of all MCP servers that the key may use, as server__tool",
    body: "json",
    format: "https://modelcontextprotocol.io/specification/2026-07-28",
  },
  callMcpServer: {
    method: "POST",
    path: "/mcp/{name}",
    summary: "Messages of the Model Context Protocol: the tools of one MCP server",
    body: "json",
    format: "https://modelcontextprotocol.io/specification/2026-07-28",
  },
  showSubscription: {
    method: "GET",
    path: "/v1/dashboard/billing/subscription",
    summary: "The limit of the key or its owner in dollars, as OpenAI once answered",
  },
  showUsage: {
    method: "GET",
    path: "/v1/dashboard/billing/usage",
    summary: "What was spent of it, in cents",
  },
} as const satisfies Readonly<Record<string, ClientOperation>>;

export const clientOperations: Readonly<Record<string, ClientOperation>> = {
  ...callOperations,
  ...objectOperations,
  ...otherOperations,
};

/**
 * Parts of addresses below `/v1/` at which programs ask a model, such as `chat/completions`: they
 * append them to a base address.
 */
export const callParts: readonly string[] = Object.values<ClientOperation>(callOperations)
  .filter(({ body, path }) => body !== undefined && /^\/v1\/[a-z_/]+$/.test(path))
  .map(({ path }) => path.slice("/v1/".length));
