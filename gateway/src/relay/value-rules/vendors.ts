/**
 * Vendors of models, by the type of the channel, its host or the name of the model: they refuse
 * different values. Pure.
 */
import { channelTypeIds as ids } from "@tollgate/contract/catalogue/channel-types.ts";

export const vendors = [
  "openai",
  "azure",
  "anthropic",
  "google",
  "amazon",
  "deepseek",
  "moonshot",
  "zhipu",
  "qwen",
  "minimax",
  "mistral",
  "xai",
  "groq",
  "cohere",
  "openrouter",
  "fireworks",
  "nvidia",
  "volcano",
] as const;
export type Vendor = (typeof vendors)[number];

/** `RuleDestination` says where a request goes, as far as it is known. */
export interface RuleDestination {
  channelType?: number | undefined;
  host?: string | undefined;
}

const ofType: Readonly<Record<number, Vendor>> = {
  [ids.azure]: "azure",
  [ids.anthropic]: "anthropic",
  [ids.zhipu]: "zhipu",
  [ids.qianwen]: "qwen",
  [ids.bailian]: "qwen",
  [ids.openRouter]: "openrouter",
  [ids.gemini]: "google",
  [ids.moonshot]: "moonshot",
  [ids.miniMax]: "minimax",
  [ids.mistral]: "mistral",
  [ids.groq]: "groq",
  [ids.bedrock]: "amazon",
  [ids.cohere]: "cohere",
  [ids.deepSeek]: "deepseek",
  [ids.volcano]: "volcano",
  [ids.xAi]: "xai",
  [ids.fireworks]: "fireworks",
  [ids.nvidia]: "nvidia",
};

const ofHost: readonly (readonly [RegExp, Vendor])[] = [
  [/(?:^|\.)openai\.com$/, "openai"],
  [/\.(?:openai|cognitiveservices|services\.ai)\.azure\.com$/, "azure"],
  [/(?:^|\.)mistral\.ai$/, "mistral"],
  [/(?:^|\.)x\.ai$/, "xai"],
  [/(?:^|\.)groq\.com$/, "groq"],
  [/(?:^|\.)deepseek\.com$/, "deepseek"],
  [/(?:^|\.)moonshot\.(?:cn|ai)$/, "moonshot"],
  [/(?:^|\.)(?:bigmodel\.cn|z\.ai)$/, "zhipu"],
  [/^dashscope[\w-]*\.aliyuncs\.com$/, "qwen"],
  [/(?:^|\.)minimaxi?\.(?:chat|com|io)$/, "minimax"],
  [/(?:^|\.)openrouter\.ai$/, "openrouter"],
  [/(?:^|\.)fireworks\.ai$/, "fireworks"],
  [/(?:^|\.)api\.nvidia\.com$/, "nvidia"],
  [/(?:^|\.)cohere\.(?:ai|com)$/, "cohere"],
  [/(?:^|\.)volces\.com$/, "volcano"],
];

/** Servers of open models keep the rules of the model's maker, which its template enforces. */
const ofModel: readonly (readonly [RegExp, Vendor])[] = [
  [/^(?:gpt-(?!oss)|o\d|chatgpt-)/, "openai"],
  [/^claude-/, "anthropic"],
  [/^gemini-/, "google"],
  [/^deepseek/, "deepseek"],
  [/^(?:kimi|moonshot)/, "moonshot"],
  [/^glm-/, "zhipu"],
  [/^(?:qwen|qwq|qvq)/, "qwen"],
  [/^minimax/, "minimax"],
  [/^(?:mistral|ministral|magistral|codestral|devstral|pixtral|mixtral)/, "mistral"],
  [/^grok-/, "xai"],
  [/^command/, "cohere"],
];

/**
 * The name in lower case without region and vendor before it, and without what stands behind a
 * colon.
 */
export const stripVendorName = (model: string): string =>
  model
    .toLowerCase()
    .replace(/^.*\//, "")
    .replace(
      /^(?:[a-z-]{2,8}\.)?(?:anthropic|openai|amazon|meta|mistral|deepseek|qwen|zai|moonshotai?|minimax|google|xai)\./,
      "",
    )
    .replace(/:.*$/, "");

const find = (list: readonly (readonly [RegExp, Vendor])[], name: string): Vendor | undefined =>
  list.find(([words]) => words.test(name))?.[1];

/** `findServerVendor` gives the vendor by what is known of the server alone. */
export function findServerVendor({ channelType, host }: RuleDestination): Vendor | undefined {
  const typed = channelType === undefined ? undefined : ofType[channelType];
  return typed ?? (host === undefined ? undefined : find(ofHost, host));
}

/** `model` as `plainModel` writes it. */
export const findVendor = (destination: RuleDestination, model: string): Vendor | undefined =>
  findServerVendor(destination) ?? find(ofModel, model);
