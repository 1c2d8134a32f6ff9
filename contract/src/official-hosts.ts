/**
 * The hosts at which providers themselves answer, by channel type. What such a host reports as usage is what its operator is
 * billed; any other host may be a reseller, a proxy or a server of its own, whose counts the provider does not vouch for.
 */
import { falseUsageMember } from "./channel-overrides.ts";
import { channelType } from "./channel-types.ts";
import { isJsonRecord } from "./json-record.ts";

/** A host, or with a leading dot every host below it. */
const hostsByType: Readonly<Record<number, readonly string[]>> = {
  1: ["api.openai.com", ".api.openai.com"],
  3: [".openai.azure.com", ".cognitiveservices.azure.com", ".services.ai.azure.com", ".openai.azure.us", ".azure.cn"],
  11: ["generativelanguage.googleapis.com"],
  14: ["api.anthropic.com"],
  15: ["aip.baidubce.com"],
  16: ["open.bigmodel.cn", "api.z.ai"],
  17: ["dashscope.aliyuncs.com", "dashscope-intl.aliyuncs.com", "dashscope-us.aliyuncs.com"],
  19: ["ai.360.cn"],
  20: ["openrouter.ai"],
  23: ["hunyuan.tencentcloudapi.com", "api.hunyuan.cloud.tencent.com"],
  24: ["generativelanguage.googleapis.com"],
  25: ["api.moonshot.cn", "api.moonshot.ai"],
  26: ["api.baichuan-ai.com"],
  27: ["api.minimax.chat", "api.minimax.io", "api.minimaxi.com"],
  28: ["api.mistral.ai"],
  29: ["api.groq.com"],
  30: ["localhost"],
  31: ["api.lingyiwanwu.com"],
  32: ["api.stepfun.com"],
  34: ["api.coze.com", "api.coze.cn"],
  35: ["api.cohere.ai", "api.cohere.com"],
  36: ["api.deepseek.com"],
  37: ["api.cloudflare.com", "gateway.ai.cloudflare.com"],
  38: ["api-free.deepl.com", "api.deepl.com"],
  39: ["api.together.xyz", "api.together.ai"],
  40: [".volces.com", ".bytepluses.com"],
  41: ["api.novita.ai"],
  44: ["api.siliconflow.cn", "api.siliconflow.com"],
  45: ["api.x.ai", ".api.x.ai"],
  46: ["api.replicate.com"],
  47: ["qianfan.baidubce.com"],
  48: ["spark-api-open.xf-yun.com"],
  49: ["dashscope.aliyuncs.com", "dashscope-intl.aliyuncs.com", "dashscope-us.aliyuncs.com"],
  51: ["generativelanguage.googleapis.com"],
  53: ["api.githubcopilot.com", ".githubcopilot.com"],
  54: ["api.fireworks.ai"],
  55: ["integrate.api.nvidia.com"],
  56: ["api.cerebras.ai"],
  57: ["api.deepinfra.com"],
};

/** Spark, Bedrock and Vertex: the address follows from the region or version, so it is always the provider's own. */
const typesWithOwnAddress: ReadonlySet<number> = new Set([18, 33, 42]);
/** Types that name no provider: any provider's own host is official for them. */
const typesOfAnyProvider: ReadonlySet<number> = new Set([8, 43, 50, 52]);
const ollamaType = 30;
const allHosts = Object.entries(hostsByType).flatMap(([type, hosts]) => (Number(type) === ollamaType ? [] : hosts));

const matches = (host: string, official: string): boolean =>
  official.startsWith(".") ? host.endsWith(official) : host === official;

function isOfficial(type: number, address: string): boolean {
  const host = URL.parse(address)?.hostname ?? "";
  const hosts = typesOfAnyProvider.has(type) ? allHosts : (hostsByType[type] ?? []);
  return hosts.some((official) => matches(host, official));
}

/** Whether every address of a channel is the provider's own. An empty `baseUrl` is the default of the type. */
export function hasOfficialHost(type: number, baseUrl: string, config: unknown): boolean {
  const address = baseUrl || (channelType(type)?.defaultBaseUrl ?? "");
  const { endpoint_urls: endpoints } = isJsonRecord(config) ? config : {};
  const others = isJsonRecord(endpoints) ? Object.values(endpoints).filter((url) => typeof url === "string") : [];
  const isOwn = address === "" ? typesWithOwnAddress.has(type) : isOfficial(type, address);
  return isOwn && others.every((url) => !URL.canParse(url) || isOfficial(type, url));
}

/** Whether usage that is far above what was seen is replaced by an estimate. */
export function mayReportFalseUsage(type: number, baseUrl: string, config: unknown): boolean {
  const stated = isJsonRecord(config) ? config[falseUsageMember] : undefined;
  return typeof stated === "boolean" ? stated : !hasOfficialHost(type, baseUrl, config);
}
