/** The provider types of channels, with the numbers that compatible servers use. */
import { type EndpointName, endpointNames } from "./channel-endpoints.ts";

/** The protocol that the provider speaks; `own` is a provider's own protocol behind a translation. */
export type ChannelFormat = "openai" | "azure" | "anthropic" | "gemini" | "bedrock" | "vertex" | "proxy" | "own";

export interface ChannelType {
  id: number;
  name: string;
  /** Empty where the administrator must enter one, or where it follows from a region. */
  defaultBaseUrl: string;
  baseUrlEditable: boolean;
  format: ChannelFormat;
  endpoints: readonly EndpointName[];
  /** The service no longer exists, or another type replaced it. Kept so that existing channels stay readable. */
  gone: boolean;
}

const open = true;
const fixed = false;
const type = (
  id: number,
  name: string,
  defaultBaseUrl: string,
  baseUrlEditable: boolean,
  format: ChannelFormat,
  endpoints: readonly EndpointName[],
  gone?: "gone",
): ChannelType => ({ id, name, defaultBaseUrl, baseUrlEditable, format, endpoints, gone: gone === "gone" });

const all = endpointNames.filter((name) => name !== "rerank" && name !== "ocr");
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

export const channelTypes: readonly ChannelType[] = [
  type(1, "OpenAI", "https://api.openai.com", open, "openai", all),
  type(2, "API2D", "https://oa.api2d.net", open, "openai", all),
  type(3, "Azure", "", open, "azure", [...azure, "realtime"]),
  type(4, "CloseAI", "https://api.closeai-proxy.xyz", open, "openai", all),
  type(5, "OpenAI-SB", "https://api.openai-sb.com", open, "openai", all),
  type(6, "OpenAI Max", "https://api.openaimax.com", open, "openai", all),
  type(7, "OhMyGPT", "https://api.ohmygpt.com", open, "openai", all),
  type(8, "Custom (deprecated)", "", open, "openai", compatible, "gone"),
  type(9, "AI.LS", "https://api.caipacity.com", open, "openai", all),
  type(10, "AI Proxy", "https://api.aiproxy.io", open, "openai", all),
  type(11, "PaLM2", "https://generativelanguage.googleapis.com", fixed, "own", chat, "gone"),
  type(12, "API2GPT", "https://api.api2gpt.com", open, "openai", all),
  type(13, "AIGC2D", "https://api.aigc2d.com", open, "openai", all),
  type(14, "Anthropic", "https://api.anthropic.com", open, "anthropic", chat),
  type(15, "Baidu Wenxin", "https://aip.baidubce.com", fixed, "own", [...chat, "embeddings", "rerank"]),
  type(16, "Zhipu", "https://open.bigmodel.cn", fixed, "openai", [...chat, "embeddings", "images_generations", "ocr"]),
  type(17, "Alibaba Qianwen", "https://dashscope.aliyuncs.com", fixed, "openai", [
    ...chat,
    "embeddings",
    "images_generations",
  ]),
  type(18, "iFlytek Spark", "", fixed, "own", chat),
  type(19, "360", "https://ai.360.cn", fixed, "openai", chat),
  type(20, "OpenRouter", "https://openrouter.ai/api", open, "openai", chat),
  type(21, "AI Proxy knowledge base", "https://api.aiproxy.io", open, "own", chat),
  type(22, "FastGPT", "https://fastgpt.run/api/openapi", open, "openai", all),
  type(23, "Tencent Hunyuan", "https://hunyuan.tencentcloudapi.com", fixed, "own", chat),
  type(24, "Gemini", "https://generativelanguage.googleapis.com", fixed, "gemini", chatAndEmbeddings),
  type(25, "Moonshot", "https://api.moonshot.cn", fixed, "openai", chat),
  type(26, "Baichuan", "https://api.baichuan-ai.com", fixed, "openai", chat),
  type(27, "MiniMax", "https://api.minimax.chat", open, "openai", chat),
  type(28, "Mistral", "https://api.mistral.ai", fixed, "openai", [...chatAndEmbeddings, "ocr"]),
  type(29, "Groq", "https://api.groq.com/openai", fixed, "openai", [...chat, "audio_transcription"]),
  type(30, "Ollama", "http://localhost:11434", open, "openai", chatAndEmbeddings),
  type(31, "01.AI", "https://api.lingyiwanwu.com", fixed, "openai", chat),
  type(32, "StepFun", "https://api.stepfun.com", fixed, "openai", chat),
  type(33, "AWS Bedrock", "", fixed, "bedrock", chatAndEmbeddings),
  type(34, "Coze", "https://api.coze.com", open, "own", chat),
  type(35, "Cohere", "https://api.cohere.ai", fixed, "openai", [...chat, "rerank"]),
  type(36, "DeepSeek", "https://api.deepseek.com", fixed, "openai", chat),
  type(37, "Cloudflare", "https://api.cloudflare.com", fixed, "openai", chatAndEmbeddings),
  type(38, "DeepL", "https://api-free.deepl.com", open, "own", []),
  type(39, "together.ai", "https://api.together.xyz", fixed, "openai", [
    ...chat,
    "completions",
    "embeddings",
    "images_generations",
    "audio_speech",
    "audio_transcription",
    "audio_translation",
  ]),
  type(40, "ByteDance Volcano", "https://ark.cn-beijing.volces.com", open, "openai", chatAndEmbeddings),
  type(41, "Novita", "https://api.novita.ai/v3/openai", fixed, "openai", chat),
  type(42, "VertexAI", "", fixed, "vertex", [...chatAndEmbeddings, "images_generations"]),
  type(43, "Proxy", "", open, "proxy", all),
  type(44, "SiliconFlow", "https://api.siliconflow.cn", fixed, "openai", chatAndEmbeddings),
  type(45, "xAI", "https://api.x.ai", fixed, "openai", [...chatAndEmbeddings, "images_generations", "videos"]),
  type(46, "Replicate", "https://api.replicate.com/v1/models/", fixed, "own", [...chat, "images_generations"]),
  type(47, "Baidu Wenxin V2", "https://qianfan.baidubce.com", fixed, "openai", [...chat, "rerank"]),
  type(48, "Spark V2", "https://spark-api-open.xf-yun.com", fixed, "openai", chat),
  type(49, "Alibaba Bailian", "https://dashscope.aliyuncs.com", fixed, "openai", chatAndEmbeddings),
  type(50, "OpenAI Compatible", "", open, "openai", compatible),
  type(
    51,
    "Gemini (OpenAI format)",
    "https://generativelanguage.googleapis.com/v1beta/openai/",
    fixed,
    "openai",
    chatAndEmbeddings,
  ),
  type(52, "Claude compatible", "", open, "anthropic", chat),
  type(53, "GitHub Copilot", "https://api.githubcopilot.com", open, "openai", [
    "chat_completions",
    "embeddings",
    "response_api",
  ]),
  type(54, "Fireworks", "https://api.fireworks.ai/inference", fixed, "openai", [
    ...chat,
    "completions",
    "embeddings",
    "rerank",
  ]),
  type(55, "NVIDIA", "https://integrate.api.nvidia.com/v1", open, "openai", chat),
  type(56, "Cerebras", "https://api.cerebras.ai/v1", fixed, "openai", chat),
  type(57, "DeepInfra", "https://api.deepinfra.com", fixed, "openai", [
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
const keylessTypes: readonly number[] = [30];
export const requiresKey = (type: number): boolean => !keylessTypes.includes(type);

/** The type of a channel whose number is unknown. */
export const noType: ChannelType = type(0, "Unknown", "", open, "own", []);

const byId = new Map(channelTypes.map((entry) => [entry.id, entry]));
export const channelType = (id: number): ChannelType | undefined => byId.get(id);
