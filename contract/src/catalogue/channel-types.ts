/** The provider types of channels, with the numbers that compatible servers use. */
import type { EndpointName } from "./channel-endpoints.ts";

/**
 * The protocol that the provider speaks; `own` is a provider's own protocol behind a translation.
 */
export type ChannelFormat =
  | "openai"
  | "azure"
  | "anthropic"
  | "gemini"
  | "bedrock"
  | "vertex"
  | "proxy"
  | "own";

export interface ChannelType {
  id: number;
  name: string;
  /** Empty where the administrator must enter one, or where it follows from a region. */
  defaultBaseUrl: string;
  baseUrlEditable: boolean;
  format: ChannelFormat;
  endpoints: readonly EndpointName[];
  /**
   * The service no longer exists, or another type replaced it. Kept so that existing channels stay
   * readable.
   */
  gone: boolean;
}

/** The ids of the types: what code says instead of a number. */
export const channelTypeIds = {
  openAi: 1,
  api2d: 2,
  azure: 3,
  closeAi: 4,
  openAiSb: 5,
  openAiMax: 6,
  ohMyGpt: 7,
  custom: 8,
  aiLs: 9,
  aiProxy: 10,
  palm: 11,
  api2Gpt: 12,
  aigc2d: 13,
  anthropic: 14,
  baidu: 15,
  zhipu: 16,
  qianwen: 17,
  spark: 18,
  ai360: 19,
  openRouter: 20,
  library: 21,
  fastGpt: 22,
  tencent: 23,
  gemini: 24,
  moonshot: 25,
  baichuan: 26,
  miniMax: 27,
  mistral: 28,
  groq: 29,
  ollama: 30,
  yi: 31,
  stepFun: 32,
  bedrock: 33,
  coze: 34,
  cohere: 35,
  deepSeek: 36,
  cloudflare: 37,
  deepL: 38,
  together: 39,
  volcano: 40,
  novita: 41,
  vertex: 42,
  proxy: 43,
  siliconFlow: 44,
  xAi: 45,
  replicate: 46,
  baiduV2: 47,
  sparkV2: 48,
  bailian: 49,
  compatible: 50,
  geminiCompatible: 51,
  claudeCompatible: 52,
  copilot: 53,
  fireworks: 54,
  nvidia: 55,
  cerebras: 56,
  deepInfra: 57,
} as const;
const ids = channelTypeIds;

const open = true;
const fixed = false;
const defineType = (
  id: number,
  name: string,
  defaultBaseUrl: string,
  baseUrlEditable: boolean,
  format: ChannelFormat,
  endpoints: readonly EndpointName[],
  gone?: "gone",
): ChannelType => ({
  id,
  name,
  defaultBaseUrl,
  baseUrlEditable,
  format,
  endpoints,
  gone: gone === "gone",
});

const chat: EndpointName[] = ["chat_completions", "response_api", "claude_messages"];
const chatAndEmbeddings: EndpointName[] = [...chat, "embeddings"];
const azure: EndpointName[] = [
  ...chatAndEmbeddings,
  "completions",
  "images_generations",
  "audio_speech",
  "audio_transcription",
];
const compatible: EndpointName[] = [...azure, "videos"];
/** `openAi` is what OpenAI itself serves, and resellers of its API. */
const openAi: EndpointName[] = [
  "chat_completions",
  "completions",
  "embeddings",
  "moderations",
  "images_generations",
  "images_edits",
  "audio_speech",
  "audio_transcription",
  "audio_translation",
  "response_api",
  "claude_messages",
  "realtime",
  "videos",
];

export const channelTypes: readonly ChannelType[] = [
  defineType(ids.openAi, "OpenAI", "https://api.openai.com", open, "openai", openAi),
  defineType(ids.api2d, "API2D", "https://oa.api2d.net", open, "openai", openAi),
  defineType(ids.azure, "Azure", "", open, "azure", [...azure, "realtime"]),
  defineType(ids.closeAi, "CloseAI", "https://api.closeai-proxy.xyz", open, "openai", openAi),
  defineType(ids.openAiSb, "OpenAI-SB", "https://api.openai-sb.com", open, "openai", openAi),
  defineType(ids.openAiMax, "OpenAI Max", "https://api.openaimax.com", open, "openai", openAi),
  defineType(ids.ohMyGpt, "OhMyGPT", "https://api.ohmygpt.com", open, "openai", openAi),
  defineType(ids.custom, "Custom (deprecated)", "", open, "openai", compatible, "gone"),
  defineType(ids.aiLs, "AI.LS", "https://api.caipacity.com", open, "openai", openAi),
  defineType(ids.aiProxy, "AI Proxy", "https://api.aiproxy.io", open, "openai", openAi),
  defineType(
    ids.palm,
    "PaLM2",
    "https://generativelanguage.googleapis.com",
    fixed,
    "own",
    chat,
    "gone",
  ),
  defineType(ids.api2Gpt, "API2GPT", "https://api.api2gpt.com", open, "openai", openAi),
  defineType(ids.aigc2d, "AIGC2D", "https://api.aigc2d.com", open, "openai", openAi),
  defineType(ids.anthropic, "Anthropic", "https://api.anthropic.com", open, "anthropic", chat),
  defineType(ids.baidu, "Baidu Wenxin", "https://aip.baidubce.com", fixed, "own", [
    ...chat,
    "embeddings",
    "rerank",
  ]),
  defineType(ids.zhipu, "Zhipu", "https://open.bigmodel.cn", fixed, "openai", [
    ...chat,
    "embeddings",
    "images_generations",
    "ocr",
  ]),
  defineType(ids.qianwen, "Alibaba Qianwen", "https://dashscope.aliyuncs.com", fixed, "openai", [
    ...chat,
    "embeddings",
    "images_generations",
  ]),
  defineType(ids.spark, "iFlytek Spark", "", fixed, "own", chat),
  defineType(ids.ai360, "360", "https://ai.360.cn", fixed, "openai", chat),
  defineType(ids.openRouter, "OpenRouter", "https://openrouter.ai/api", open, "openai", chat),
  defineType(ids.library, "AI Proxy knowledge base", "https://api.aiproxy.io", open, "own", chat),
  defineType(ids.fastGpt, "FastGPT", "https://fastgpt.run/api/openapi", open, "openai", openAi),
  defineType(
    ids.tencent,
    "Tencent Hunyuan",
    "https://hunyuan.tencentcloudapi.com",
    fixed,
    "own",
    chat,
  ),
  defineType(
    ids.gemini,
    "Gemini",
    "https://generativelanguage.googleapis.com",
    fixed,
    "gemini",
    chatAndEmbeddings,
  ),
  defineType(ids.moonshot, "Moonshot", "https://api.moonshot.cn", fixed, "openai", chat),
  defineType(ids.baichuan, "Baichuan", "https://api.baichuan-ai.com", fixed, "openai", chat),
  defineType(ids.miniMax, "MiniMax", "https://api.minimax.chat", open, "openai", chat),
  defineType(ids.mistral, "Mistral", "https://api.mistral.ai", fixed, "openai", [
    ...chatAndEmbeddings,
    "ocr",
  ]),
  defineType(ids.groq, "Groq", "https://api.groq.com/openai", fixed, "openai", [
    ...chat,
    "audio_transcription",
  ]),
  defineType(ids.ollama, "Ollama", "http://localhost:11434", open, "openai", chatAndEmbeddings),
  defineType(ids.yi, "01.AI", "https://api.lingyiwanwu.com", fixed, "openai", chat),
  defineType(ids.stepFun, "StepFun", "https://api.stepfun.com", fixed, "openai", chat),
  defineType(ids.bedrock, "AWS Bedrock", "", fixed, "bedrock", chatAndEmbeddings),
  defineType(ids.coze, "Coze", "https://api.coze.com", open, "own", chat),
  defineType(ids.cohere, "Cohere", "https://api.cohere.ai", fixed, "openai", [...chat, "rerank"]),
  defineType(ids.deepSeek, "DeepSeek", "https://api.deepseek.com", fixed, "openai", chat),
  defineType(
    ids.cloudflare,
    "Cloudflare",
    "https://api.cloudflare.com",
    fixed,
    "openai",
    chatAndEmbeddings,
  ),
  defineType(ids.deepL, "DeepL", "https://api-free.deepl.com", open, "own", []),
  defineType(ids.together, "together.ai", "https://api.together.xyz", fixed, "openai", [
    ...chat,
    "completions",
    "embeddings",
    "images_generations",
    "audio_speech",
    "audio_transcription",
    "audio_translation",
  ]),
  defineType(
    ids.volcano,
    "ByteDance Volcano",
    "https://ark.cn-beijing.volces.com",
    open,
    "openai",
    chatAndEmbeddings,
  ),
  defineType(ids.novita, "Novita", "https://api.novita.ai/v3/openai", fixed, "openai", chat),
  defineType(ids.vertex, "VertexAI", "", fixed, "vertex", [
    ...chatAndEmbeddings,
    "images_generations",
  ]),
  defineType(ids.proxy, "Proxy", "", open, "proxy", openAi),
  defineType(
    ids.siliconFlow,
    "SiliconFlow",
    "https://api.siliconflow.cn",
    fixed,
    "openai",
    chatAndEmbeddings,
  ),
  defineType(ids.xAi, "xAI", "https://api.x.ai", fixed, "openai", [
    ...chatAndEmbeddings,
    "images_generations",
    "videos",
  ]),
  defineType(ids.replicate, "Replicate", "https://api.replicate.com/v1/models/", fixed, "own", [
    ...chat,
    "images_generations",
  ]),
  defineType(ids.baiduV2, "Baidu Wenxin V2", "https://qianfan.baidubce.com", fixed, "openai", [
    ...chat,
    "rerank",
  ]),
  defineType(ids.sparkV2, "Spark V2", "https://spark-api-open.xf-yun.com", fixed, "openai", chat),
  defineType(
    ids.bailian,
    "Alibaba Bailian",
    "https://dashscope.aliyuncs.com",
    fixed,
    "openai",
    chatAndEmbeddings,
  ),
  defineType(ids.compatible, "OpenAI Compatible", "", open, "openai", compatible),
  defineType(
    ids.geminiCompatible,
    "Gemini (OpenAI format)",
    "https://generativelanguage.googleapis.com/v1beta/openai/",
    fixed,
    "openai",
    chatAndEmbeddings,
  ),
  defineType(ids.claudeCompatible, "Claude compatible", "", open, "anthropic", chat),
  defineType(ids.copilot, "GitHub Copilot", "https://api.githubcopilot.com", open, "openai", [
    "chat_completions",
    "embeddings",
    "response_api",
  ]),
  defineType(ids.fireworks, "Fireworks", "https://api.fireworks.ai/inference", fixed, "openai", [
    ...chat,
    "completions",
    "embeddings",
    "rerank",
  ]),
  defineType(ids.nvidia, "NVIDIA", "https://integrate.api.nvidia.com/v1", open, "openai", chat),
  defineType(ids.cerebras, "Cerebras", "https://api.cerebras.ai/v1", fixed, "openai", chat),
  defineType(ids.deepInfra, "DeepInfra", "https://api.deepinfra.com", fixed, "openai", [
    ...chat,
    "completions",
    "embeddings",
    "images_generations",
    "images_edits",
    "audio_speech",
    "audio_transcription",
    "audio_translation",
    "rerank",
  ]),
];

/** Ollama runs on a machine of the operator's own and has no keys. */
const keylessTypes: readonly number[] = [ids.ollama];
export const requiresKey = (type: number): boolean => !keylessTypes.includes(type);

/** The type of a channel whose number is unknown. */
export const noType: ChannelType = defineType(0, "Unknown", "", open, "own", []);

const byId = new Map(channelTypes.map((entry) => [entry.id, entry]));
export const findChannelType = (id: number): ChannelType | undefined => byId.get(id);
