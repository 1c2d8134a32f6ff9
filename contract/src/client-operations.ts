/** The addresses of the client API as data: the OpenAPI document and the reference list them. The formats are those of their vendors. */

export interface ClientOperation {
  method: "GET" | "POST" | "DELETE";
  path: string;
  summary: string;
  /** `form` is multipart. */
  body?: "json" | "form";
  /** A body that works once its model is one that the gateway offers. */
  example?: Readonly<Record<string, unknown>>;
  /** The vendor's description of the format. */
  format?: string;
}

const openAi = (page: string) => `https://platform.openai.com/docs/api-reference/${page}`;
const anthropic = (page: string) => `https://docs.anthropic.com/en/api/${page}`;
const gemini = (page: string) => `https://ai.google.dev/api/${page}`;
const question = [{ role: "user", content: "hello" }];
const contents = [{ role: "user", parts: [{ text: "hello" }] }];

export const clientOperations: Readonly<Record<string, ClientOperation>> = {
  chatCompletions: {
    method: "POST",
    path: "/v1/chat/completions",
    summary: "An answer in OpenAI's chat format; with stream, as server-sent events",
    body: "json",
    example: { model: "gpt-5", messages: question },
    format: openAi("chat"),
  },
  responses: {
    method: "POST",
    path: "/v1/responses",
    summary: "An answer in OpenAI's Responses format; also as a WebSocket",
    body: "json",
    example: { model: "gpt-5", input: "hello" },
    format: openAi("responses"),
  },
  compactResponse: {
    method: "POST",
    path: "/v1/responses/compact",
    summary: "A conversation of the Responses format, shortened",
    body: "json",
    example: { model: "gpt-5", input: "hello" },
    format: openAi("responses"),
  },
  countResponseTokens: {
    method: "POST",
    path: "/v1/responses/input_tokens",
    summary: "How many tokens a request of the Responses format has; free of charge",
    body: "json",
    example: { model: "gpt-5", input: "hello" },
    format: openAi("responses"),
  },
  readResponse: { method: "GET", path: "/v1/responses/{id}", summary: "A stored response of the key's owner" },
  deleteResponse: { method: "DELETE", path: "/v1/responses/{id}", summary: "Delete a stored response" },
  listInputItems: { method: "GET", path: "/v1/responses/{id}/input_items", summary: "What a stored response answered" },
  messages: {
    method: "POST",
    path: "/v1/messages",
    summary: "An answer in Anthropic's Messages format; with stream, as server-sent events",
    body: "json",
    example: { model: "claude-sonnet-4-5", max_tokens: 256, messages: question },
    format: anthropic("messages"),
  },
  countMessageTokens: {
    method: "POST",
    path: "/v1/messages/count_tokens",
    summary: "How many tokens a request of the Messages format has; free of charge",
    body: "json",
    example: { model: "claude-sonnet-4-5", messages: question },
    format: anthropic("messages-count-tokens"),
  },
  generateContent: {
    method: "POST",
    path: "/v1beta/models/{model}:generateContent",
    summary: "An answer in Gemini's format",
    body: "json",
    example: { contents },
    format: gemini("generate-content"),
  },
  streamGenerateContent: {
    method: "POST",
    path: "/v1beta/models/{model}:streamGenerateContent",
    summary: "An answer in Gemini's format, in parts; with alt=sse as server-sent events",
    body: "json",
    example: { contents },
    format: gemini("generate-content"),
  },
  countGeminiTokens: {
    method: "POST",
    path: "/v1beta/models/{model}:countTokens",
    summary: "How many tokens a request of Gemini's format has; free of charge",
    body: "json",
    example: { contents },
    format: gemini("tokens"),
  },
  completions: {
    method: "POST",
    path: "/v1/completions",
    summary: "A text continued, in OpenAI's older format",
    body: "json",
    example: { model: "gpt-3.5-turbo-instruct", prompt: "Once upon a time" },
    format: openAi("completions"),
  },
  embeddings: {
    method: "POST",
    path: "/v1/embeddings",
    summary: "Vectors of texts",
    body: "json",
    example: { model: "text-embedding-3-small", input: "hello" },
    format: openAi("embeddings"),
  },
  moderations: {
    method: "POST",
    path: "/v1/moderations",
    summary: "Whether a text breaks the provider's rules",
    body: "json",
    example: { model: "omni-moderation-latest", input: "hello" },
    format: openAi("moderations"),
  },
  rerank: {
    method: "POST",
    path: "/v1/rerank",
    summary: "Documents ordered by how well they answer a query",
    body: "json",
    example: { model: "rerank-v3.5", query: "gateway", documents: ["a bridge", "a toll booth"] },
  },
  imageGenerations: {
    method: "POST",
    path: "/v1/images/generations",
    summary: "Images of a description",
    body: "json",
    example: { model: "gpt-image-1", prompt: "a toll booth in the snow" },
    format: openAi("images"),
  },
  imageEdits: {
    method: "POST",
    path: "/v1/images/edits",
    summary: "Images made of images",
    body: "form",
    format: openAi("images"),
  },
  speech: {
    method: "POST",
    path: "/v1/audio/speech",
    summary: "A text read aloud",
    body: "json",
    example: { model: "tts-1", input: "hello", voice: "alloy" },
    format: openAi("audio"),
  },
  transcriptions: {
    method: "POST",
    path: "/v1/audio/transcriptions",
    summary: "The text of a recording",
    body: "form",
    format: openAi("audio"),
  },
  translations: {
    method: "POST",
    path: "/v1/audio/translations",
    summary: "The text of a recording, in English",
    body: "form",
    format: openAi("audio"),
  },
  listModels: {
    method: "GET",
    path: "/v1/models",
    summary: "The models that the key may use; in Anthropic's format with the header anthropic-version",
    format: openAi("models"),
  },
  readModel: { method: "GET", path: "/v1/models/{model}", summary: "One of these models", format: openAi("models") },
  listGeminiModels: {
    method: "GET",
    path: "/v1beta/models",
    summary: "The models that the key may use, in Gemini's format",
    format: gemini("models"),
  },
  readGeminiModel: {
    method: "GET",
    path: "/v1beta/models/{model}",
    summary: "One of these models, in Gemini's format",
    format: gemini("models"),
  },
  showBudgets: {
    method: "GET",
    path: "/v1/budget",
    summary: "The budgets of the key and of its owner: what is spent, left, and when they start anew",
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
};
