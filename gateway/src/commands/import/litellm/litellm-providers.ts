/** The providers of LiteLLM as channel types, with their keys and addresses. Pure. */
import { channelTypeIds as ids } from "@tollgate/contract/catalogue/channel-types.ts";

/**
 * `typeByProvider` goes by LiteLLM's name, without those that it takes for compatible with OpenAI's
 * API.
 */
const typeByProvider: Readonly<Record<string, number>> = {
  openai: ids.openAi,
  azure: ids.azure,
  anthropic: ids.anthropic,
  openrouter: ids.openRouter,
  gemini: ids.gemini,
  moonshot: ids.moonshot,
  minimax: ids.miniMax,
  mistral: ids.mistral,
  groq: ids.groq,
  ollama: ids.ollama,
  ollama_chat: ids.ollama,
  bedrock: ids.bedrock,
  cohere: ids.cohere,
  cohere_chat: ids.cohere,
  deepseek: ids.deepSeek,
  cloudflare: ids.cloudflare,
  together_ai: ids.together,
  volcengine: ids.volcano,
  novita: ids.novita,
  vertex_ai: ids.vertex,
  xai: ids.xAi,
  replicate: ids.replicate,
  dashscope: ids.bailian,
  github_copilot: ids.copilot,
  fireworks_ai: ids.fireworks,
  nvidia_nim: ids.nvidia,
  cerebras: ids.cerebras,
  deepinfra: ids.deepInfra,
};

/** Servers that speak OpenAI's API at an address of the operator's own. */
const compatibleProviders: ReadonlySet<string> = new Set([
  "custom_openai",
  "hosted_vllm",
  "litellm_proxy",
  "llamafile",
  "lm_studio",
  "openai_like",
  "text-completion-openai",
  "vllm",
  "xinference",
]);

export interface NamedProvider {
  provider: string;
  /** The model's name at the provider. */
  model: string;
}

/** `provider/name`; a name without a known provider is told by its beginning, as LiteLLM does. */
export function findProvider(text: string, stated: string): NamedProvider | undefined {
  const slash = text.indexOf("/");
  const prefix = slash < 0 ? "" : text.slice(0, slash);
  const isKnown = prefix in typeByProvider || compatibleProviders.has(prefix);
  if (stated !== "")
    return { provider: stated, model: prefix === stated ? text.slice(slash + 1) : text };
  if (isKnown) return { provider: prefix, model: text.slice(slash + 1) };
  if (slash >= 0) return undefined;
  if (/^(gpt-|chatgpt-|o\d|text-embedding-|dall-e-|whisper-|tts-)/.test(text))
    return { provider: "openai", model: text };
  if (text.startsWith("claude-")) return { provider: "anthropic", model: text };
  if (text.startsWith("gemini-")) return { provider: "gemini", model: text };
  return undefined;
}

/**
 * Undefined for a provider that is not served. OpenAI's API at another address is a type of its
 * own.
 */
export function findChannelType(provider: string, baseUrl: string): number | undefined {
  if (compatibleProviders.has(provider)) return baseUrl === "" ? undefined : ids.compatible;
  const type = Object.hasOwn(typeByProvider, provider) ? typeByProvider[provider] : undefined;
  if (baseUrl === "") return type;
  if (type === ids.openAi) return ids.compatible;
  return type === ids.anthropic ? ids.claudeCompatible : type;
}

/** `readKeyVariable` says where LiteLLM looks for a key that the deployment does not name. */
export function readKeyVariable(provider: string): string {
  const irregular: Readonly<Record<string, string>> = {
    together_ai: "TOGETHERAI_API_KEY",
    cohere_chat: "COHERE_API_KEY",
    volcengine: "ARK_API_KEY",
  };
  return irregular[provider] ?? `${provider.toUpperCase().replaceAll("-", "_")}_API_KEY`;
}
