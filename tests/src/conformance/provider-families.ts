// The providers that the grid has rows for: what a channel of each needs, and how each interface
// calls it.
import { generateKeyPairSync } from "node:crypto";
import type { ConformanceFeature, ConversationEndpoint } from "./conversation-scenario.ts";
import {
  anthropicWire,
  baiduWire,
  bedrockClaudeWire,
  bedrockConverseWire,
  cozeWire,
  deeplWire,
  geminiWire,
  openaiChatWire,
  openaiResponsesWire,
  type ProviderWire,
  replicateWire,
  tencentWire,
  vertexClaudeWire,
  vertexVectorsWire,
} from "./provider-wires.ts";

/** Interfaces beside those for conversations. */
export type OtherEndpoint =
  | "Completions"
  | "Embeddings"
  | "Gemini embeddings"
  | "Moderations"
  | "Rerank"
  | "OCR"
  | "Images"
  | "Edits of images"
  | "Speech"
  | "Transcriptions"
  | "Translations of speech";

/** Interfaces to what a provider keeps, or works on after its response. */
export type KeptObjectEndpoint =
  | "Files"
  | "Batches"
  | "Message batches"
  | "Videos"
  | "Gemini files";

export interface ProviderFamily {
  name: string;
  /** The number of the channel type. */
  type: number;
  /** The clients' names of models begin with this. */
  model: string;
  /** The provider's own name of a model for vectors, where only some have them. */
  embedding?: string;
  /** The provider's own name of it, where that is another. */
  upstream?: string;
  /** The wire format in which the channel is called, by the client's interface. */
  wire: Record<ConversationEndpoint, ProviderWire>;
  /** `other` is the same for the smaller interfaces, as far as the family has them. */
  other: Partial<Record<OtherEndpoint, ProviderWire>>;
  /** The simulator answers at these: it remembers what is stored, and works on. */
  keeps?: readonly KeptObjectEndpoint[];
  /** It has sessions over a WebSocket. */
  hasRealtime?: true;
  /** Interfaces by which signatures of thoughts come back to the provider. */
  keepsSignatures: readonly ConversationEndpoint[];
  /** What the provider cannot do, and why. */
  lacks?: Partial<Record<ConformanceFeature, string>>;
  /** It differs from another family in address and login alone. */
  isAnotherAddress?: true;
  /** Members of the channel beside type, models, and an address and a key of this upstream. */
  channel?(upstreamUrl: string): Record<string, unknown>;
}

const media = {
  Images: openaiChatWire,
  Speech: openaiChatWire,
  Transcriptions: openaiChatWire,
} as const;

const always = (wire: ProviderWire): Record<ConversationEndpoint, ProviderWire> => ({
  "Chat Completions": wire,
  Responses: wire,
  Messages: wire,
  Gemini: wire,
});

const compatible = {
  wire: always(openaiChatWire),
  keepsSignatures: [],
  isAnotherAddress: true,
} as const;
const claude = {
  keepsSignatures: ["Chat Completions", "Responses", "Messages", "Gemini"],
  other: {},
} as const;

const { privateKey } = generateKeyPairSync("rsa", {
  modulusLength: 2048,
  privateKeyEncoding: { type: "pkcs8", format: "pem" },
  publicKeyEncoding: { type: "spki", format: "pem" },
});
/** A service account that signs in at this upstream. */
const vertexChannel = (upstreamUrl: string) => ({
  key: JSON.stringify({
    type: "service_account",
    client_email: "gateway@project.iam.gserviceaccount.com",
    private_key: privateKey,
    token_uri: `${upstreamUrl}/token`,
  }),
  config: JSON.stringify({ region: "europe-west1", vertex_ai_project_id: "a-project" }),
});
const bedrockChannel = () => ({
  key: "AKIAEXAMPLE|a-secret|eu-central-1",
  config: '{"region":"eu-central-1"}',
});

const noReasoning = "The provider tells no thoughts.";
const noSchema = "There is no place for a schema.";
const schemaInWords = "The model takes no schema: it is sent in words of the system.";
const noPictures = "The model takes no pictures.";
const noCache = "The provider counts no tokens of a cache.";
const noSuchEnd = "The provider tells no such end.";
const textOnly = {
  tools: "There is no place for tools.",
  structure: noSchema,
  vision: "There is no place for pictures.",
  thinking: noReasoning,
  signatures: noReasoning,
  cache: noCache,
  refusal: noSuchEnd,
  length: noSuchEnd,
};
const {
  refusal: _,
  length: __,
  ...baiduLacks
} = {
  ...textOnly,
  tools: "One function at a time can be called there, without an id.",
};

const openaiOthers = {
  Completions: openaiChatWire,
  Embeddings: openaiChatWire,
  Moderations: openaiChatWire,
  ...media,
  "Edits of images": openaiChatWire,
  "Translations of speech": openaiChatWire,
} as const;

export const providerFamilies: readonly ProviderFamily[] = [
  {
    name: "OpenAI",
    type: 1,
    // The newest that thinks beside functions in chat completions.
    model: "gpt-5.2",
    wire: { ...always(openaiChatWire), Responses: openaiResponsesWire },
    other: openaiOthers,
    keeps: ["Files", "Batches", "Videos"],
    hasRealtime: true,
    keepsSignatures: ["Responses"],
  },
  {
    name: "OpenAI, by Responses alone",
    type: 1,
    model: "gpt-5.5-codex",
    wire: always(openaiResponsesWire),
    other: openaiOthers,
    keeps: ["Files", "Batches", "Videos"],
    hasRealtime: true,
    keepsSignatures: ["Chat Completions", "Responses", "Messages", "Gemini"],
    isAnotherAddress: true,
  },
  {
    name: "OpenAI compatible",
    type: 50,
    model: "deepseek-v3.2",
    wire: always(openaiChatWire),
    other: {
      Completions: openaiChatWire,
      Embeddings: openaiChatWire,
      Rerank: openaiChatWire,
      ...media,
    },
    keeps: ["Videos"],
    keepsSignatures: [],
    lacks: { structure: schemaInWords, vision: noPictures },
  },
  {
    name: "Anthropic",
    type: 14,
    model: "claude-sonnet-5",
    wire: always(anthropicWire),
    ...claude,
    keeps: ["Message batches"],
  },
  {
    name: "Gemini",
    type: 24,
    model: "gemini-3-pro-preview",
    wire: always(geminiWire),
    other: { Embeddings: geminiWire, "Gemini embeddings": geminiWire, Images: geminiWire },
    keeps: ["Gemini files"],
    keepsSignatures: ["Chat Completions", "Responses", "Messages", "Gemini"],
  },
  {
    name: "Azure",
    type: 3,
    model: "gpt-5.1",
    wire: { ...always(openaiChatWire), Responses: openaiResponsesWire },
    other: { Completions: openaiChatWire, Embeddings: openaiChatWire, ...media },
    keeps: ["Files", "Batches"],
    hasRealtime: true,
    keepsSignatures: ["Responses"],
    isAnotherAddress: true,
  },
  {
    name: "Vertex, Gemini",
    type: 42,
    model: "gemini-3-flash",
    wire: always(geminiWire),
    embedding: "text-embedding-005",
    other: { Images: geminiWire, Embeddings: vertexVectorsWire },
    keepsSignatures: ["Chat Completions", "Responses", "Messages", "Gemini"],
    isAnotherAddress: true,
    channel: vertexChannel,
  },
  {
    name: "Vertex, Claude",
    type: 42,
    model: "claude-opus-4-5",
    wire: always(vertexClaudeWire),
    ...claude,
    isAnotherAddress: true,
    channel: vertexChannel,
  },
  {
    name: "Bedrock, Claude",
    type: 33,
    model: "claude-haiku-4-5",
    wire: always(bedrockClaudeWire),
    ...claude,
    isAnotherAddress: true,
    channel: bedrockChannel,
  },
  {
    name: "Bedrock, Converse",
    type: 33,
    model: "nova-2-lite",
    upstream: "us.amazon.nova-2-lite-v1:0",
    wire: always(bedrockConverseWire),
    embedding: "cohere.embed-multilingual-v3",
    other: { Embeddings: bedrockConverseWire },
    keepsSignatures: [],
    lacks: { signatures: "Signed thoughts are sent back to Anthropic's models alone." },
    isAnotherAddress: true,
    channel: bedrockChannel,
  },
  {
    name: "Cohere",
    type: 35,
    model: "command-a-03-2025",
    ...compatible,
    other: { Rerank: openaiChatWire },
  },
  {
    name: "Zhipu",
    type: 16,
    model: "glm-4.6",
    ...compatible,
    lacks: { structure: schemaInWords },
    other: { Embeddings: openaiChatWire, OCR: openaiChatWire, Images: openaiChatWire },
  },
  {
    name: "Qianwen",
    type: 17,
    model: "qwen3-max",
    ...compatible,
    other: { Embeddings: openaiChatWire, Images: openaiChatWire },
  },
  {
    name: "Ollama",
    type: 30,
    model: "llama3.3",
    ...compatible,
    other: { Embeddings: openaiChatWire },
  },
  {
    name: "Cloudflare",
    type: 37,
    model: "llama-3.3-70b",
    upstream: "@cf/meta/llama-3.3-70b-instruct-fp8-fast",
    ...compatible,
    other: { Embeddings: openaiChatWire },
    channel: () => ({ config: '{"user_id":"an-account"}' }),
  },
  {
    name: "Spark",
    type: 18,
    model: "4.0Ultra",
    ...compatible,
    other: {},
    channel: () => ({ key: "app-id|api-secret|api-key" }),
  },
  {
    name: "Baidu",
    type: 15,
    model: "ernie-own",
    wire: always(baiduWire),
    other: { Embeddings: baiduWire },
    keepsSignatures: [],
    isAnotherAddress: true,
    lacks: baiduLacks,
    channel: () => ({ key: "an-id|a-secret" }),
  },
  {
    name: "Tencent",
    type: 23,
    model: "hunyuan-turbo",
    wire: always(tencentWire),
    other: { Embeddings: tencentWire },
    keepsSignatures: [],
    isAnotherAddress: true,
    lacks: { structure: noSchema, cache: noCache, length: noSuchEnd },
    channel: () => ({ key: "1250000000|an-id|a-secret" }),
  },
  {
    name: "Coze",
    type: 34,
    model: "bot-7379462189365198898",
    wire: always(cozeWire),
    other: {},
    keepsSignatures: [],
    isAnotherAddress: true,
    lacks: textOnly,
    channel: () => ({ config: '{"auth_type":"personal_access_token"}' }),
  },
  {
    name: "Replicate",
    type: 46,
    model: "llama-3-70b",
    upstream: "meta/meta-llama-3-70b-instruct",
    wire: always(replicateWire),
    other: { Images: replicateWire },
    keepsSignatures: [],
    isAnotherAddress: true,
    lacks: textOnly,
    channel: (upstreamUrl) => ({ base_url: `${upstreamUrl}/v1/models/` }),
  },
  {
    name: "DeepL",
    type: 38,
    model: "deepl-de",
    wire: always(deeplWire),
    other: {},
    keepsSignatures: [],
    isAnotherAddress: true,
    lacks: textOnly,
  },
];
