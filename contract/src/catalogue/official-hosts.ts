/**
 * The hosts at which providers themselves answer, by channel type. What such a host reports as
 * usage is what its operator is billed; any other host may be a reseller, a proxy or a server of
 * its own, whose counts the provider does not vouch for.
 */

import { isJsonRecord } from "../api/json-record.ts";
import { falseUsageMember } from "./channel-overrides.ts";
import { findChannelType, channelTypeIds as ids } from "./channel-types.ts";

/** A host, or with a leading dot every host below it. */
const hostsByType: Readonly<Record<number, readonly string[]>> = {
  [ids.openAi]: ["api.openai.com", ".api.openai.com"],
  [ids.azure]: [
    ".openai.azure.com",
    ".cognitiveservices.azure.com",
    ".services.ai.azure.com",
    ".openai.azure.us",
    ".azure.cn",
  ],
  [ids.palm]: ["generativelanguage.googleapis.com"],
  [ids.anthropic]: ["api.anthropic.com"],
  [ids.baidu]: ["aip.baidubce.com"],
  [ids.zhipu]: ["open.bigmodel.cn", "api.z.ai"],
  [ids.qianwen]: [
    "dashscope.aliyuncs.com",
    "dashscope-intl.aliyuncs.com",
    "dashscope-us.aliyuncs.com",
  ],
  [ids.ai360]: ["ai.360.cn"],
  [ids.openRouter]: ["openrouter.ai"],
  [ids.tencent]: ["hunyuan.tencentcloudapi.com", "api.hunyuan.cloud.tencent.com"],
  [ids.gemini]: ["generativelanguage.googleapis.com"],
  [ids.moonshot]: ["api.moonshot.cn", "api.moonshot.ai"],
  [ids.baichuan]: ["api.baichuan-ai.com"],
  [ids.miniMax]: ["api.minimax.chat", "api.minimax.io", "api.minimaxi.com"],
  [ids.mistral]: ["api.mistral.ai"],
  [ids.groq]: ["api.groq.com"],
  [ids.ollama]: ["localhost"],
  [ids.yi]: ["api.lingyiwanwu.com"],
  [ids.stepFun]: ["api.stepfun.com"],
  [ids.coze]: ["api.coze.com", "api.coze.cn"],
  [ids.cohere]: ["api.cohere.ai", "api.cohere.com"],
  [ids.deepSeek]: ["api.deepseek.com"],
  [ids.cloudflare]: ["api.cloudflare.com", "gateway.ai.cloudflare.com"],
  [ids.deepL]: ["api-free.deepl.com", "api.deepl.com"],
  [ids.together]: ["api.together.xyz", "api.together.ai"],
  [ids.volcano]: [".volces.com", ".bytepluses.com"],
  [ids.novita]: ["api.novita.ai"],
  [ids.siliconFlow]: ["api.siliconflow.cn", "api.siliconflow.com"],
  [ids.xAi]: ["api.x.ai", ".api.x.ai"],
  [ids.replicate]: ["api.replicate.com"],
  [ids.baiduV2]: ["qianfan.baidubce.com"],
  [ids.sparkV2]: ["spark-api-open.xf-yun.com"],
  [ids.bailian]: [
    "dashscope.aliyuncs.com",
    "dashscope-intl.aliyuncs.com",
    "dashscope-us.aliyuncs.com",
  ],
  [ids.geminiCompatible]: ["generativelanguage.googleapis.com"],
  [ids.copilot]: ["api.githubcopilot.com", ".githubcopilot.com"],
  [ids.fireworks]: ["api.fireworks.ai"],
  [ids.nvidia]: ["integrate.api.nvidia.com"],
  [ids.cerebras]: ["api.cerebras.ai"],
  [ids.deepInfra]: ["api.deepinfra.com"],
};

/**
 * Spark, Bedrock and Vertex: the address follows from the region or version, so it is always the
 * provider's own.
 */
const typesWithOwnAddress: ReadonlySet<number> = new Set([ids.spark, ids.bedrock, ids.vertex]);
/** Types that name no provider: any provider's own host is official for them. */
const typesOfAnyProvider: ReadonlySet<number> = new Set([
  ids.custom,
  ids.proxy,
  ids.compatible,
  ids.claudeCompatible,
]);
const allHosts = Object.entries(hostsByType).flatMap(([type, hosts]) =>
  Number(type) === ids.ollama ? [] : hosts,
);

const matches = (host: string, official: string): boolean =>
  official.startsWith(".") ? host.endsWith(official) : host === official;

function isOfficial(type: number, address: string): boolean {
  const host = URL.parse(address)?.hostname ?? "";
  const hosts = typesOfAnyProvider.has(type) ? allHosts : (hostsByType[type] ?? []);
  return hosts.some((official) => matches(host, official));
}

/**
 * `hasOfficialHost` says whether every address of a channel is the provider's own. An empty
 * `baseUrl` is the default of the type.
 */
export function hasOfficialHost(type: number, baseUrl: string, config: unknown): boolean {
  const address = baseUrl || (findChannelType(type)?.defaultBaseUrl ?? "");
  const { endpoint_urls: endpoints } = isJsonRecord(config) ? config : {};
  const others = isJsonRecord(endpoints)
    ? Object.values(endpoints).filter((url) => typeof url === "string")
    : [];
  const isOwn = address === "" ? typesWithOwnAddress.has(type) : isOfficial(type, address);
  return isOwn && others.every((url) => !URL.canParse(url) || isOfficial(type, url));
}

/**
 * `mayReportFalseUsage` says whether usage that is far above what was seen is replaced by an
 * estimate.
 */
export function mayReportFalseUsage(type: number, baseUrl: string, config: unknown): boolean {
  const stated = isJsonRecord(config) ? config[falseUsageMember] : undefined;
  return typeof stated === "boolean" ? stated : !hasOfficialHost(type, baseUrl, config);
}
