/**
 * `litellmNames` says how LiteLLM's list of models names a seller's models, the best name first;
 * sellers that it knows under names of their own are left out.
 */
export const litellmNames: Readonly<Record<string, (model: string) => string[]>> = {
  openai: (model) => [model],
  anthropic: (model) => [model],
  google: (model) => [`gemini/${model}`, model],
  mistral: (model) => [`mistral/${model}`],
  deepseek: (model) => [`deepseek/${model}`],
  xai: (model) => [`xai/${model}`],
  cohere: (model) => [model],
  moonshot: (model) => [`moonshot/${model}`],
  azure: (model) => [`azure/${model}`],
  bedrock: (model) => [model],
  vertex: (model) => [`vertex_ai/${model}`],
  groq: (model) => [`groq/${model}`],
  cerebras: (model) => [`cerebras/${model}`],
  together: (model) => [`together_ai/${model}`],
  openrouter: (model) => [`openrouter/${model}`],
};

/** `litellmOptions` are those of the scripts that read a file of LiteLLM's format. */
export const litellmOptions = {
  file: { type: "string", default: "", value: "FILE", help: "of LiteLLM's format" },
  source: { type: "string", default: "", value: "NAME", help: "the package that it comes from" },
} as const;
