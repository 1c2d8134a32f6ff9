/**
 * The names of OpenTelemetry's conventions that spans use, in two columns: those that were
 * released, which backends parse today, and those of the conventions' new home, where two have
 * moved. docs/traces.md is written from this table. Pure.
 */
import {
  findChannelType,
  channelTypeIds as ids,
} from "@tollgate/contract/catalogue/channel-types.ts";

export const namingColumns = ["released", "latest"] as const;
export type NamingColumn = (typeof namingColumns)[number];

interface AttributeName {
  released: string;
  /** `latest` is the same name where it has not moved. */
  latest: string;
  /** `on` says which span has it, for docs/traces.md. */
  on: "call" | "model" | "tool" | "attempt" | "all";
  meaning: string;
}

const name = (
  on: AttributeName["on"],
  released: string,
  meaning: string,
  latest = released,
): AttributeName => ({
  released,
  latest,
  on,
  meaning,
});

export const attributeNames = {
  method: name("call", "http.request.method", "`POST`; `GET` of a realtime session"),
  route: name("call", "http.route", "The address, with `{model}` in place of a model's name"),
  status: name(
    "call",
    "http.response.status_code",
    "What the client got; of an attempt, what the provider answered",
  ),
  clientAddress: name(
    "call",
    "client.address",
    "The client's network: the first 24 bits of an IPv4 address, 48 of IPv6",
  ),
  callId: name(
    "call",
    "tollgate.call.id",
    "The id of the call in the log and in the header `x-request-id`",
  ),
  userId: name("call", "tollgate.user.id", "The number of the user"),
  tokenId: name("call", "tollgate.token.id", "The number of the API key"),
  outcome: name("call", "tollgate.outcome", "How the call ended (ARCHITECTURE.md, Money)"),
  charge: name("call", "tollgate.charge.units", "What it cost; 500,000 units are a dollar"),
  operation: name(
    "model",
    "gen_ai.operation.name",
    "`chat`, `embeddings`, …; of a tool `execute_tool`",
  ),
  provider: name("model", "gen_ai.provider.name", "Who answered, or was asked last"),
  requestModel: name("model", "gen_ai.request.model", "The name that the client asked for"),
  requestStream: name("model", "gen_ai.request.stream", "Whether the client wants a stream"),
  responseModel: name("model", "gen_ai.response.model", "The name that the provider was asked for"),
  firstChunk: name(
    "model",
    "gen_ai.response.time_to_first_chunk",
    "Seconds until the first content",
  ),
  inputTokens: name(
    "model",
    "gen_ai.usage.input_tokens",
    "All tokens of the prompt, cached ones included",
  ),
  outputTokens: name("model", "gen_ai.usage.output_tokens", "Tokens of the answer"),
  cacheRead: name(
    "model",
    "gen_ai.usage.cache_read.input_tokens",
    "Tokens read from the provider's cache",
  ),
  cacheWrite: name(
    "model",
    "gen_ai.usage.cache_creation.input_tokens",
    "Tokens written to it",
    "gen_ai.usage.cache_write.input_tokens",
  ),
  reasoning: name(
    "model",
    "gen_ai.usage.reasoning.output_tokens",
    "Tokens of reasoning, where the provider counts them",
  ),
  mcpMethod: name("tool", "mcp.method.name", "`tools/call`"),
  toolName: name("tool", "gen_ai.tool.name", "The tool, by the name that its server gives it"),
  mcpServer: name("tool", "tollgate.mcp.server", "The MCP server, by its name at the gateway"),
  errorType: name(
    "all",
    "error.type",
    "The outcome; of an attempt, the status or `connect`, `timeout`, `cut`, `stopped`",
  ),
  channelId: name("attempt", "tollgate.channel.id", "The number of the channel"),
  serverAddress: name("attempt", "server.address", "The provider's host; of a tool, its server's"),
  serverPort: name("attempt", "server.port", "Its port"),
  resendCount: name(
    "attempt",
    "http.request.resend_count",
    "Which attempt after the first one this is",
  ),
} as const satisfies Record<string, AttributeName>;

export type AttributeKey = keyof typeof attributeNames;

/** The conventions that the names are of; the new home has published no such address. */
export const schemaUrls: Readonly<Record<NamingColumn, string>> = {
  released: "https://opentelemetry.io/schemas/1.41.0",
  latest: "",
};

/**
 * `operationNames` go by endpoints of the client API, for those that the conventions name; others
 * keep the gateway's own name.
 */
export const operationNames: Readonly<Record<string, string>> = {
  chat_completions: "chat",
  response_api: "chat",
  claude_messages: "chat",
  gemini: "generate_content",
  gemini_list: "generate_content",
  completions: "text_completion",
  embeddings: "embeddings",
  gemini_embeddings: "embeddings",
  mcp: "execute_tool",
};

/** `providerNames` go by types of channels, for those that the conventions name. */
const providerNames: Readonly<Record<number, string>> = {
  [ids.openAi]: "openai",
  [ids.azure]: "azure.ai.openai",
  [ids.anthropic]: "anthropic",
  [ids.gemini]: "gcp.gemini",
  [ids.moonshot]: "moonshot_ai",
  [ids.mistral]: "mistral_ai",
  [ids.groq]: "groq",
  [ids.bedrock]: "aws.bedrock",
  [ids.cohere]: "cohere",
  [ids.deepSeek]: "deepseek",
  [ids.vertex]: "gcp.vertex_ai",
  [ids.xAi]: "x_ai",
  [ids.geminiCompatible]: "gcp.gemini",
};

/** Other providers have the name of their type in lower case, without spaces. */
export function formatProviderName(type: number): string {
  const known =
    providerNames[type] ??
    findChannelType(type)
      ?.name.toLowerCase()
      .replaceAll(/[^a-z0-9.]+/g, "_");
  return known ?? "unknown";
}
