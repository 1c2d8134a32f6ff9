/** The providers of LiteLLM as channel types, with their keys and addresses. Pure. */

/** By LiteLLM's name, without those that it takes for compatible with OpenAI's API. */
const typeByProvider: Readonly<Record<string, number>> = {
  openai: 1,
  azure: 3,
  anthropic: 14,
  openrouter: 20,
  gemini: 24,
  moonshot: 25,
  minimax: 27,
  mistral: 28,
  groq: 29,
  ollama: 30,
  ollama_chat: 30,
  bedrock: 33,
  cohere: 35,
  cohere_chat: 35,
  deepseek: 36,
  cloudflare: 37,
  together_ai: 39,
  volcengine: 40,
  novita: 41,
  vertex_ai: 42,
  xai: 45,
  replicate: 46,
  dashscope: 49,
  github_copilot: 53,
  fireworks_ai: 54,
  nvidia_nim: 55,
  cerebras: 56,
  deepinfra: 57,
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

export const providerTypes = {
  openai: 1,
  azure: 3,
  anthropic: 14,
  bedrock: 33,
  vertex: 42,
  compatible: 50,
  claudeCompatible: 52,
} as const;

export interface NamedProvider {
  provider: string;
  /** The model's name at the provider. */
  model: string;
}

/** `provider/name`; a name without a known provider is told by its beginning, as LiteLLM does. */
export function providerOf(text: string, stated: string): NamedProvider | undefined {
  const slash = text.indexOf("/");
  const prefix = slash < 0 ? "" : text.slice(0, slash);
  const isKnown = prefix in typeByProvider || compatibleProviders.has(prefix);
  if (stated !== "") return { provider: stated, model: prefix === stated ? text.slice(slash + 1) : text };
  if (isKnown) return { provider: prefix, model: text.slice(slash + 1) };
  if (slash >= 0) return undefined;
  if (/^(gpt-|chatgpt-|o\d|text-embedding-|dall-e-|whisper-|tts-)/.test(text))
    return { provider: "openai", model: text };
  if (text.startsWith("claude-")) return { provider: "anthropic", model: text };
  if (text.startsWith("gemini-")) return { provider: "gemini", model: text };
  return undefined;
}

/** Undefined for a provider that is not served. OpenAI's API at another address is a type of its own. */
export function channelTypeOf(provider: string, baseUrl: string): number | undefined {
  if (compatibleProviders.has(provider)) return baseUrl === "" ? undefined : providerTypes.compatible;
  const type = Object.hasOwn(typeByProvider, provider) ? typeByProvider[provider] : undefined;
  if (baseUrl === "") return type;
  if (type === providerTypes.openai) return providerTypes.compatible;
  return type === providerTypes.anthropic ? providerTypes.claudeCompatible : type;
}

/** Where LiteLLM looks for a key that the deployment does not name. */
export function keyVariableOf(provider: string): string {
  const irregular: Readonly<Record<string, string>> = {
    together_ai: "TOGETHERAI_API_KEY",
    cohere_chat: "COHERE_API_KEY",
    volcengine: "ARK_API_KEY",
  };
  return irregular[provider] ?? `${provider.toUpperCase().replaceAll("-", "_")}_API_KEY`;
}
